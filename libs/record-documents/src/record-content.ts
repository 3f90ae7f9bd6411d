import type { RecordFilter } from '#ledger-gateway';
import { indexedFields, type Json, type OutsideDocument } from '#records-contract';

/** The stored form of a record, as the contract returns it. */
export type StoredForm =
  | { readonly v: number; readonly d: unknown }
  /** `h` is the digest of a document outside the blocks. */
  | { readonly v: number; readonly h: string };

/** What a record contains. */
export interface RecordContent {
  /** The version of the type whose schema the document met. */
  readonly version: number;
  /** Null for a document outside the blocks that is not stored here. */
  readonly document: unknown;
  /** Set for a document outside the blocks. */
  readonly outside?: {
    /** Hexadecimal SHA-256 of the salt and the document in canonical JSON, which the blocks contain. */
    readonly digest: string;
    readonly state: OutsideDocument['state'];
    /** Hexadecimal; null when the document is not stored here. */
    readonly salt: string | null;
  };
}

/** Returns whether the document of a record is outside the blocks. */
export function isStoredOutside(stored: StoredForm): stored is StoredForm & { readonly h: string } {
  return 'h' in stored;
}

/** Returns the content of a record. @param outside - documents outside the blocks by their digests; others are absent */
export function contentOf(stored: StoredForm, outside: ReadonlyMap<string, OutsideDocument>): RecordContent {
  const { v: version } = stored;
  if (!isStoredOutside(stored)) return { version, document: stored.d };
  const found = outside.get(stored.h) ?? { state: 'absent' };
  const [document, salt] = found.state === 'stored' ? [found.document, found.salt] : [null, null];
  return { version, document, outside: { digest: stored.h, state: found.state, salt } };
}

/** Returns whether a document meets conditions as the index of fields would. */
export function meetsConditions(document: unknown, where: RecordFilter['where']): boolean {
  const fields = where.map(({ field }) => field);
  const found = indexedFields(fields, document as Json);
  return where.every((wanted) => found.some(({ field, value }) => field === wanted.field && value === wanted.value));
}
