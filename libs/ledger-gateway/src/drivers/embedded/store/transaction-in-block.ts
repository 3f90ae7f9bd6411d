import { DamagedError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import type { LedgerTransaction } from '../../../ports/ledger.port.js';
import { requireBlock, type StoreReader } from './store-reader.js';

/**
 * The transaction of that id, from the block that the index names.
 * @throws {@link DamagedError} when another transaction stands there
 */
export function transactionInBlock(reader: StoreReader, transactionId: string): LedgerTransaction | undefined {
  const place = reader.transaction(Buffer.from(transactionId, 'hex'));
  if (place === undefined) return undefined;
  const stored = requireBlock(reader, place.block);
  const block = decodeBlock(stored.bytes);
  const envelope = block.envelopes[place.position];
  if (envelope === undefined || decodeEnvelope(envelope).transactionId !== transactionId) {
    throw new DamagedError(
      `The index puts transaction ${transactionId} where it is not (block ${place.block}): run "npm run ledger -- rebuild".`,
    );
  }
  return {
    transactionId,
    blockNumber: place.block,
    blockHash: stored.hash,
    validationCode: block.validationCodes[place.position] ?? NOT_VALIDATED,
    envelope,
  };
}

/** `TxValidationCode.NOT_VALIDATED`. */
const NOT_VALIDATED = 254;
