import { X509Certificate } from 'node:crypto';
import { decodeIdentity } from '../decode/decode-envelope.js';
import { attempt } from '../messages/decode-message.js';
import { certificateName, quotedShort, shortened } from '../messages/text.js';
import { Organisation, readCertificate, type Role } from '../verify/trust/organisation.js';

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

/** The organizational unit in a certificate that states the role of its holder, by Fabric's defaults. */
const UNITS = new Map<Role, string>([
  ['CLIENT', 'client'],
  ['PEER', 'peer'],
  ['ADMIN', 'admin'],
  ['ORDERER', 'orderer'],
]);

/** The organizations that a caller trusts, who has their roots and not the channel's configuration. */
export class TrustedRoots {
  readonly #organisations: ReadonlyMap<string, Organisation>;

  constructor(roots: readonly TrustedRoot[]) {
    const byOrganisation = Map.groupBy(roots, ({ mspId }) => mspId);
    this.#organisations = new Map(
      [...byOrganisation].map(([mspId, own]) => {
        const certificates = own.map(({ certificate }) => new X509Certificate(certificate));
        return [mspId, new Organisation({ mspId, roots: certificates, units: UNITS })];
      }),
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
    const organisation = this.#organisations.get(mspId);
    if (organisation === undefined) return `no root of ${quotedShort(mspId)} was given: --root MSPID=CA.pem`;
    const name = `${shortened(certificateName(idBytes))} (${mspId})`;
    const member = organisation.member(idBytes);
    if (typeof member === 'string') return `${name}: ${member}`;
    if (organisation.hasRole(member, role)) return { name, fingerprint: member.fingerprint };
    return `${name} does not have the role ${role.toLowerCase()}: its certificate does not contain OU=${role.toLowerCase()}`;
  }
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
    const read = readCertificate(Buffer.from(certificate));
    if (read === undefined) throw new RangeError('a certificate in it cannot be read');
    if (!read.ca) throw new RangeError('a certificate in it is not that of a certificate authority');
    return { mspId, certificate };
  });
}
