import { MisconfiguredError } from '../../../errors/ledger.errors.js';
import { decodeBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { serializeIdentity } from '../../../fabric-blocks/encode/identity.js';
import { ChannelTrust } from '../../../fabric-blocks/verify/trust/channel-trust.js';
import type { Identities } from './identity-store.js';

/**
 * Refuses identities of another ledger, whose signatures nobody could check against this one's configuration.
 * @param firstBlock - block 0, which names the root that the identities must be issued by
 * @throws {@link MisconfiguredError} naming the first that is not
 */
export function requireMembers(firstBlock: Uint8Array, mspId: string, identities: Identities): void {
  const trust = ChannelTrust.fromEnvelope(decodeBlock(firstBlock).envelopes[0] ?? new Uint8Array());
  for (const role of ['client', 'peer', 'orderer'] as const) {
    const member = trust.member(serializeIdentity(mspId, Buffer.from(identities[role].certificate)));
    if (typeof member !== 'string') continue;
    throw new MisconfiguredError(
      `The ${role} identity is of another ledger (${member}): put back the identities that belong to this one.`,
    );
  }
}
