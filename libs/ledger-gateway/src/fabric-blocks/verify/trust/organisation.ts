import msp from '@hyperledger/fabric-protos/lib/msp/msp_config_pb.js';
import { X509Certificate, type KeyObject } from 'node:crypto';
import { attempt, readMessage } from '../../decode/read-message.js';

/** A member of an organisation of the channel, known by its certificate. */
export interface Member {
  readonly mspId: string;
  readonly certificate: X509Certificate;
  /** To have read it means that signatures with it can be checked. */
  readonly publicKey: KeyObject;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** The organisational units in the certificate's subject. */
  readonly units: readonly string[];
}

/** The roles that a policy can ask for, by their number in `msp.MSPRole`. */
export const ROLES: readonly Role[] = ['MEMBER', 'ADMIN', 'CLIENT', 'PEER', 'ORDERER'];
export type Role = 'MEMBER' | 'ADMIN' | 'CLIENT' | 'PEER' | 'ORDERER';

/** Who belongs to an organisation, and in which role: its MSP as a configuration block defines it. */
export class Organisation {
  readonly mspId: string;
  readonly #roots: readonly X509Certificate[];
  readonly #intermediates: readonly X509Certificate[];
  readonly #admins: readonly X509Certificate[];
  /** The organisational unit of each role; undefined where the organisation does not tell roles apart. */
  readonly #units: ReadonlyMap<Role, string> | undefined;
  /** Whether it revokes certificates, which this does not look into. */
  readonly revokes: boolean;

  /** @throws when the bytes are not a `msp.MSPConfig` */
  constructor(bytes: Uint8Array) {
    const config = readMessage(msp.FabricMSPConfig, readMessage(msp.MSPConfig, bytes).getConfig_asU8());
    this.mspId = config.getName();
    this.#roots = readCertificates(config.getRootCertsList_asU8());
    this.#intermediates = readCertificates(config.getIntermediateCertsList_asU8());
    this.#admins = readCertificates(config.getAdminsList_asU8());
    this.#units = readUnits(config.getFabricNodeOus());
    this.revokes = config.getRevocationListList_asU8().length > 0;
  }

  /** The member whose certificate this is, or why it is none. */
  member(idBytes: Uint8Array): Member | string {
    const certificate = readCertificate(idBytes);
    if (certificate === undefined) return 'the identity is not a certificate';
    if (certificate.ca) return 'the certificate is that of an authority, not of a member';
    if (!chainsToRoot(certificate, this.#roots, this.#intermediates)) {
      return `the certificate does not chain to a root of ${this.mspId}`;
    }
    const { fingerprint256: fingerprint, publicKey } = certificate;
    return { mspId: this.mspId, certificate, publicKey, fingerprint, units: organisationalUnits(certificate) };
  }

  /** Whether a member of this organisation has a role. */
  hasRole(member: Member, role: Role): boolean {
    if (role === 'MEMBER') return true;
    if (role === 'ADMIN' && this.#admins.some((admin) => admin.raw.equals(member.certificate.raw))) return true;
    const unit = this.#units?.get(role);
    return unit !== undefined && member.units.includes(unit);
  }
}

function readCertificates(list: readonly Uint8Array[]): X509Certificate[] {
  return list.map((bytes) => {
    const certificate = readCertificate(bytes);
    if (certificate === undefined) throw new RangeError('a certificate of the organisation cannot be read');
    return certificate;
  });
}

function readUnits(nodeOus: msp.FabricNodeOUs | undefined): ReadonlyMap<Role, string> | undefined {
  if (nodeOus?.getEnable() !== true) return undefined;
  const identifiers = [
    ['CLIENT', nodeOus.getClientOuIdentifier()],
    ['PEER', nodeOus.getPeerOuIdentifier()],
    ['ADMIN', nodeOus.getAdminOuIdentifier()],
    ['ORDERER', nodeOus.getOrdererOuIdentifier()],
  ] as const;
  const units = new Map<Role, string>();
  for (const [role, identifier] of identifiers) {
    if (identifier !== undefined) units.set(role, identifier.getOrganizationalUnitIdentifier());
  }
  return units;
}

/** Reads a PEM or DER certificate; undefined for what is none. */
export function readCertificate(bytes: Uint8Array): X509Certificate | undefined {
  return attempt(() => new X509Certificate(bytes));
}

function organisationalUnits(certificate: X509Certificate): string[] {
  return certificate.subject
    .split('\n')
    .filter((line) => line.startsWith('OU='))
    .map((line) => line.slice('OU='.length));
}

/** The longest chain from a member's certificate to a root that is followed. */
const MAX_CHAIN = 5;

/** Whether a chain of certificates leads from a leaf to one of the roots. */
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

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
