import { Buffer } from 'node:buffer';
import { decodeActions, decodeEnvelope, decodeReadWriteSets, quotedShort } from '#fabric-codec';
import { HeaderType } from '#fabric-codec/messages';
import {
  type ContractError,
  parseDocument,
  readSealed,
  RECORDS_NAME,
  SALT_BYTES,
  sealDocument,
  splitRecordKey,
} from '#records-contract/sealed';
import { ensure, ReceiptFault } from './receipt.js';

/** A document of a record whose type has its documents outside the blocks, and its salt. */
export interface GivenDocument {
  /** JSON; its form and the order of its members do not matter. */
  readonly text: string;
  /** Hexadecimal. */
  readonly salt: string;
}

/** A record whose document is outside the blocks, as a transaction wrote it. */
interface OutsideRecord {
  readonly type: string;
  readonly id: string;
  /** Hexadecimal SHA-256 of the salt and the document. */
  readonly digest: string;
}

/** Returns the records with documents outside the blocks that a transaction wrote. @param envelope - of a VALID transaction */
export function outsideRecords(envelope: Uint8Array): readonly OutsideRecord[] {
  const { type: header, data } = decodeEnvelope(envelope);
  const [action] = header === HeaderType.ENDORSER_TRANSACTION ? decodeActions(data) : [];
  if (action === undefined) return [];
  const sets = decodeReadWriteSets(action.results).filter(({ namespace }) => namespace === RECORDS_NAME);
  return sets
    .flatMap(({ writes }) => writes)
    .flatMap(({ key, value }) => {
      const record = splitRecordKey(key);
      const digest = value && readSealed(value)?.h;
      return record === undefined || digest === undefined ? [] : { ...record, digest };
    });
}

/**
 * Compares a document with the digests that a transaction wrote.
 * @returns the result in words
 * @throws `ReceiptFault` when none is that of the document
 */
export function checkDocument({ text, salt }: GivenDocument, records: readonly OutsideRecord[]): string {
  const check = 'DOCUMENT';
  const isSalt = salt.length === 2 * SALT_BYTES && /^[0-9a-f]*$/i.test(salt);
  ensure(check, isSalt, `the salt must be ${2 * SALT_BYTES} hexadecimal digits`);
  ensure(check, records.length > 0, 'the transaction wrote no record whose document is outside the blocks');
  const digest = digestOf(text, salt);
  const record = records.find((each) => each.digest === digest);
  ensure(
    check,
    record !== undefined,
    `salt and document have the digest ${digest}, which the transaction did not write`,
  );
  const name = `${quotedShort(record.id)} of ${quotedShort(record.type)}`;
  return `the document of the record ${name}: salt and document have the digest ${digest}`;
}

function digestOf(text: string, salt: string): string {
  try {
    return sealDocument(parseDocument(text), Buffer.from(salt, 'hex')).digest;
  } catch (error) {
    throw new ReceiptFault('DOCUMENT', (error as ContractError).reason);
  }
}
