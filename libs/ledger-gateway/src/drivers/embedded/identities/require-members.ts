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
  const [stranger] = strangers(firstBlock, mspId, identities);
  if (stranger === undefined) return;
  throw new MisconfiguredError(`${stranger}: put back the identities that belong to this ledger.`);
}

/** Says of each identity that is not of the ledger with that block 0 why it is not. */
export function strangers(firstBlock: Uint8Array, mspId: string, identities: Identities): string[] {
  const trust = ChannelTrust.fromEnvelope(decodeBlock(firstBlock).envelopes[0] ?? new Uint8Array());
  return (['client', 'peer', 'orderer'] as const).flatMap((role) => {
    const member = trust.member(serializeIdentity(mspId, Buffer.from(identities[role].certificate)));
    return typeof member === 'string' ? [`The ${role} identity is of another ledger (${member})`] : [];
  });
}
