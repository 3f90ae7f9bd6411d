import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { MAX_ID_BYTES, MAX_VALUE_BYTES } from '#contract-kit';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';
import { assetIdRule, fieldRule, Follows, MayFollow } from '../http/body.pipe.js';

const field = { minLength: 1, maxLength: MAX_VALUE_BYTES };

/** An asset in an answer. Every field is a string, also those that look like numbers. */
export class Asset {
  @ApiProperty({ example: 'asset1', description: 'Identifier of the asset.' })
  ID!: string;

  @ApiProperty({ example: '300' })
  appraisedValue!: string;

  @ApiProperty({ example: 'blue' })
  color!: string;

  @ApiProperty({ example: 'Tomoko' })
  owner!: string;

  @ApiProperty({ example: '5' })
  size!: string;
}

/** Body of a create and of an update. */
export class CreateAssetRequest {
  @ApiPropertyOptional({
    example: 'asset7',
    minLength: 1,
    maxLength: MAX_ID_BYTES,
    description:
      `Any text without control characters, at most ${MAX_ID_BYTES} bytes of UTF-8, not "." or "..". ` +
      'A create without an id generates a UUID; in an update it must equal the id in the path.',
  })
  @MayFollow(assetIdRule)
  id?: string;

  @ApiProperty({ ...field, example: '300', description: `At most ${MAX_VALUE_BYTES} bytes of UTF-8, as every field.` })
  @Follows(fieldRule)
  appraisedValue!: string;

  @ApiProperty({ ...field, example: 'blue' })
  @Follows(fieldRule)
  color!: string;

  @ApiProperty({ ...field, example: 'Tomoko' })
  @Follows(fieldRule)
  owner!: string;

  @ApiProperty({ ...field, example: '5' })
  @Follows(fieldRule)
  size!: string;
}

/** Body of a transfer. */
export class TransferAssetRequest {
  @ApiProperty({ ...field, example: 'Brad' })
  @Follows(fieldRule)
  newOwner!: string;
}

/** A transaction that wrote an asset. */
export class AssetWrite {
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
}

/** An asset after one of its transactions. */
export class AssetVersion extends AssetWrite {
  @ApiProperty({ example: false, description: 'The transaction deleted the asset.' })
  deleted!: boolean;

  @ApiProperty({
    type: Asset,
    nullable: true,
    description: 'Null if it was deleted, or if the written value is not an asset.',
  })
  asset!: Asset | null;
}

/** The answer to a create or a transfer: the asset and its transaction. */
export class AssetTransaction {
  @ApiProperty()
  asset!: Asset;

  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID, description: '64 hexadecimal characters.' })
  transactionId!: string;
}
