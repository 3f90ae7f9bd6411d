import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { sha256 } from './hashes.js';

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
