import { Buffer } from 'node:buffer';
import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { decodeIdentity } from '../../decode/decode-envelope.js';
import { isLowS } from '../../encode/low-s.js';
import { attempt, decodeMessage } from '../../messages/decode-message.js';
import { FabricMSPConfig, MSPConfig } from '../../messages/fabric-messages.js';
import type { Decoded } from '../../messages/schema.js';
import { memberFault, type MemberRules, type Role, type SignatureChecker, type SignedBy } from './membership.js';

/** A member of an organization, identified by its certificate. */
export interface Member {
  readonly mspId: string;
  readonly certificate: X509Certificate;
  readonly publicKey: KeyObject;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** The organizational units in the certificate's subject. */
  readonly units: readonly string[];
}

/** The definition of an organization: its MSP. */
export interface OrganisationDefinition extends MemberRules {
  readonly roots: readonly X509Certificate[];
  readonly intermediates: readonly X509Certificate[];
  readonly admins: readonly X509Certificate[];
  /** Whether it has revocation lists, which are not checked. */
  readonly revokes: boolean;
}

/**
 * Reads an organization as a configuration block defines it.
 * @throws when the bytes are not a `msp.MSPConfig`
 */
export function readOrganisation(bytes: Uint8Array): Organisation {
  const config = decodeMessage(FabricMSPConfig, decodeMessage(MSPConfig, bytes).config);
  return new Organisation({
    mspId: config.name,
    roots: readCertificates(config.rootCerts),
    intermediates: readCertificates(config.intermediateCerts),
    admins: readCertificates(config.admins),
    units: readUnits(config.fabricNodeOus),
    revokes: config.revocationList.length > 0,
  });
}

/** The members of an organization and their roles. */
export class Organisation {
  readonly definition: OrganisationDefinition;

  constructor(definition: OrganisationDefinition) {
    this.definition = definition;
  }

  /** Returns the member with this certificate, or why it is not a member. */
  member(idBytes: Uint8Array): Member | string {
    return attempt(() => this.#member(idBytes)) ?? 'the certificate is of a kind that cannot be checked';
  }

  #member(idBytes: Uint8Array): Member | string {
    const { mspId, roots, intermediates } = this.definition;
    const certificate = readCertificate(idBytes);
    const units = certificate === undefined ? [] : subjectValues(certificate, 'OU');
    const isChained = certificate !== undefined && chainsToRoot(certificate, roots, intermediates);
    const fault = memberFault(certificate && { ca: certificate.ca, units }, isChained, this.definition);
    if (certificate === undefined || fault !== undefined) return String(fault);
    const { fingerprint256: fingerprint, publicKey } = certificate;
    return { mspId, certificate, publicKey, fingerprint, units };
  }

  /** Returns whether a member of this organization has a role. */
  hasRole({ certificate, units }: Member, role: Role): boolean {
    const { admins, units: unitOf } = this.definition;
    if (role === 'MEMBER') return true;
    if (role === 'ADMIN' && admins.some((admin) => admin.raw.equals(certificate.raw))) return true;
    const unit = unitOf?.get(role);
    return unit !== undefined && units.includes(unit);
  }
}

function readCertificates(list: readonly Uint8Array[]): X509Certificate[] {
  return list.map((bytes) => {
    const certificate = readCertificate(bytes);
    if (certificate === undefined) throw new RangeError('a certificate of the organization cannot be read');
    return certificate;
  });
}

function readUnits(nodeOus: Decoded<typeof FabricMSPConfig>['fabricNodeOus']): ReadonlyMap<Role, string> | undefined {
  if (nodeOus?.enable !== true) return undefined;
  const identifiers = [
    ['CLIENT', nodeOus.clientOuIdentifier],
    ['PEER', nodeOus.peerOuIdentifier],
    ['ADMIN', nodeOus.adminOuIdentifier],
    ['ORDERER', nodeOus.ordererOuIdentifier],
  ] as const;
  const units = new Map<Role, string>();
  for (const [role, identifier] of identifiers) {
    if (identifier !== undefined) units.set(role, identifier.organizationalUnitIdentifier);
  }
  return units;
}

/** Reads a PEM or DER certificate; returns undefined for other bytes. */
export function readCertificate(bytes: Uint8Array): X509Certificate | undefined {
  return attempt(() => new X509Certificate(bytes));
}

/**
 * Returns the values of an attribute in a certificate's subject. fabric-ca writes several units into one relative name, which
 * Node shows as `OU=client + OU=org1` in one line, with special characters of a value escaped (RFC 2253, 2.4). Node's
 * `toLegacyObject`, which separates them, crashes the process for a key on an unknown curve.
 */
export function subjectValues({ subject }: X509Certificate, attribute: 'CN' | 'OU'): readonly string[] {
  return subject
    .split(/\n| \+ /)
    .filter((part) => part.startsWith(`${attribute}=`))
    .map((part) => part.slice(attribute.length + 1).replaceAll(/\\([0-9A-F]{2}|.)/gs, unescaped));
}

function unescaped(_: string, escape: string): string {
  return escape.length === 1 ? escape : String.fromCharCode(Number.parseInt(escape, 16));
}

/** Limit of the certificates between a member and a root. */
const MAX_CHAIN = 5;

/** Returns whether a chain of certificates leads from a leaf to one of the roots. */
function chainsToRoot(
  leaf: X509Certificate,
  roots: readonly X509Certificate[],
  intermediates: readonly X509Certificate[],
  depth = MAX_CHAIN,
): boolean {
  if (depth === 0) return false;
  if (roots.some((root) => isIssuedBy(leaf, root))) return true;
  return intermediates.some(
    (issuer) => isIssuedBy(leaf, issuer) && chainsToRoot(issuer, roots, intermediates, depth - 1),
  );
}

/** Returns whether a certificate is signed by the key of an issuer, which must be a CA. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Size limit of a cache of one kind, such as members: a channel rarely has more. */
const CACHE_SIZE = 1000;

/** Returns the cached value of a key, or reads and caches it. A full cache is emptied first. */
export function cached<T>(cache: Map<string, T>, key: string, read: () => T): T {
  if (cache.has(key)) return cache.get(key) as T;
  const value = read();
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(key, value);
  return value;
}

/** Checks signatures against the certificates in serialized identities, whose keys it caches. */
export class IdentitySignatures implements SignatureChecker<SignedBy> {
  readonly #keys = new Map<string, KeyObject | undefined>();

  check(identity: Uint8Array, content: Uint8Array, signature: Uint8Array): SignedBy {
    const key = cached(this.#keys, identityKey(identity), () =>
      attempt(() => readCertificate(decodeIdentity(identity).idBytes)?.publicKey),
    );
    // A key of a kind that cannot verify throws: its signatures are invalid.
    const isSigned = key !== undefined && attempt(() => isSignedWith(key, content, signature)) === true;
    return { identity, isSigned };
  }
}

/** Returns the key of a serialized identity in a cache. */
export function identityKey({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** Verifies ECDSA over SHA-256, on P-256 with low S as Fabric requires, or Ed25519. OpenSSL requires strict DER. */
export function isSignedWith(key: KeyObject, content: Uint8Array, signature: Uint8Array): boolean {
  if (key.asymmetricKeyType === 'ed25519') return verify(null, content, key, signature);
  const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return (!isP256 || isLowS(signature)) && verify('sha256', content, key, signature);
}
