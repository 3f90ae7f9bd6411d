import { Buffer } from 'node:buffer';
import { hash, createHash } from 'node:crypto';
import { join, booleanField, bytesField, messageField, stringField, varint } from '../messages/proto-fields.js';

/**
 * Computes SHA-256, the one hash that Fabric uses. Going through a string of its bytes halves the cost: the result is then in
 * Node's buffer pool instead of separately allocated memory, which the garbage collector would have to track.
 */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** Bytes of a random nonce, as in Fabric's clients. */
export const NONCE_BYTES = 24;

/** Returns a transaction's id: SHA-256 of the nonce and the serialized creator, as 64 hexadecimal characters. */
export function transactionIdOf(nonce: Uint8Array, creator: Uint8Array): string {
  return hash('sha256', join([nonce, creator]), 'hex');
}

/** The parts of a proposal that its hash covers. */
export interface ProposalParts {
  readonly channelHeader: Uint8Array;
  readonly signatureHeader: Uint8Array;
  /** The serialized `protos.ChaincodeProposalPayload`, without a transient map. */
  readonly chaincodePayload: Uint8Array;
}

/** Returns the hash that ties an endorsement to its proposal (protoutil.GetProposalHash1). */
export function proposalHashOf({ channelHeader, signatureHeader, chaincodePayload }: ProposalParts): Buffer {
  return sha256(join([channelHeader, signatureHeader, chaincodePayload]));
}

/** The header of a block, which its hash covers. */
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
 * Encodes the header as DER, `SEQUENCE { INTEGER number, OCTET STRING previousHash, OCTET STRING dataHash }`: what Fabric
 * hashes and what the orderer signs (protoutil.BlockHeaderBytes).
 */
export function blockHeaderBytes({ number, previousHash, dataHash }: BlockHeader): Buffer {
  const digits = bigEndian(number);
  // A DER integer is signed and has at least one byte.
  const integer = (digits[0] ?? 0x80) >= 0x80 ? [0, ...digits] : digits;
  const parts = [der(INTEGER, Buffer.from(integer)), der(OCTET_STRING, previousHash), der(OCTET_STRING, dataHash)];
  return der(SEQUENCE, Buffer.concat(parts));
}

/** Returns a block's hash: SHA-256 of its header as DER. */
export function blockHash(header: BlockHeader): Buffer {
  return sha256(blockHeaderBytes(header));
}

/** Returns the data hash in a block's header: SHA-256 of the joined envelopes. */
export function blockDataHash(envelopes: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha256');
  for (const envelope of envelopes) hash.update(envelope);
  return hash.digest();
}

function der(tag: number, content: Uint8Array): Buffer {
  // Two hashes at most: a length always has the short form, or one byte after 0x81.
  const head = content.length < 0x80 ? [tag, content.length] : [tag, 0x81, content.length];
  return Buffer.concat([Buffer.from(head), content]);
}

/** Returns the digits of a number to the base 256, the first of them not 0. */
function bigEndian(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
}

/** The place of the transaction that wrote a value; transactions of a block are numbered from 0. */
export interface Version {
  readonly blockNumber: number;
  readonly transactionNumber: number;
}

/** The last valid write of a key in a block. */
export interface StateUpdate {
  readonly namespace: string;
  /** The private collection whose hashed write it is; empty for the public state. */
  readonly collection: string;
  readonly key: Uint8Array;
  /** Undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  readonly version: Version;
}

/** The parts that the commit hash of a block covers. */
export interface CommitHashInput {
  /** The block's TRANSACTIONS_FILTER. */
  readonly validationCodes: Uint8Array;
  /** In any order; one per key. */
  readonly updates: readonly StateUpdate[];
  /** The commit hash of the previous block; empty for block 1. */
  readonly previous: Uint8Array;
}

/**
 * Returns the COMMIT_HASH of a block as every Fabric peer computes it (kvledger.addBlockCommitHash): SHA-256 of the number of
 * validation codes, the codes, the state updates in a deterministic form, and the previous commit hash. Block 0 has none.
 */
export function commitHash({ validationCodes, updates, previous }: CommitHashInput): Buffer {
  return sha256(join([varint(validationCodes.length), validationCodes, updatesBytes(updates), previous]));
}

/** Encodes a `txmgr.Updates`, in which a namespace or collection is named by its first key only. */
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

/** Compares the bytes of UTF-8, as Go sorts strings and Fabric sorts keys. */
export function compareText(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Encodes the number of bytes, then the number, big-endian (util.EncodeOrderPreservingVarUint64). */
function orderPreserving(value: number): Buffer {
  const bytes = bigEndian(value);
  return Buffer.from([bytes.length, ...bytes]);
}
