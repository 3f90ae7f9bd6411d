import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import type { DecodedBlock } from '../decode/decode-block.js';
import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedIdentity } from '../decode/decode-envelope.js';
import { decodeReadWriteSets, type NamespaceSets } from '../decode/decode-read-write-sets.js';

/** What became of one key of a chaincode by a transaction. */
export interface KeyChange {
  /** Position of the write in the transaction's write set of the chaincode. */
  readonly position: number;
  readonly key: string;
  /** What stands there now; undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  /**
   * Whether there was something before. A transaction that read the key says so in its read set, at no cost; undefined where
   * it wrote without looking.
   */
  readonly wasThere: boolean | undefined;
}

/** What a transaction changed that counts. */
export interface TransactionChanges {
  /** Position of the transaction in its block. */
  readonly position: number;
  readonly transactionId: string;
  /** ISO 8601 in UTC, as the submitter claims it. */
  readonly timestamp: string;
  readonly creator: DecodedIdentity;
  /** The function that was called; empty when it was one of another chaincode, which called this one. */
  readonly function: string;
  /** In the order of the write set; never empty. */
  readonly changes: readonly KeyChange[];
}

const VALID = 0;
/** What Fabric's composite keys begin with: indexes that a chaincode keeps, which its ranges of plain keys leave out. */
const COMPOSITE = '\u0000';
const text = new TextDecoder();

/**
 * What each transaction of a block changed in the state of a chaincode: those that are VALID, whoever submitted them and
 * whichever chaincode they called. Undefined for one that changed nothing there. It gives one at a time, since taking
 * apart a whole block takes long enough for others to notice.
 * @throws `LEDGER.DAMAGED` when a VALID transaction cannot be decoded
 */
export function* keyChanges(
  block: DecodedBlock,
  chaincode: string,
): Generator<TransactionChanges | undefined, void, undefined> {
  /** Which of the keys that were written in this block are there now. */
  const present = new Map<string, boolean>();
  for (const [position, bytes] of block.envelopes.entries()) {
    yield block.validationCodes[position] === VALID ? changesOf(bytes, position, chaincode, present) : undefined;
  }
}

function changesOf(
  bytes: Uint8Array,
  position: number,
  chaincode: string,
  present: Map<string, boolean>,
): TransactionChanges | undefined {
  const { type, data, transactionId, timestamp, creator } = decodeEnvelope(bytes);
  if (type !== common.HeaderType.ENDORSER_TRANSACTION) return undefined;
  // Fabric takes transactions of one action only.
  const [action] = decodeActions(data);
  const sets = action && setsOf(action, chaincode);
  if (action === undefined || sets === undefined) return undefined;
  const changes = keysOf(sets, present);
  if (changes.length === 0) return undefined;
  return { position, transactionId, timestamp, creator, function: functionOf(action, chaincode), changes };
}

function setsOf({ result }: DecodedAction, chaincode: string): NamespaceSets | undefined {
  return decodeReadWriteSets(result.getResults_asU8()).find(({ namespace }) => namespace === chaincode);
}

function keysOf({ reads, writes }: NamespaceSets, present: Map<string, boolean>): readonly KeyChange[] {
  const changes: KeyChange[] = [];
  for (const [position, { key, value }] of writes.entries()) {
    if (key.startsWith(COMPOSITE)) continue;
    const read = reads.find((candidate) => candidate.key === key);
    // Had the key been written in this block before it was read, the transaction would not be VALID.
    const wasThere = read === undefined ? present.get(key) : read.version !== undefined;
    changes.push({ position, key, value, wasThere });
    present.set(key, value !== undefined);
  }
  return changes;
}

function functionOf({ invocation }: DecodedAction, chaincode: string): string {
  const spec = invocation.getChaincodeSpec();
  if (spec?.getChaincodeId()?.getName() !== chaincode) return '';
  return text.decode(spec.getInput()?.getArgsList_asU8()[0]);
}
