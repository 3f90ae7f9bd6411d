import { decodeEnvelope, hex, quotedShort } from '#fabric-codec';
import { blockHash, parseTreeEntry, transactionLeaf, type TreeEntry } from '#fabric-codec/encode';
import { attempt } from '#fabric-codec/messages';
import {
  type Checkpoint,
  type CheckpointSigners,
  checkSigners,
  isIncluded,
  isSameHash,
  leafHash,
  parseTlogProof,
  type Policy,
  rootFromPath,
  type TlogProof,
  type VerifySignature,
} from '#tlog/verify';
import { ensure, ReceiptFault, type WitnessedReceipt } from './receipt.js';

/** The logs and witnesses that a caller trusts. */
export interface TrustedLogs {
  readonly policy: Policy;
  /** Verifies Ed25519 (RFC 8032). */
  readonly verify: VerifySignature;
}

/** The parts of a receipt that a checkpoint covers. */
export interface LoggedTransaction {
  readonly entry: TreeEntry;
  readonly checkpoint: Checkpoint;
}

/** The confirmations of a checkpoint. */
export interface Confirmation {
  readonly isWitnessed: boolean;
  /** Who confirmed it and when, in words. */
  readonly what: string;
}

/**
 * Checks that a checkpoint covers the transaction, its place and its validation code.
 * @param code - the `TxValidationCode` that the receipt names
 * @throws {@link ReceiptFault} INCLUSION
 */
export function checkInclusion(receipt: WitnessedReceipt, code: number): LoggedTransaction {
  const check = 'INCLUSION';
  const { blockNumber, blockHash: expectedHash, position, path } = receipt;
  const entry = parseTreeEntry(receipt.entry);
  ensure(check, entry !== undefined, 'the entry of the block is not in its canonical form');
  const { number } = entry.header;
  ensure(check, number === blockNumber, `the entry is that of block ${number}, not ${blockNumber}`);
  const found = hex(blockHash(entry.header));
  ensure(check, found === expectedHash, `the block has the hash ${found}, not ${expectedHash}`);
  const leaf = leafHash(transactionLeaf(code, receipt.envelope));
  const root = rootFromPath(leaf, position, entry.transactions, path);
  const isInBlock = root !== undefined && isSameHash(root, entry.root);
  ensure(check, isInBlock, 'the block contains no such transaction with that validation code at that position');
  const { index, path: way, checkpoint, extra } = proofOf(receipt);
  ensure(check, extra === undefined, 'the proof contains data that no signature covers');
  ensure(check, index === number, `the proof is about the entry ${index} of the log, not ${number}`);
  const isInLog = isIncluded(leafHash(receipt.entry), index, checkpoint, way);
  ensure(check, isInLog, 'the log of the checkpoint does not contain the entry of the block');
  checkEnvelope(receipt);
  return { entry, checkpoint };
}

/**
 * Checks the signatures of a checkpoint.
 * @throws {@link ReceiptFault} when it is not signed by a log of the policy, or a known key did not make its signature
 */
export async function checkCheckpoint(checkpoint: Checkpoint, { policy, verify }: TrustedLogs): Promise<Confirmation> {
  const { isSigned, witnesses, isWitnessed } = await signersOf(checkpoint, { policy, verify });
  const origin = quotedShort(checkpoint.origin);
  ensure('CHECKPOINT', isSigned, `no log of the policy signed the checkpoint of ${origin}`);
  const names = [...witnesses].map(([name, seconds]) => `${quotedShort(name)} at ${timeText(seconds)}`);
  const by = names.length === 0 ? 'by no witness of the policy' : `by ${names.join(', ')}`;
  return { isWitnessed, what: `confirmed ${by}` };
}

async function signersOf(checkpoint: Checkpoint, { policy, verify }: TrustedLogs): Promise<CheckpointSigners> {
  try {
    return await checkSigners(checkpoint, policy, verify);
  } catch (error) {
    throw new ReceiptFault('CHECKPOINT', (error as Error).message);
  }
}

function proofOf({ proof }: WitnessedReceipt): TlogProof {
  try {
    return parseTlogProof(proof);
  } catch (error) {
    throw new ReceiptFault('INCLUSION', (error as Error).message);
  }
}

function checkEnvelope({ envelope: bytes, channel, transactionId }: WitnessedReceipt): void {
  const check = 'INCLUSION';
  const envelope = attempt(() => decodeEnvelope(bytes));
  ensure(check, envelope !== undefined, 'the transaction cannot be decoded');
  const [recorded, named] = [envelope.channelId, channel].map(quotedShort);
  ensure(check, envelope.channelId === channel, `the transaction is for the channel ${recorded}, not ${named}`);
  ensure(check, envelope.transactionId === transactionId, 'the transaction has another id');
}

/** The last second that ECMAScript can show. */
const LAST_SECOND = 8_640_000_000_000;

function timeText(seconds: number): string {
  return seconds <= LAST_SECOND ? new Date(seconds * 1000).toISOString() : `second ${seconds}`;
}
