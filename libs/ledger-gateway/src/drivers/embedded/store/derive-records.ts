import { DamagedError } from '../../../errors/ledger.errors.js';
import { decodeActions } from '../../../fabric-blocks/decode/decode-actions.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope, type DecodedEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import { decodeReadWriteSets } from '../../../fabric-blocks/decode/decode-read-write-sets.js';
import type { KeyWrite } from '../../../fabric-blocks/encode/read-write-set.js';
import type { DerivedRecords, StateWrite } from './derived-writer.js';

/** `common.HeaderType.ENDORSER_TRANSACTION`. */
const ENDORSER_TRANSACTION = 3;
/** `TxValidationCode.VALID`. */
const VALID = 0;

/** What numbers the entries of histories. */
export interface EntryNumbers {
  /** Number of the newest history entry of a key before this block; 0 when it was never written. */
  readonly previous: (key: string) => number;
  readonly next: () => number;
}

/**
 * What follows from a block of the ledger's one chaincode.
 * @throws {@link DamagedError} when it writes in another namespace
 */
export function deriveRecords(block: DecodedBlock, chaincode: string, entries: EntryNumbers): DerivedRecords {
  const { number } = block.header;
  const envelopes = block.envelopes.map(decodeEnvelope);
  const newest = new Map<string, number>();
  const writes: StateWrite[] = [];
  envelopes.forEach((envelope, position) => {
    if (block.validationCodes[position] !== VALID) return;
    for (const { key, value = null } of writesOf(envelope, chaincode)) {
      const entry = entries.next();
      writes.push({ position, key, value, previous: newest.get(key) ?? entries.previous(key), entry });
      newest.set(key, entry);
    }
  });
  return { number, transactionIds: envelopes.map((it) => Buffer.from(it.transactionId, 'hex')), writes };
}

function writesOf(envelope: DecodedEnvelope, chaincode: string): readonly KeyWrite[] {
  if (envelope.type !== ENDORSER_TRANSACTION) return [];
  const sets = decodeActions(envelope.data).flatMap(({ result }) => decodeReadWriteSets(result.getResults_asU8()));
  const foreign = sets.find(({ namespace, writes }) => namespace !== chaincode && writes.length > 0);
  if (foreign !== undefined) {
    throw new DamagedError(
      `Transaction ${envelope.transactionId} writes in the namespace "${foreign.namespace}"; this ledger's is "${chaincode}".`,
    );
  }
  return sets.flatMap(({ writes }) => writes);
}
