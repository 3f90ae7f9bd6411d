import { Buffer } from 'node:buffer';
import type { X509Certificate } from 'node:crypto';
import { readIdentity } from '../decode/decode-envelope.js';
import { attempt } from '../decode/read-message.js';
import { certificateName } from '../decode/text-of.js';
import { mspConfig } from '../encode/config-block.js';
import { Organisation, readCertificate, type Role } from '../verify/trust/organisation.js';

/** A certificate of an authority that the caller trusts to say who is a member of an organisation. */
export interface TrustedRoot {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
}

/** Somebody whose certificate leads to a trusted root. */
export interface TrustedSigner {
  /** Common name and MSP id. */
  readonly name: string;
}

/** Whom a caller trusts who has no channel's configuration, but the roots of its organisations. Roles are told by the OU of a certificate. */
export class TrustedRoots {
  readonly #organisations: readonly Organisation[];

  constructor(roots: readonly TrustedRoot[]) {
    this.#organisations = roots.map(
      ({ mspId, certificate }) => new Organisation(mspConfig({ mspId, rootCertificate: certificate })),
    );
  }

  /**
   * Who a serialized identity is, under the roots.
   * @param role - that it has to have
   * @returns why it is nobody to trust, as a text
   */
  signer(identity: Uint8Array, role: Role): TrustedSigner | string {
    const read = attempt(() => readIdentity(identity));
    if (read === undefined) return 'the identity cannot be decoded';
    const { mspId, idBytes } = read;
    const known = this.#organisations.filter((organisation) => organisation.mspId === mspId);
    if (known.length === 0) return `no root of ${JSON.stringify(mspId)} was given: --root ${mspId}=CA.pem`;
    const name = `${certificateName(idBytes)} (${mspId})`;
    const found = known.map((organisation) => attempt(() => organisation.member(idBytes)));
    if (!found.some((member) => typeof member === 'object')) {
      const why = found.find((one) => typeof one === 'string') ?? 'the certificate is of a kind that cannot be checked';
      return `${name}: ${why}`;
    }
    const isInRole = found.some((member, index) => typeof member === 'object' && known[index]?.hasRole(member, role));
    if (isInRole) return { name };
    return `${name} is no ${role.toLowerCase()}: its certificate does not say OU=${role.toLowerCase()}`;
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads the certificates of authorities in a PEM file, each of which is trusted by itself.
 * @throws RangeError when there is none, or one that is not an authority's
 */
export function readRoots(mspId: string, pem: string): readonly TrustedRoot[] {
  const found = pem.match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new RangeError('it holds no certificate in PEM form');
  return found.map((certificate) => {
    requireAuthority(readCertificate(Buffer.from(certificate)));
    return { mspId, certificate };
  });
}

function requireAuthority(certificate: X509Certificate | undefined): void {
  if (certificate === undefined) throw new RangeError('a certificate in it cannot be read');
  if (!certificate.ca) throw new RangeError('a certificate in it is not that of an authority');
}
