import { attempt, decodeMessage } from '../messages/decode-message.js';
import { SignaturePolicyEnvelope } from '../messages/fabric-messages.js';
import { message, text } from '../messages/schema.js';

/** `common.MSPRole`, `common.OrganizationUnit` and `msp.SerializedIdentity`: each begins with the id of the organization. */
const PrincipalOfOrganization = message({ mspId: text });

/**
 * Returns the MSP ids of the organizations that a serialized `common.SignaturePolicyEnvelope` names, as the endorsement policy of
 * a key is stored.
 * @returns undefined when it cannot be decoded
 */
export function policyOrganizations(policy: Uint8Array): readonly string[] | undefined {
  return attempt(() => {
    const { identities } = decodeMessage(SignaturePolicyEnvelope, policy);
    const names = identities.map(({ principal }) => decodeMessage(PrincipalOfOrganization, principal).mspId);
    return [...new Set(names)];
  });
}
