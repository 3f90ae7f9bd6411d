import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isJsonObject } from '#json';
import { MSP_ID } from '#ledger-config';
import { ANY_JSON } from '../http/any-json.js';
import { Follows, MayFollow } from '../http/body.pipe.js';
import { argumentFault, isBase64, MAX_ARGUMENT_DEPTH } from './call-arguments.js';

function textFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return value === undefined ? 'is missing' : 'must be a string';
  return value.isWellFormed() ? undefined : 'must not contain a lone surrogate';
}

function functionRule(value: unknown): string | undefined {
  return value === '' ? 'must not be empty' : textFault(value);
}

function argumentsRule(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array of JSON values';
  for (const [index, argument] of value.entries()) {
    const fault = argumentFault(argument);
    if (fault !== undefined) return `/${index}${fault.pointer} ${fault.text}`;
  }
  return undefined;
}

/** Most values of transient data, and the most bytes of all of them and characters of a name. */
const MAX_TRANSIENT = { values: 64, bytes: 512 * 1024, name: 128 };

/** Returns the error in transient data, which never contains a value. */
function transientRule(values: unknown): string | undefined {
  if (!isJsonObject(values)) {
    return 'must be an object whose values are base64';
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(values);
  if (entries.length > MAX_TRANSIENT.values) return `must not have more than ${MAX_TRANSIENT.values} values`;
  const fault = entries.map(transientFault).find((text) => text !== undefined);
  if (fault !== undefined) return fault;
  const bytes = entries.reduce((sum, [, value]) => sum + Buffer.byteLength(String(value), 'base64'), 0);
  return bytes > MAX_TRANSIENT.bytes ? `must not have more than ${MAX_TRANSIENT.bytes} bytes` : undefined;
}

function transientFault([name, value]: readonly [string, unknown]): string | undefined {
  const shown = JSON.stringify(name.slice(0, 64));
  // An object cannot have a property of this name in each of the SDKs.
  if (name === '' || name === '__proto__' || name.length > MAX_TRANSIENT.name || !name.isWellFormed()) {
    return `must not have the name ${shown}: use 1 to ${MAX_TRANSIENT.name} characters`;
  }
  return isBase64(value) ? undefined : `must have base64 (RFC 4648, with padding) as ${shown}`;
}

/** Most organizations that a call names. */
const MAX_ORGANIZATIONS = 64;

function organizationsRule(value: unknown): string | undefined {
  const isValid = Array.isArray(value) && value.length > 0 && value.length <= MAX_ORGANIZATIONS;
  if (!isValid || value.some((mspId) => typeof mspId !== 'string' || !MSP_ID.test(mspId))) {
    return `must be an array of 1 to ${MAX_ORGANIZATIONS} MSP ids`;
  }
  return new Set(value).size < value.length ? 'must not name an organization twice' : undefined;
}

/** A call of a chaincode function. */
export class ContractCall {
  @ApiProperty({
    example: 'ReadAsset',
    minLength: 1,
    description: 'The function, as CONTRACT:FUNCTION if the chaincode has several contracts.',
  })
  @Follows(functionRule)
  function!: string;

  @ApiPropertyOptional({
    type: 'array',
    items: {},
    example: ['asset1'],
    description:
      'Any JSON values; none if omitted. A string is passed as it is, an object with the one member base64 as its bytes, ' +
      'and any other value as its JSON text, with the digits of its numbers and without spaces. ' +
      `At most ${MAX_ARGUMENT_DEPTH} levels of objects and arrays.`,
  })
  @MayFollow(argumentsRule)
  arguments?: readonly unknown[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', format: 'byte', writeOnly: true },
    maxProperties: MAX_TRANSIENT.values,
    description:
      'Private data for the chaincode: base64 by name, at most 512 KiB together. They are in no block, log or error.',
  })
  @MayFollow(transientRule)
  transient?: Readonly<Record<string, string>>;

  @ApiPropertyOptional({
    type: [String],
    minItems: 1,
    maxItems: MAX_ORGANIZATIONS,
    example: ['Org1MSP'],
    description: 'The organizations whose peers execute the call; by default those that the chaincode needs.',
  })
  @MayFollow(organizationsRule)
  endorsingOrganizations?: readonly string[];
}

