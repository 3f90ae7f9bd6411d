import type { UnsignedTransaction } from './envelope-signer.js';
import { packParts, unpackParts, type PackedParts } from './packed-parts.js';

/** Byte strings of one transaction. */
const PARTS = 4;

/** Puts transactions into one buffer for the signing thread. */
export function packTransactions(transactions: readonly UnsignedTransaction[]): PackedParts {
  return packParts(
    transactions.flatMap(({ proposal: { channelHeader, signatureHeader, chaincodePayload }, response }) => [
      channelHeader,
      signatureHeader,
      chaincodePayload,
      response,
    ]),
  );
}

/** The transactions again. */
export function unpackTransactions(packed: PackedParts): UnsignedTransaction[] {
  const parts = unpackParts(packed);
  return Array.from({ length: parts.length / PARTS }, (_, index) => {
    const [channelHeader, signatureHeader, chaincodePayload, response] = parts.slice(index * PARTS) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    return { proposal: { channelHeader, signatureHeader, chaincodePayload }, response };
  });
}
