import type { LedgerTransaction } from '../../ports/ledger.port.js';
import { attempt } from '../messages/decode-message.js';
import { TxValidationCode } from '../messages/fabric-messages.js';
import { hex } from '../messages/text.js';
import { decodeBlock } from './decode-block.js';
import { decodeEnvelope } from './decode-envelope.js';

/** A transaction found in a block. */
export interface FoundTransaction extends LedgerTransaction {
  readonly channel: string;
}

/**
 * Finds a transaction in a serialized `common.Block` that a peer has validated. Of several copies it returns the first, which is
 * the one that counts.
 * @returns undefined when it is not in the block
 * @throws `LEDGER.DAMAGED` when the bytes are not a block
 */
export function findTransaction(block: Uint8Array, transactionId: string): FoundTransaction | undefined {
  const { header, hash, envelopes, validationCodes } = decodeBlock(block);
  for (const [position, envelope] of envelopes.entries()) {
    const decoded = attempt(() => decodeEnvelope(envelope));
    if (decoded?.transactionId !== transactionId) continue;
    return {
      channel: decoded.channelId,
      transactionId,
      blockNumber: header.number,
      blockHash: hex(hash),
      position,
      validationCode: validationCodes[position] ?? TxValidationCode.NOT_VALIDATED,
      envelope,
    };
  }
  return undefined;
}
