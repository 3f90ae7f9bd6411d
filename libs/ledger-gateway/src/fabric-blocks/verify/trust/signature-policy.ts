import { decodeIdentity } from '../../decode/decode-envelope.js';
import { decodeMessage } from '../../messages/decode-message.js';
import {
  Classification,
  MSPRole,
  OrganizationUnit,
  RoleType,
  type SignaturePolicyEnvelope,
  type SignaturePolicyMessage,
} from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import { readCertificate, type Member, type Organisation, type Role } from './organisation.js';

/** The organizations by their MSP ids. */
export type Organisations = ReadonlyMap<string, Organisation>;

type Envelope = Decoded<typeof SignaturePolicyEnvelope>;

const ROLES = Object.keys(RoleType) as Role[];

/**
 * Returns whether signers satisfy a signature policy. As in Fabric's cauthdsl, each signer counts for one leaf of the rule only,
 * and leaves are filled in their order.
 */
export function satisfiesSignaturePolicy(
  { rule, identities }: Envelope,
  signers: readonly Member[],
  organisations: Organisations,
): boolean {
  const leaf = (index: number, signer: Member): boolean => {
    const principal = identities[index];
    return principal !== undefined && isPrincipal(signer, principal, organisations);
  };
  return rule !== undefined && fill(rule, signers, leaf) !== undefined;
}

/** Returns the signers that the rule does not need; undefined when they do not suffice. */
function fill(
  { signedBy, nOutOf }: SignaturePolicyMessage,
  signers: readonly Member[],
  isLeaf: (index: number, signer: Member) => boolean,
): readonly Member[] | undefined {
  if (nOutOf === undefined) {
    const signer = signers.find((candidate) => isLeaf(signedBy, candidate));
    return signer && signers.filter((other) => other !== signer);
  }
  let left = signers;
  let filled = 0;
  for (const part of nOutOf.rules) {
    const rest = fill(part, left, isLeaf);
    if (rest === undefined) continue;
    left = rest;
    filled++;
  }
  return filled >= nOutOf.n ? left : undefined;
}

function isPrincipal(
  signer: Member,
  { principalClassification, principal }: Envelope['identities'][number],
  organisations: Organisations,
): boolean {
  switch (principalClassification) {
    case Classification.ROLE: {
      const wanted = decodeMessage(MSPRole, principal);
      const role = ROLES.find((name) => RoleType[name] === wanted.role);
      if (wanted.mspIdentifier !== signer.mspId || role === undefined) return false;
      return organisations.get(signer.mspId)?.hasRole(signer, role) === true;
    }
    case Classification.ORGANIZATION_UNIT: {
      const unit = decodeMessage(OrganizationUnit, principal);
      return unit.mspIdentifier === signer.mspId && signer.units.includes(unit.organizationalUnitIdentifier);
    }
    case Classification.IDENTITY: {
      const { mspId, idBytes } = decodeIdentity(principal);
      return mspId === signer.mspId && readCertificate(idBytes)?.raw.equals(signer.certificate.raw) === true;
    }
    default:
      return false;
  }
}
