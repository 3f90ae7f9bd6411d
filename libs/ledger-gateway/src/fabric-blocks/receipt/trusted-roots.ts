import { Buffer } from 'node:buffer';
import type { X509Certificate } from 'node:crypto';
import { decodeIdentity } from '../decode/decode-envelope.js';
import { mspConfig } from '../encode/config-block.js';
import { attempt } from '../messages/decode-message.js';
import { certificateName, quotedShort, shortened } from '../messages/text.js';
import { Organisation, readCertificate, type Member, type Role } from '../verify/trust/organisation.js';

/** A certificate of an authority that the caller trusts to certify the members of an organization. */
export interface TrustedRoot {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
}

/** A signer whose certificate chains to a trusted root. */
export interface TrustedSigner {
  /** Common name and MSP id. */
  readonly name: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
}

/**
 * The organizations that a caller trusts, who has their roots and not the channel's configuration. The organizational unit of a
 * certificate is its role.
 */
export class TrustedRoots {
  readonly #organisations: readonly Organisation[];

  constructor(roots: readonly TrustedRoot[]) {
    this.#organisations = roots.map(
      ({ mspId, certificate }) => new Organisation(mspConfig({ mspId, rootCertificate: certificate })),
    );
  }

  /**
   * Checks a serialized identity against the roots.
   * @param role - the role that it must have
   * @returns the signer, or why it is not trusted
   */
  signer(identity: Uint8Array, role: Role): TrustedSigner | string {
    const decoded = attempt(() => decodeIdentity(identity));
    if (decoded === undefined) return 'the identity cannot be decoded';
    const { mspId, idBytes } = decoded;
    const known = this.#organisations.filter((organisation) => organisation.mspId === mspId);
    if (known.length === 0) return `no root of ${quotedShort(mspId)} was given: --root MSPID=CA.pem`;
    const name = `${shortened(certificateName(idBytes))} (${mspId})`;
    const found = known.map((organisation) => ({
      organisation,
      member: attempt(() => organisation.member(idBytes)) ?? 'the certificate is of a kind that cannot be checked',
    }));
    const members = found.filter((one): one is Found => typeof one.member === 'object');
    const [first] = members;
    if (first === undefined) {
      const reasons = found.map(({ member }) => member).filter((member) => typeof member === 'string');
      return `${name}: ${[...new Set(reasons)].join('; ')}`;
    }
    if (members.some(({ organisation, member }) => organisation.hasRole(member, role))) {
      return { name, fingerprint: first.member.fingerprint };
    }
    return `${name} does not have the role ${role.toLowerCase()}: its certificate does not contain OU=${role.toLowerCase()}`;
  }
}

interface Found {
  readonly organisation: Organisation;
  readonly member: Member;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of authorities in a PEM file, each of which becomes a trusted root.
 * @throws RangeError when there is none, or one that is not an authority's
 */
export function readRoots(mspId: string, pem: string): readonly TrustedRoot[] {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new RangeError('it contains no certificate in PEM form');
  return found.map((certificate) => {
    requireAuthority(readCertificate(Buffer.from(certificate)));
    return { mspId, certificate };
  });
}

function requireAuthority(certificate: X509Certificate | undefined): void {
  if (certificate === undefined) throw new RangeError('a certificate in it cannot be read');
  if (!certificate.ca) throw new RangeError('a certificate in it is not that of a certificate authority');
}
