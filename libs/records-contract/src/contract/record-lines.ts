import { idFault } from '#contract-kit';
import { parseDocument } from './sealed-document.js';
import { MAX_BATCH_BYTES, MAX_BATCH_RECORDS } from './record-functions.js';
import { isObject } from './strict-json.js';

/** Bytes that the form of a record in a batch, and an id of at most 256 bytes as JSON, add to a line. */
const ADDED_BYTES = 320;
/** Most bytes of the lines with documents that are created together, so that they are one argument of the contract. */
export const MAX_LINES_BYTES = MAX_BATCH_BYTES - MAX_BATCH_RECORDS * ADDED_BYTES;

/** The member of a document that is its id is missing or invalid. */
export class DocumentIdError extends Error {}

/**
 * Parses a document, and returns the member of it that is its id.
 * @param key - the name of the member; undefined for none
 * @throws ContractError for what is no document, {@link DocumentIdError}
 */
export function idInDocument(text: string, key: string | undefined): string | undefined {
  const document = parseDocument(text);
  if (key === undefined) return undefined;
  const id = isObject(document) && Object.hasOwn(document, key) ? document[key] : undefined;
  const fault = typeof id === 'string' ? idFault(id) : 'must be a string';
  if (fault === undefined) return id as string;
  throw new DocumentIdError(`The member ${JSON.stringify(key)} of the document ${fault}: it is the id.`);
}
