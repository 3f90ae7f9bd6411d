import { ApiProperty } from '@nestjs/swagger';

const EXAMPLE_ID = '4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7';

/** The response of the invoked function at endorsement. */
export class TransactionResponse {
  @ApiProperty({ example: '' })
  message!: string;

  @ApiProperty({
    example: '{"ID":"asset7","appraisedValue":"300","color":"blue","owner":"Tomoko","size":"5"}',
    description: 'UTF-8 unchanged, other bytes as base64; rawTransaction states which.',
  })
  payload!: string;

  @ApiProperty({ type: 'integer', example: 200 })
  status!: number;
}

/** A transaction in a list, whatever its kind and validation code. */
export class TransactionSummary {
  @ApiProperty({ example: EXAMPLE_ID, description: 'Empty if the chain contains bytes that are not a transaction.' })
  transactionId!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ example: '2026-11-21T12:00:00.000Z', description: "ISO 8601 in UTC, from the submitter's clock." })
  timestamp!: string;

  @ApiProperty({ example: 'ENDORSER_TRANSACTION', description: "Fabric's name of its kind; CONFIG has no function." })
  type!: string;

  @ApiProperty({ example: 'User1@org1.example.com', description: "Common name of the submitter's certificate." })
  creatorId!: string;

  @ApiProperty({ example: 'Org1MSP' })
  creatorMspId!: string;

  @ApiProperty({ example: 'basic', description: 'Empty for configuration transactions.' })
  chaincodeId!: string;

  @ApiProperty({ example: 'CreateAsset', description: 'Empty for configuration transactions.' })
  function!: string;

  @ApiProperty({
    example: 'asset7',
    description:
      'The first argument of the function, which is the asset id for most functions of the asset contract. Text, or ' +
      'base64 if it is not UTF-8. Empty if there is none or it is longer than 256 bytes.',
  })
  firstArgument!: string;

  @ApiProperty({
    example: 'VALID',
    description: "Fabric's name of the validation code; only VALID changed the ledger.",
  })
  validationCode!: string;
}

/** One recorded transaction, whatever its kind and validation code. */
export class TransactionDetail {
  @ApiProperty({ example: EXAMPLE_ID, description: '64 hexadecimal characters.' })
  transactionId!: string;

  @ApiProperty({ example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d' })
  blockHash!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ example: 'basic', description: 'Empty for configuration transactions.' })
  chaincodeId!: string;

  @ApiProperty({ example: 'mychannel' })
  channelId!: string;

  @ApiProperty({ example: 'User1@org1.example.com', description: "Common name of the submitter's certificate." })
  creatorId!: string;

  @ApiProperty({ example: 'Org1MSP' })
  creatorMspId!: string;

  @ApiProperty({
    type: [String],
    example: ['peer0.org1.example.com'],
    description: "Common names of the endorsing peers' certificates.",
  })
  endorsers!: readonly string[];

  @ApiProperty({ example: 'CreateAsset', description: 'Empty for configuration transactions.' })
  function!: string;

  @ApiProperty({
    type: [String],
    example: ['asset7', 'blue', '5', 'Tomoko', '300'],
    description: 'UTF-8 unchanged, other bytes as base64; rawTransaction states which.',
  })
  arguments!: readonly string[];

  @ApiProperty({ format: 'date-time', example: '2026-11-21T12:00:00.000Z', description: "The submitter's clock." })
  timestamp!: string;

  @ApiProperty({
    example: 'VALID',
    description: "Fabric's name of the validation code; only VALID changed the ledger.",
  })
  validationCode!: string;

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
    },
    description:
      'The whole decoded envelope, with certificates and read and write sets. functionEncoding, argumentEncodings (one per ' +
      'argument) and payloadEncoding are utf8 or base64 and state how function, arguments and response.payload are written.',
  })
  rawTransaction!: Readonly<Record<string, unknown>>;
}
