import { DamagedError } from '../../../errors/ledger.errors.js';
import type { DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { blockDataHash } from '../../../fabric-blocks/hash/block-hash.js';

/**
 * Checks block after block that each has its number, names the one before, and holds the data that its header says:
 * that nothing is missing, doubled or altered. Signatures and validation are the verifier's.
 */
export function linkChecker(): (block: DecodedBlock) => void {
  let number = 0;
  let previous: Uint8Array = new Uint8Array();
  return ({ header, hash, envelopes }) => {
    if (header.number !== number) throw broken(number, `stands in the place of block ${header.number}`);
    if (Buffer.compare(header.previousHash, previous) !== 0) throw broken(number, 'does not name the block before it');
    if (Buffer.compare(header.dataHash, blockDataHash(envelopes)) !== 0) throw broken(number, 'holds other data');
    number += 1;
    previous = hash;
  };
}

function broken(number: number, why: string): DamagedError {
  return new DamagedError(`Block ${number} ${why}: restore a backup.`);
}