/** Bytes of a chaincode, and how they are written. */
export const PAYLOAD = {
  example: '{"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
  description: 'Text if the bytes are UTF-8, otherwise base64; see `encoding`.',
};
export const ENCODING = { enum: ['text', 'base64'] };
const RESULT = {
  ...ANY_JSON,
  example: { ID: 'asset1', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
  description:
    'The value of the payload, if that is JSON of at most 1 MiB, with the digits of its numbers. Absent if an object has two ' +
    'members of the same name, or more than 64 levels are nested.',
};

/** Bytes of a chaincode. */
export interface ContractPayload {
  readonly payload: string;
  readonly encoding: 'text' | 'base64';
}

/** The result of a function. */
export class ContractResult implements ContractPayload {
  @ApiProperty(PAYLOAD)
  payload!: string;

  @ApiProperty(ENCODING)
  encoding!: 'text' | 'base64';

  @ApiPropertyOptional(RESULT)
  result?: unknown;
}

/** The result of a function and its recorded transaction. */
export class ContractTransaction extends ContractResult {
  @ApiProperty({ description: '64 hexadecimal characters.' })
  transactionId!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;
}

/** An argument of a function. */
export class FunctionParameter {
  @ApiProperty({ example: 'id' })
  name!: string;

  @ApiPropertyOptional({
    example: 'string',
    description: "The type in the chaincode's schema, or the name of that schema.",
  })
  type?: string;
}

/** The ways to call a function. */
const CALL_KINDS = ['evaluate', 'submit'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** A function of a chaincode. */
export class ContractFunction {
  @ApiProperty({ example: 'ReadAsset' })
  name!: string;

  @ApiProperty({ example: 'AssetTransferContract', description: 'The contract of the function.' })
  contract!: string;

  @ApiPropertyOptional({
    enum: CALL_KINDS,
    description: 'The intended way to call it, if the metadata specifies it.',
  })
  kind?: CallKind;

  @ApiProperty({
    enum: CALL_KINDS,
    isArray: true,
    example: CALL_KINDS,
    description: 'The ways in which the caller may call it; none if its role does not suffice.',
  })
  allowed!: readonly CallKind[];

  @ApiPropertyOptional({ type: [FunctionParameter], description: 'Absent if the metadata does not specify them.' })
  parameters?: readonly FunctionParameter[];

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    example: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    description:
      'The JSON Schema (2020-12) of the arguments as an object by their names, whose references begin with `#/$defs/`. ' +
      'Absent if the metadata do not name the parameters.',
  })
  schema?: object;
}

/** A chaincode that the configuration names. */
export class ContractName {
  @ApiProperty({ example: 'basic' })
  chaincode!: string;
}

/** The result of `org.hyperledger.fabric:GetMetadata`: contracts by name, with the transactions of each. */
export class ContractMetadata {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { contracts: { AssetTransferContract: { name: 'AssetTransferContract', transactions: [] } } },
    description: "As the chaincode returns it; the form is that of Fabric's contract API.",
  })
  metadata!: object;
}

/** The functions of a chaincode, from its metadata. */
export class ContractDescription {
  @ApiProperty({ example: 'basic' })
  chaincode!: string;

  @ApiProperty({ type: [ContractFunction] })
  functions!: readonly ContractFunction[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: {},
    description: 'The definitions to which the schemas of the functions refer, by their names: their `$defs`.',
  })
  definitions!: object;
}

/** The result of a function, and its transaction if the call was submitted. */
export class FunctionResult extends ContractResult {
  @ApiPropertyOptional({ description: '64 hexadecimal characters. Present if the call was submitted.' })
  transactionId?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 0, example: 7, description: 'Present if the call was submitted.' })
  blockNumber?: number;
}
