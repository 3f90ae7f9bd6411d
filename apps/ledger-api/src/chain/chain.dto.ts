import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';

/** The schema of a hash. */
export const HASH = {
  pattern: '^[0-9a-f]{64}$',
  example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
};
const TIME = { example: '2026-11-21T12:00:00.000Z' };
/** The text of bytes of a transaction. */
const TEXT = { description: 'UTF-8 unchanged, other bytes as base64; rawTransaction states which.' };
const HEIGHT = { type: 'integer', minimum: 1, example: 8 } as const;

/** The response of the invoked function at endorsement. */
export class TransactionResponse {
  @ApiProperty({ example: '' })
  message!: string;

  @ApiProperty({
    ...TEXT,
    example: '{"ID":"asset7","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
  })
  payload!: string;

  @ApiProperty({ type: 'integer', example: 200 })
  status!: number;
}

/** What lists and one transaction show alike. */
class Transaction {
  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ example: 'User1@org1.example.com', description: "Common name of the submitter's certificate." })
  creatorId!: string;

  @ApiProperty({ example: 'Org1MSP' })
  creatorMspId!: string;

  @ApiProperty({ example: 'basic', description: 'Empty for configuration transactions.' })
  chaincodeId!: string;

  @ApiProperty({ example: 'CreateAsset', description: 'Empty for configuration transactions.' })
  function!: string;

  @ApiProperty({
    example: 'VALID',
    description: "Fabric's name of the validation code; only VALID changed the ledger.",
  })
  validationCode!: string;
}

/** Assets that one transaction created, in the order of its argument. */
export class CreatedAssets {
  @ApiProperty({ type: 'integer', minimum: 1, example: 500 })
  count!: number;

  @ApiProperty({ example: 'car-1' })
  first!: string;

  @ApiProperty({ example: 'car-500' })
  last!: string;
}

/** A transaction in a list, whatever its kind and validation code. */
export class TransactionSummary extends Transaction {
  @ApiProperty({
    example: EXAMPLE_TRANSACTION_ID,
    description: 'Empty if the chain contains bytes that are not a transaction.',
  })
  transactionId!: string;

  @ApiProperty({ ...TIME, description: "ISO 8601 in UTC, from the submitter's clock." })
  timestamp!: string;

  @ApiProperty({ example: 'ENDORSER_TRANSACTION', description: "Fabric's name of its kind; CONFIG has no function." })
  type!: string;

  @ApiProperty({
    example: 'asset7',
    description:
      'The first argument of the function, which is the asset id for most functions of the asset contract. Text, or ' +
      'base64 if it is not UTF-8. Empty if there is none or it is longer than 256 bytes.',
  })
  firstArgument!: string;

  @ApiProperty({
    required: false,
    description:
      'Of a call of CreateAssets: the number of assets that it created, and the ids of the first and the last one.',
  })
  createdAssets?: CreatedAssets;
}

/** One recorded transaction, whatever its kind and validation code. */
export class TransactionDetail extends Transaction {
  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID, description: '64 hexadecimal characters.' })
  transactionId!: string;

  @ApiProperty({ example: HASH.example })
  blockHash!: string;

  @ApiProperty({ example: 'mychannel' })
  channelId!: string;

  @ApiProperty({
    type: [String],
    example: ['peer0.org1.example.com'],
    description: "Common names of the endorsing peers' certificates.",
  })
  endorsers!: readonly string[];

  @ApiProperty({ ...TEXT, type: [String], example: ['asset7', 'blue', '5', 'Tomoko', '300'] })
  arguments!: readonly string[];

  @ApiProperty({ format: 'date-time', ...TIME, description: "The submitter's clock." })
  timestamp!: string;

  @ApiProperty()
  response!: TransactionResponse;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: {
      payload: { header: { channel_header: { type: 3, channel_id: 'mychannel' } } },
      functionEncoding: 'utf8',
      argumentEncodings: ['utf8', 'utf8', 'utf8', 'utf8', 'utf8'],
      payloadEncoding: 'utf8',
      blockSignerMspIds: ['OrdererMSP'],
    },
    description:
      'The whole decoded envelope, with certificates and read and write sets. functionEncoding, argumentEncodings (one per ' +
      'argument) and payloadEncoding are utf8 or base64 and state how function, arguments and response.payload are written. ' +
      'blockSignerMspIds are the organizations that signed its block; there are none for block 0.',
  })
  rawTransaction!: Readonly<Record<string, unknown>>;
}

/** One block of the chain. */
export class Block {
  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  number!: number;

  @ApiProperty({ ...HASH, description: 'SHA-256 of its header. The next block contains it as previousHash.' })
  hash!: string;

  @ApiProperty({ ...HASH, pattern: '^([0-9a-f]{64})?$', description: 'Hash of the previous block; empty in block 0.' })
  previousHash!: string;

  @ApiProperty({ ...HASH, description: 'SHA-256 of its transactions.' })
  dataHash!: string;

  @ApiProperty({
    ...TIME,
    description:
      "ISO 8601 in UTC: the timestamp of its last transaction, from the submitter's clock. Blocks have no timestamp.",
  })
  timestamp!: string;

  @ApiProperty({ type: [TransactionSummary], description: 'In the order of the block.' })
  transactions!: readonly TransactionSummary[];
}

/** The height of a chain. */
export class BlockHeightResponse {
  @ApiProperty({ ...HEIGHT, description: 'Number of blocks, the configuration block included.' })
  height!: number;
}

/** The name, the height and the newest hash of a chain. */
export class ChainInfoResponse {
  @ApiProperty({ ...HASH, description: 'Hash of the newest block.' })
  blockHash!: string;

  @ApiProperty({ example: 'mychannel', description: 'Name of the channel.' })
  chainName!: string;

  @ApiProperty(HEIGHT)
  height!: number;
}
