import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import type { LedgerBlock, LedgerTransaction } from '../ports/ledger.port.js';

/** `TxValidationCode.NOT_VALIDATED`. */
const NOT_VALIDATED = 254;

/** A serialized `common.Block` as the port gives it. */
export function ledgerBlock(bytes: Uint8Array): LedgerBlock {
  const { header, hash } = decodeBlock(bytes);
  return { number: header.number, hash: hex(hash), bytes };
}

/**
 * Finds a transaction in the serialized block that holds it; of several copies the first, which is the one that counts.
 * @returns undefined when it is not there
 */
export function transactionInBlock(bytes: Uint8Array, transactionId: string): LedgerTransaction | undefined {
  const { header, hash, envelopes, validationCodes } = decodeBlock(bytes);
  const position = envelopes.findIndex((envelope) => decodeEnvelope(envelope).transactionId === transactionId);
  const envelope = envelopes[position];
  if (envelope === undefined) return undefined;
  const validationCode = validationCodes[position] ?? NOT_VALIDATED;
  return { transactionId, blockNumber: header.number, blockHash: hex(hash), validationCode, envelope };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
