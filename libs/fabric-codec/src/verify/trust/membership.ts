import type { RoleType } from '../../messages/enums.js';

/** A role that a policy can require. */
export type Role = keyof typeof RoleType;

/** The parts of a certificate that decide whether it is a member's. */
export interface CertificateFacts {
  /** Whether it is that of a certificate authority. */
  readonly ca: boolean;
  /** The organizational units in its subject. */
  readonly units: readonly string[];
}

/** The rules of an organization for the certificates of its members. */
export interface MemberRules {
  readonly mspId: string;
  /** The organizational unit of each role; undefined where the organization does not distinguish roles. */
  readonly units?: ReadonlyMap<Role, string> | undefined;
}

/**
 * Returns why a certificate is not that of a member; undefined if it is.
 * @param certificate - undefined when the identity is not a certificate
 * @param isChained - whether it chains to a root of the organization
 */
export function memberFault(
  certificate: CertificateFacts | undefined,
  isChained: boolean,
  { mspId, units: unitOf }: MemberRules,
): string | undefined {
  if (certificate === undefined) return 'the identity is not a certificate';
  if (certificate.ca) return 'the certificate is that of a certificate authority, not of a member';
  if (!isChained) return `the certificate does not chain to a root of ${mspId}`;
  // Fabric refuses a member with no role or several (msp.validateIdentityOUsV142).
  const roles = [...(unitOf?.values() ?? [])].filter((unit) => certificate.units.includes(unit));
  if (unitOf === undefined || roles.length === 1) return undefined;
  const found = roles.map((unit) => `OU=${unit}`).join(' and ') || 'none';
  return `the certificate must have exactly one role, and has ${found}`;
}

/** Checks signatures, or records them for a later check. `S` is what it returns for one. */
export interface SignatureChecker<S> {
  /** @param identity - the serialized `msp.SerializedIdentity` of the named signer */
  check(identity: Uint8Array, content: Uint8Array, signature: Uint8Array): S;
}

/** The named signer of a content, and whether the signature is its own. */
export interface SignedBy {
  /** The serialized `msp.SerializedIdentity`. */
  readonly identity: Uint8Array;
  /** Whether the signature was made with the key of the identity's certificate, whether or not that is trusted. */
  readonly isSigned: boolean;
}
