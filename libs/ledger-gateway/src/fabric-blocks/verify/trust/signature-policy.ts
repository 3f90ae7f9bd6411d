import type policies from '@hyperledger/fabric-protos/lib/common/policies_pb.js';
import principals from '@hyperledger/fabric-protos/lib/msp/msp_principal_pb.js';
import { readIdentity } from '../../decode/decode-envelope.js';
import { readMessage } from '../../decode/read-message.js';
import { readCertificate, ROLES, type Member, type Organisation } from './organisation.js';

/** The organisations by their MSP ids. */
export type Organisations = ReadonlyMap<string, Organisation>;

type Rule = policies.SignaturePolicy;
type Principal = principals.MSPPrincipal;

/**
 * Whether signers satisfy a signature policy. As in Fabric's cauthdsl, each signer counts for one leaf of the rule only,
 * and leaves are filled in their order.
 */
export function satisfiesSignaturePolicy(
  envelope: policies.SignaturePolicyEnvelope,
  signers: readonly Member[],
  organisations: Organisations,
): boolean {
  const rule = envelope.getRule();
  const leaf = (index: number, signer: Member): boolean => {
    const principal = envelope.getIdentitiesList()[index];
    return principal !== undefined && isPrincipal(signer, principal, organisations);
  };
  return rule !== undefined && fill(rule, signers, leaf) !== undefined;
}

/** The signers that are left when the rule has taken those it needs; undefined when they do not suffice. */
function fill(
  rule: Rule,
  signers: readonly Member[],
  isLeaf: (index: number, signer: Member) => boolean,
): readonly Member[] | undefined {
  const several = rule.getNOutOf();
  if (several === undefined) {
    const signer = signers.find((candidate) => isLeaf(rule.getSignedBy(), candidate));
    return signer && signers.filter((other) => other !== signer);
  }
  let left = signers;
  let filled = 0;
  for (const part of several.getRulesList()) {
    const rest = fill(part, left, isLeaf);
    if (rest === undefined) continue;
    left = rest;
    filled++;
  }
  return filled >= several.getN() ? left : undefined;
}

function isPrincipal(signer: Member, principal: Principal, organisations: Organisations): boolean {
  const value = principal.getPrincipal_asU8();
  switch (principal.getPrincipalClassification()) {
    case principals.MSPPrincipal.Classification.ROLE: {
      const wanted = readMessage(principals.MSPRole, value);
      const role = ROLES[wanted.getRole()];
      if (wanted.getMspIdentifier() !== signer.mspId || role === undefined) return false;
      return organisations.get(signer.mspId)?.hasRole(signer, role) === true;
    }
    case principals.MSPPrincipal.Classification.ORGANIZATION_UNIT: {
      const unit = readMessage(principals.OrganizationUnit, value);
      return unit.getMspIdentifier() === signer.mspId && signer.units.includes(unit.getOrganizationalUnitIdentifier());
    }
    case principals.MSPPrincipal.Classification.IDENTITY: {
      const { mspId, idBytes } = readIdentity(value);
      return mspId === signer.mspId && readCertificate(idBytes)?.raw.equals(signer.certificate.raw) === true;
    }
    default:
      return false;
  }
}
