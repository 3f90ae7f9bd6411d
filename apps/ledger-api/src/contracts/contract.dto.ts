import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { Follows } from '../http/body.pipe.js';

function textFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return value === undefined ? 'is missing' : 'must be a string';
  return value.isWellFormed() ? undefined : 'must not contain a lone surrogate';
}

function functionRule(value: unknown): string | undefined {
  return value === '' ? 'must not be empty' : textFault(value);
}

function argumentsRule(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array of strings';
  const faults = value.map(textFault);
  const index = faults.findIndex((fault) => fault !== undefined);
  return index === -1 ? undefined : `[${index}] ${faults[index] ?? ''}`;
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

  @ApiPropertyOptional({ type: [String], example: ['asset1'], description: 'Strings; none if omitted.' })
  @ValidateIf(({ arguments: args }: ContractCall) => args !== undefined)
  @Follows(argumentsRule)
  arguments?: readonly string[];
}

/** The result of a function. */
export class ContractResult {
  @ApiProperty({
    example: '{"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
    description: 'Text if the bytes are UTF-8, otherwise base64; see `encoding`.',
  })
  payload!: string;

  @ApiProperty({ enum: ['text', 'base64'] })
  encoding!: 'text' | 'base64';
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

  @ApiPropertyOptional({ example: 'string', description: "The type in the chaincode's schema." })
  type?: string;
}

/** A function of a chaincode. */
export class ContractFunction {
  @ApiProperty({ example: 'ReadAsset' })
  name!: string;

  @ApiProperty({ example: 'AssetTransferContract', description: 'The contract of the function.' })
  contract!: string;

  @ApiPropertyOptional({
    enum: ['evaluate', 'submit'],
    description: 'The intended way to call it, if the metadata specifies it.',
  })
  kind?: 'evaluate' | 'submit';

  @ApiPropertyOptional({ type: [FunctionParameter], description: 'Absent if the metadata does not specify them.' })
  parameters?: readonly FunctionParameter[];
}

/** The published metadata of a chaincode. */
export class ContractDescription {
  @ApiProperty({ example: 'basic' })
  chaincode!: string;

  @ApiProperty({ type: [ContractFunction] })
  functions!: readonly ContractFunction[];
}
