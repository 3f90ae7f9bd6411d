import { ApiProperty } from '@nestjs/swagger';
import { TransactionSummary } from './transaction.dto.js';

const HASH = { pattern: '^[0-9a-f]{64}$' };

/** One block of the chain. */
export class Block {
  @ApiProperty({ type: 'integer', minimum: 0, example: 7 })
  number!: number;

  @ApiProperty({
    ...HASH,
    example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
    description: 'SHA-256 of its header. The next block contains it as previousHash.',
  })
  hash!: string;

  @ApiProperty({
    pattern: '^([0-9a-f]{64})?$',
    example: '0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d7c2e0d5f9a8b4c3d2e1f',
    description: 'Hash of the previous block; empty in block 0.',
  })
  previousHash!: string;

  @ApiProperty({
    ...HASH,
    example: 'e4e5992a22ce96204f819fdadfc11d598afd80d41e8e7a789ebe71d8a534ff06',
    description: 'SHA-256 of its transactions.',
  })
  dataHash!: string;

  @ApiProperty({
    example: '2026-11-21T12:00:00.000Z',
    description:
      "ISO 8601 in UTC: the timestamp of its last transaction, from the submitter's clock. Blocks have no timestamp.",
  })
  timestamp!: string;

  @ApiProperty({ type: [TransactionSummary], description: 'In the order of the block.' })
  transactions!: readonly TransactionSummary[];
}

export class BlockHeightResponse {
  @ApiProperty({
    type: 'integer',
    minimum: 1,
    example: 8,
    description: 'Number of blocks, the configuration block included.',
  })
  height!: number;
}

export class ChainInfoResponse {
  @ApiProperty({
    ...HASH,
    example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
    description: 'Hash of the newest block.',
  })
  blockHash!: string;

  @ApiProperty({ example: 'mychannel', description: 'Name of the channel.' })
  chainName!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 8 })
  height!: number;
}
