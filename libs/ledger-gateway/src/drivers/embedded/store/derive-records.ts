import { LedgerError } from '../../../errors/ledger.errors.js';
import { decodeActions, decodeEnvelope, type DecodedEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeReadWriteSets, type NamespaceSets } from '../../../fabric-blocks/decode/decode-read-write-sets.js';
import type { KeyWrite } from '../../../fabric-blocks/encode/read-write-set.js';

/** `common.HeaderType.ENDORSER_TRANSACTION`. */
const ENDORSER_TRANSACTION = 3;
/** `TxValidationCode.VALID`. */
const VALID = 0;

/** What follows from a block: its part of the state, of the index of transactions and of the histories. */
export interface DerivedRecords {
  readonly number: number;
  /** Id of the transaction at each position. */
  readonly transactionIds: readonly Uint8Array[];
  /** Writes of the VALID transactions, in order. */
  readonly writes: readonly StateWrite[];
}

/** One write of one key. */
export interface StateWrite {
  readonly position: number;
  readonly key: string;
  /** Null deletes the key. */
  readonly value: Uint8Array | null;
  /** Number of the history entry of the write before this one, 0 when the key is new. */
  readonly previous: number;
  /** Number of this write's history entry. */
  readonly entry: number;
}

/** What numbers the entries of histories. */
export interface EntryNumbers {
  /** Number of the newest history entry of a key before this block; 0 when it was never written. */
  readonly previous: (key: string) => number;
  readonly next: () => number;
}

/** A transaction as far as records follow from it. */
export interface RecordedWrites {
  readonly transactionId: string;
  /** What it wrote; nothing unless it is VALID. */
  readonly namespaces: readonly NamespaceSets[];
}

/**
 * What follows from a block of the ledger's one chaincode.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded, or writes in another namespace
 */
export function deriveRecords(block: DecodedBlock, chaincode: string, entries: EntryNumbers): DerivedRecords {
  const transactions = block.envelopes.map((bytes, position): RecordedWrites => {
    const envelope = decodeEnvelope(bytes);
    const isValidCall = block.validationCodes[position] === VALID && envelope.type === ENDORSER_TRANSACTION;
    return { transactionId: envelope.transactionId, namespaces: isValidCall ? namespacesOf(envelope) : [] };
  });
  return {
    number: block.header.number,
    transactionIds: transactions.map((it) => Buffer.from(it.transactionId, 'hex')),
    writes: deriveWrites(transactions, chaincode, entries),
  };
}

/**
 * The writes of a block's transactions to state and histories.
 * @throws `LEDGER.DAMAGED` when one writes in another namespace
 */
export function deriveWrites(
  transactions: readonly RecordedWrites[],
  chaincode: string,
  entries: EntryNumbers,
): StateWrite[] {
  const newest = new Map<string, number>();
  const writes: StateWrite[] = [];
  transactions.forEach((transaction, position) => {
    for (const { key, value = null } of writesOf(transaction, chaincode)) {
      const entry = entries.next();
      writes.push({ position, key, value, previous: newest.get(key) ?? entries.previous(key), entry });
      newest.set(key, entry);
    }
  });
  return writes;
}

function namespacesOf({ data }: DecodedEnvelope): readonly NamespaceSets[] {
  return decodeActions(data).flatMap(({ result }) => decodeReadWriteSets(result.results));
}

function writesOf({ transactionId, namespaces: sets }: RecordedWrites, chaincode: string): readonly KeyWrite[] {
  const foreign = sets.find(({ namespace, writes }) => namespace !== chaincode && writes.length > 0);
  if (foreign !== undefined) {
    throw new LedgerError(
      'LEDGER.DAMAGED',
      `Transaction ${transactionId} writes in the namespace "${foreign.namespace}"; this ledger's is "${chaincode}".`,
    );
  }
  return sets.flatMap(({ writes }) => writes);
}
