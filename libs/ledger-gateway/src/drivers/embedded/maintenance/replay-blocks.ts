import type { DatabaseSync } from 'node:sqlite';
import { DamagedError } from '../../../errors/ledger.errors.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { blockDataHash } from '../../../fabric-blocks/hash/block-hash.js';
import { deriveRecords } from '../store/derive-records.js';
import { DerivedWriter } from '../store/derived-writer.js';
import { StoreReader } from '../store/store-reader.js';
import type { TakenBlock } from './build-store.js';
import { openBlock, type ChainSource } from './chain-source.js';

/**
 * Writes what follows from block after block, each of which must have its number, name the one before, and hold the data
 * that its header says. Signatures and validation are the verifier's.
 */
export function* replayBlocks(source: ChainSource, db: DatabaseSync, chaincode: string): Generator<TakenBlock> {
  const derived = new DerivedWriter(db);
  const reader = new StoreReader(db);
  let entry = 0;
  const entries = { previous: (key: string) => reader.state(key)?.entry ?? 0, next: () => ++entry };
  let previous: DecodedBlock | undefined;
  for (let number = 0; number < source.height; number++) {
    const { bytes } = openBlock(source.raw(number));
    const block = decodeBlock(bytes);
    requireLink(block, previous);
    derived.write(deriveRecords(block, chaincode, entries));
    previous = block;
    yield { bytes, hash: block.hash };
  }
}

function requireLink({ header, envelopes }: DecodedBlock, previous: DecodedBlock | undefined): void {
  const number = previous === undefined ? 0 : previous.header.number + 1;
  if (header.number !== number) throw broken(number, `block ${header.number} stands in its place`);
  if (Buffer.compare(header.previousHash, previous?.hash ?? new Uint8Array()) !== 0) {
    throw broken(number, 'it does not name the block before it');
  }
  if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) throw broken(number, 'it holds other data');
}

function broken(number: number, why: string): DamagedError {
  return new DamagedError(`Block ${number} is damaged: ${why}. Restore a backup.`);
}
