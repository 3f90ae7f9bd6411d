import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON } from '../http/any-json.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/error-table.js';

const TYPE = { example: 'login', description: 'The name of the record type.' };
const VERSION = { type: 'integer', minimum: 1, example: 1 } as const;
const NEXT = {
  type: String,
  nullable: true,
  example: null,
  description: 'The token of the next page, for the query parameter after; null on the last page.',
} as const;

/** The definition of a record type, as a client sends it. */
export class RecordTypeDefinition {
  @ApiPropertyOptional({
    enum: ['append', 'mutable'],
    description: 'append refuses updates and deletions of records. It is the default, and never changes.',
  })
  mode?: 'append' | 'mutable';

  @ApiPropertyOptional({
    enum: ['inside', 'outside'],
    description:
      'Where documents are stored: inside the blocks, which is the default, or outside of them, where they can be erased. It never changes.',
  })
  payload?: 'inside' | 'outside';

  @ApiPropertyOptional({
    oneOf: [{ type: 'object', additionalProperties: true }, { enum: [true] }],
    description: 'A JSON Schema (2020-12) for the documents; true, the default, accepts any document.',
    example: { type: 'object', properties: { user: { type: 'string' } }, required: ['user'] },
  })
  schema?: unknown;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 16,
    example: ['user'],
    description: 'The fields by which records can be filtered, with dots between nested names.',
  })
  indexes?: string[];
}

/** A record type. */
export class RecordType {
  @ApiProperty(TYPE)
  name!: string;

  @ApiProperty({ ...VERSION, description: 'Counts the definitions of the type.' })
  version!: number;

  @ApiProperty({ enum: ['append', 'mutable'] })
  mode!: 'append' | 'mutable';

  @ApiProperty({ enum: ['inside', 'outside'] })
  payload!: 'inside' | 'outside';

  @ApiProperty({ oneOf: [{ type: 'object', additionalProperties: true }, { enum: [true] }] })
  schema!: unknown;

  @ApiProperty({ type: [String], example: ['user'] })
  indexes!: string[];
}

/** A page of record types. */
export class RecordTypePage {
  @ApiProperty({ type: [RecordType] })
  types!: RecordType[];

  @ApiProperty(NEXT)
  next!: string | null;
}

/** The document of a record of a type with the payload outside. */
export class DocumentOutside {
  @ApiProperty({
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    description:
      'What the blocks contain in place of the document: hexadecimal SHA-256 of the bytes of the salt, followed by the document in ' +
      'canonical JSON (RFC 8785).',
  })
  digest!: string;

  @ApiProperty({
    enum: ['stored', 'erased', 'absent'],
    description:
      'erased: it was purged, as a transaction records. absent: this ledger has no copy, as after an import of the blocks.',
  })
  state!: 'stored' | 'erased' | 'absent';

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hexadecimal, 32 bytes; null unless the document is stored.',
  })
  salt!: string | null;
}

/** A record. */
export class StoredDocument {
  @ApiProperty({ example: '019b7ca9-8f2e-7d51-9e91-152d41cd6ad7' })
  id!: string;

  @ApiProperty({ ...VERSION, description: 'The version of the type whose schema the document met.' })
  version!: number;

  @ApiProperty({
    ...ANY_JSON,
    description: 'Any JSON; null when a document outside the blocks is not stored.',
    example: { user: 'ana' },
  })
  document!: unknown;

  @ApiPropertyOptional({ type: DocumentOutside, description: 'Present for types with the payload outside.' })
  outside?: DocumentOutside;
}

/** A record with the transaction that wrote it. */
export class WrittenRecord extends StoredDocument {
  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID })
  transactionId!: string;
}

/** A page of records. */
export class RecordPage {
  @ApiProperty({ type: [StoredDocument] })
  records!: StoredDocument[];

  @ApiProperty(NEXT)
  next!: string | null;
}

/** The deletion of a record. */
export class DeletedRecord {
  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID })
  transactionId!: string;
}

/** One change of a record. */
export class RecordChange {
  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID })
  transactionId!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-28T12:00:00.000Z' })
  timestamp!: string;

  @ApiProperty({ description: 'Whether the record was deleted.' })
  deleted!: boolean;

  @ApiProperty({ ...VERSION, nullable: true, description: 'null for a deletion.' })
  version!: number | null;

  @ApiProperty({
    ...ANY_JSON,
    description:
      'The document that was written; null for a deletion, and when a document outside the blocks is not stored.',
    example: { user: 'ana' },
  })
  document!: unknown;

  @ApiPropertyOptional({ type: DocumentOutside, description: 'Present for types with the payload outside.' })
  outside?: DocumentOutside;
}

/** A page of the changes of a record, newest first. */
export class RecordHistoryPage {
  @ApiProperty({ type: [RecordChange] })
  changes!: RecordChange[];

  @ApiProperty(NEXT)
  next!: string | null;
}
