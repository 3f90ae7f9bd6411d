import { ApiProperty } from '@nestjs/swagger';

/** The result of an initialization; a second one creates nothing. */
export class LedgerInitResult {
  @ApiProperty({ type: 'integer', minimum: 0, example: 6, description: 'The number of assets created.' })
  created!: number;

  @ApiProperty({
    type: [String],
    example: ['4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7'],
    description: 'The transactions that created them.',
  })
  transactionIds!: string[];
}
