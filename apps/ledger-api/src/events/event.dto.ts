import { ApiProperty } from '@nestjs/swagger';
import { Asset } from '../assets/asset.dto.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/errors.js';

const TYPES = ['asset.created', 'asset.updated', 'asset.transferred', 'asset.deleted'] as const;

/** The change of one asset by one transaction: the data of an `asset.…` event. */
export class AssetEvent {
  @ApiProperty({ enum: TYPES })
  type!: (typeof TYPES)[number];

  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID })
  transactionId!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T12:00:00.000Z', description: "The submitter's clock." })
  timestamp!: string;

  @ApiProperty({ example: 'User1@org1.example.com', description: "Common name of the submitter's certificate." })
  creatorId!: string;

  @ApiProperty({ example: 'Org1MSP' })
  creatorMspId!: string;

  @ApiProperty({ example: 'asset7' })
  assetId!: string;

  @ApiProperty({
    required: false,
    nullable: true,
    description: 'The asset after the transaction. Absent if it was deleted, null if the stored value is not an asset.',
  })
  asset?: Asset;
}

/** The data of the `block` event, which follows the asset events of each block. */
export class BlockEvent {
  @ApiProperty({ enum: ['block'] })
  type!: 'block';

  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  blockNumber!: number;

  @ApiProperty({ example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d' })
  blockHash!: string;

  @ApiProperty({ example: '0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d7c2e' })
  previousBlockHash!: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-11-21T12:00:00.000Z',
    description: 'The timestamp of its last transaction, from the clock of its submitter: blocks have no timestamp.',
  })
  timestamp!: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 3, description: 'The number of transactions, VALID or not.' })
  transactions!: number;
}
