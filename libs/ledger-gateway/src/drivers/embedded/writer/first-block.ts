import { randomBytes } from 'node:crypto';
import { encodeConfigBlock } from '../../../fabric-blocks/encode/config-block.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/transaction-encoder.js';
import type { LedgerNames } from '../store/data-directory.js';
import type { Identities } from '../store/identity-store.js';
import { MAX_BLOCK_TRANSACTIONS } from './open-block.js';

const NONCE_BYTES = 24;

/** Creates the serialized configuration block of a new chain, with the root certificate of all identities. */
export function firstBlock({ channel, mspId }: LedgerNames, { root }: Identities): Uint8Array {
  const organisation = { mspId, rootCertificate: root };
  return encodeConfigBlock({
    definition: {
      channel,
      applicationOrganisations: [organisation],
      ordererOrganisations: [organisation],
      consensusType: 'solo',
      maxTransactionsPerBlock: MAX_BLOCK_TRANSACTIONS,
    },
    timestamp: Date.now(),
    nonce: randomBytes(NONCE_BYTES),
  }).bytes;
}

/** Returns the compression dictionary of blocks: the serialized identities that most blocks contain. */
export function blockDictionary(mspId: string, { orderer, peer, client }: Identities): Uint8Array {
  const identities = [orderer, peer, client];
  return Buffer.concat(identities.map(({ certificate }) => serializeIdentity(mspId, Buffer.from(certificate))));
}
