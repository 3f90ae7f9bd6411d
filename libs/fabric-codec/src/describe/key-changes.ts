import type { DecodedBlock } from '../decode/decode-block.js';
import {
  decodeActions,
  decodeEvent,
  type DecodedEvent,
  type DecodedIdentity,
  decodeEnvelope,
  decodeReadWriteSets,
  type NamespaceSets,
} from '../decode/decode-envelope.js';
import { HeaderType, TxValidationCode } from '../messages/enums.js';

/** A change of one key of a chaincode by a transaction. */
export interface KeyChange {
  /** Position of the write in the transaction's write set of the chaincode. */
  readonly position: number;
  readonly key: string;
  /** The new value; undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  /**
   * Whether the key existed before. The read set of a transaction that read the key contains that; undefined where it wrote
   * without reading.
   */
  readonly existed: boolean | undefined;
}

/** The changes of a VALID transaction, and its event. */
export interface TransactionChanges {
  /** Position of the transaction in its block. */
  readonly position: number;
  readonly transactionId: string;
  /** ISO 8601 in UTC, by the submitter's clock. */
  readonly timestamp: string;
  readonly creator: DecodedIdentity;
  /** The function that was called; empty when another chaincode was called, which called this one. */
  readonly function: string;
  /** In the order of the write set. */
  readonly changes: readonly KeyChange[];
  /** The event that a chaincode set, whichever it was; undefined without one. Never so when there are no changes. */
  readonly event: DecodedEvent | undefined;
}

/** The prefix of Fabric's composite keys: indexes of a chaincode, which its ranges of plain keys omit. */
const COMPOSITE = '\u0000';
const text = new TextDecoder();

/**
 * Yields for each transaction of a block its changes to the state of a chaincode, whichever chaincode was called; undefined
 * for a transaction that is not VALID, or changed nothing there and set no event. It is a generator because decoding a whole block takes long
 * enough to delay other work.
 * @throws `LEDGER.DAMAGED` when a VALID transaction cannot be decoded
 */
export function* keyChanges(
  block: DecodedBlock,
  chaincode: string,
): Generator<TransactionChanges | undefined, void, undefined> {
  /** Whether the keys that this block has written so far exist. */
  const present = new Map<string, boolean>();
  for (const [position, bytes] of block.envelopes.entries()) {
    const isValid = block.validationCodes[position] === TxValidationCode.VALID;
    yield isValid ? changesOf(bytes, position, chaincode, present) : undefined;
  }
}

function changesOf(
  bytes: Uint8Array,
  position: number,
  chaincode: string,
  present: Map<string, boolean>,
): TransactionChanges | undefined {
  const { type, data, transactionId, timestamp, creator } = decodeEnvelope(bytes);
  const [action] = type === HeaderType.ENDORSER_TRANSACTION ? decodeActions(data) : [];
  if (action === undefined) return undefined;
  const sets = decodeReadWriteSets(action.results).find(({ namespace }) => namespace === chaincode);
  const changes = sets === undefined ? [] : keysOf(sets, present);
  const event = decodeEvent(action.events);
  if (changes.length === 0 && event === undefined) return undefined;
  const name = action.called === chaincode ? text.decode(action.arguments[0]) : '';
  return { position, transactionId, timestamp, creator, function: name, changes, event };
}

function keysOf({ reads, writes }: NamespaceSets, present: Map<string, boolean>): readonly KeyChange[] {
  const changes: KeyChange[] = [];
  const readOf = new Map(reads.map((read) => [read.key, read]));
  for (const [position, { key, value }] of writes.entries()) {
    if (key.startsWith(COMPOSITE)) continue;
    const read = readOf.get(key);
    // If the key had been written in this block before it was read, the transaction would not be VALID.
    const existed = read === undefined ? present.get(key) : read.version !== undefined;
    changes.push({ position, key, value, existed });
    present.set(key, value !== undefined);
  }
  return changes;
}
