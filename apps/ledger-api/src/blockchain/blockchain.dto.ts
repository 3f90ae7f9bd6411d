import { ApiProperty } from '@nestjs/swagger';

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
    pattern: '^[0-9a-f]{64}$',
    example: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
    description: 'Hash of the newest block.',
  })
  blockHash!: string;

  @ApiProperty({ example: 'mychannel', description: 'Name of the channel.' })
  chainName!: string;

  @ApiProperty({ type: 'integer', minimum: 1, example: 8 })
  height!: number;
}
