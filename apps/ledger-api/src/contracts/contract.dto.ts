import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { Follows } from '../http/body.pipe.js';

function textFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value.isWellFormed() ? undefined : 'must be Unicode, without half of a surrogate pair';
}

function functionRule(value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  return value === '' ? 'must not be empty' : textFault(value);
}

function argumentsRule(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array of strings';
  const index = value.findIndex((argument) => textFault(argument) !== undefined);
  return index === -1 ? undefined : `[${index}] ${textFault(value[index]) ?? ''}`;
}

/** Which function of a chaincode is called, and with what. */
export class ContractCall {
  @ApiProperty({
    example: 'ReadAsset',
    minLength: 1,
    description: 'Name of the function, with that of its contract before a colon where the chaincode has several.',
  })
  @Follows(functionRule)
  function!: string;

  @ApiPropertyOptional({ type: [String], example: ['asset1'], description: 'Text each; none when left out.' })
  @ValidateIf(({ arguments: args }: ContractCall) => args !== undefined)
  @Follows(argumentsRule)
  arguments?: readonly string[];
}

/** What a function returned. */
export class ContractResult {
  @ApiProperty({
    example: '{"ID":"asset1","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
    description: 'Text when the bytes are UTF-8, else base64; `encoding` says which.',
  })
  payload!: string;

  @ApiProperty({ enum: ['text', 'base64'] })
  encoding!: 'text' | 'base64';
}

/** What a function returned, and where the transaction stands that it was recorded as. */
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

  @ApiPropertyOptional({ example: 'string', description: "The type that its chaincode's schema gives it." })
  type?: string;
}

/** A function of a chaincode. */
export class ContractFunction {
  @ApiProperty({ example: 'ReadAsset' })
  name!: string;

  @ApiProperty({ example: 'AssetTransferContract', description: 'The contract that it belongs to.' })
  contract!: string;

  @ApiPropertyOptional({
    enum: ['evaluate', 'submit'],
    description: 'How it is meant to be called, where that is told.',
  })
  kind?: 'evaluate' | 'submit';

  @ApiPropertyOptional({ type: [FunctionParameter], description: 'Left out where they are not told.' })
  parameters?: readonly FunctionParameter[];
}

/** What a chaincode tells of itself. */
export class ContractDescription {
  @ApiProperty({ example: 'basic' })
  chaincode!: string;

  @ApiProperty({ type: [ContractFunction] })
  functions!: readonly ContractFunction[];
}
