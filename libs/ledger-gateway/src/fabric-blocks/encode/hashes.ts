import { Buffer } from 'node:buffer';
import { hash, createHash } from 'node:crypto';
import { join, booleanField, bytesField, messageField, stringField, varint } from './proto-fields.js';

/**
 * SHA-256, the one hash that Fabric uses. By way of a text of its bytes, it costs half: the result then lies in Node's pool,
 * and not in memory of its own that the garbage collector has to know of.
 */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** A transaction's id: SHA-256 of the nonce and the serialized creator, as 64 hexadecimal characters. */
export function transactionIdOf(nonce: Uint8Array, creator: Uint8Array): string {
  return hash('sha256', join([nonce, creator]), 'hex');
}

/** The parts of a proposal that its hash covers. */
export interface ProposalParts {
  readonly channelHeader: Uint8Array;
  readonly signatureHeader: Uint8Array;
  /** Message `protos.ChaincodeProposalPayload`, without a transient map. */
  readonly chaincodePayload: Uint8Array;
}

/** The hash that ties an endorsement to its proposal (protoutil.GetProposalHash1). */
export function proposalHashOf({ channelHeader, signatureHeader, chaincodePayload }: ProposalParts): Buffer {
  return sha256(join([channelHeader, signatureHeader, chaincodePayload]));
}

/** What the hash of a block covers. */
export interface BlockHeader {
  readonly number: number;
  /** 32 bytes; empty for block 0. */
  readonly previousHash: Uint8Array;
  /** 32 bytes, {@link blockDataHash}. */
  readonly dataHash: Uint8Array;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OCTET_STRING = 0x04;

/**
 * The header as DER, `SEQUENCE { INTEGER number, OCTET STRING previousHash, OCTET STRING dataHash }`: what Fabric
 * hashes and what the orderer signs (protoutil.BlockHeaderBytes).
 */
export function blockHeaderBytes(header: BlockHeader): Buffer {
  const content = Buffer.concat([
    der(INTEGER, unsignedInteger(header.number)),
    der(OCTET_STRING, header.previousHash),
    der(OCTET_STRING, header.dataHash),
  ]);
  return der(SEQUENCE, content);
}

/** A block's hash: SHA-256 of its header as DER. */
export function blockHash(header: BlockHeader): Buffer {
  return sha256(blockHeaderBytes(header));
}

/** What a header says of the block's data: SHA-256 of the joined envelopes. */
export function blockDataHash(envelopes: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const envelope of envelopes) hash.update(envelope);
  return hash.digest();
}

function der(tag: number, content: Uint8Array): Buffer {
  // Three hashes at most: a length is always the short form or one byte behind 0x81.
  const head = content.length < 0x80 ? [tag, content.length] : [tag, 0x81, content.length];
  return Buffer.concat([Buffer.from(head), content]);
}

/** Big-endian, as few bytes as the sign bit allows. */
function unsignedInteger(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  if (bytes[0] === undefined || bytes[0] >= 0x80) bytes.unshift(0);
  return Buffer.from(bytes);
}

/** Where a value was written: which block, and which transaction in it (from 0). */
export interface Version {
  readonly blockNumber: number;
  readonly transactionNumber: number;
}

/** One key that a block changed: the last valid write of it. */
export interface StateUpdate {
  readonly namespace: string;
  /** The private collection whose hashed write it is; empty for the public state. */
  readonly collection: string;
  readonly key: Uint8Array;
  /** Undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  readonly version: Version;
}

/** What one block adds to the chain of commit hashes. */
export interface CommitHashInput {
  /** The block's TRANSACTIONS_FILTER. */
  readonly validationCodes: Uint8Array;
  /** In any order; one a key. */
  readonly updates: readonly StateUpdate[];
  /** The commit hash of the block before; empty for block 1. */
  readonly previous: Uint8Array;
}

/**
 * The COMMIT_HASH of a block as every Fabric peer computes it (kvledger.addBlockCommitHash): SHA-256 of the number of
 * validation codes, the codes, the state updates in a deterministic form, and the commit hash before it. Block 0 has
 * none.
 */
export function commitHash(input: CommitHashInput): Buffer {
  const { validationCodes, updates, previous } = input;
  return sha256(join([varint(validationCodes.length), validationCodes, updatesBytes(updates), previous]));
}

/** Message `txmgr.Updates`; namespace and collection are named once, where they begin. */
function updatesBytes(updates: readonly StateUpdate[]): Buffer {
  let namespace = '';
  let collection = '';
  const writes = updates.toSorted(compareUpdates).map((update) => {
    const newNamespace = update.namespace !== namespace;
    const newCollection = newNamespace || update.collection !== collection;
    ({ namespace, collection } = update);
    return messageField(
      1,
      stringField(1, newNamespace ? namespace : ''),
      stringField(2, newCollection ? collection : ''),
      bytesField(3, update.key),
      booleanField(4, update.value === undefined),
      bytesField(5, update.value ?? Buffer.alloc(0)),
      messageField(6, orderPreserving(update.version.blockNumber), orderPreserving(update.version.transactionNumber)),
    );
  });
  return join(writes);
}

function compareUpdates(a: StateUpdate, b: StateUpdate): number {
  return (
    compareText(a.namespace, b.namespace) || compareText(a.collection, b.collection) || Buffer.compare(a.key, b.key)
  );
}

/** By the bytes of UTF-8, as Go sorts strings. */
function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** One byte for the number of bytes that follow, then the number, big-endian (util.EncodeOrderPreservingVarUint64). */
function orderPreserving(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([bytes.length, ...bytes]);
}
