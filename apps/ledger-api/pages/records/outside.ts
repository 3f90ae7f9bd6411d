import type { StoredRecord } from '../api/client.ts';

/** The document of a record that is outside the blocks. */
export type Outside = NonNullable<StoredRecord['outside']>;

const MISSING: Readonly<Record<Outside['state'], string | undefined>> = {
  stored: undefined,
  erased: 'erased',
  absent: 'not here',
};

/** Returns why a record has no document, in a word; undefined when it has one. */
export function missingDocument(record: { readonly outside?: Outside | undefined }): string | undefined {
  return record.outside && MISSING[record.outside.state];
}

/** Where the documents of a type are, in words. */
export const PAYLOADS = {
  inside: 'in the blocks, for ever',
  outside: 'outside the blocks, can be erased',
} as const;
