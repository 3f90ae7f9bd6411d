import { Buffer } from 'node:buffer';
import { decodeIdentity, pemCertificatesIn, quotedShort, shortened, textOrBase64 } from '#fabric-codec';
import { attempt } from '#fabric-codec/messages';
import { type CertificateFacts, memberFault, type Role } from '#fabric-codec/verify';

/**
 * A certificate as an implementation of cryptography reads it. Commands use OpenSSL (openssl-certificate.ts), browsers use
 * WebCrypto, which is asynchronous (browser/web-certificate.ts). Both follow the same rules.
 */
export interface Certificate extends CertificateFacts {
  /** The common name in its subject. */
  readonly commonName: string | undefined;
  /** SHA-256 of its DER form: 32 pairs of hexadecimal digits with colons. */
  readonly fingerprint: string;
  /** Returns whether the issuer is an authority of that name whose key signed this certificate. */
  isIssuedBy(issuer: Certificate): Promise<boolean> | boolean;
  /**
   * Returns whether its key signed a content: ECDSA over SHA-256 in strict DER, on P-256 with low S.
   * @throws when the key is of a kind that cannot be used
   */
  hasSigned(content: Uint8Array, signature: Uint8Array): Promise<boolean> | boolean;
  /** Reads its key. @throws when the key is of a kind that cannot be used */
  loadKey(): unknown;
}

/** Reads a PEM or DER certificate; returns undefined for other bytes. */
export type ReadCertificate = (bytes: Uint8Array) => Certificate | undefined;

/** A certificate of an authority that the caller trusts to certify the members of an organization. */
export interface TrustedRoot {
  readonly mspId: string;
  /** PEM. */
  readonly certificate: string;
}

/** A signer whose certificate chains to a trusted root. */
export interface TrustedSigner extends Pick<Certificate, 'fingerprint' | 'hasSigned'> {
  /** Common name and MSP id. */
  readonly name: string;
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
  readonly #read: ReadCertificate;
  readonly #organisations: ReadonlyMap<string, readonly Certificate[]>;

  constructor(roots: readonly TrustedRoot[], read: ReadCertificate) {
    this.#read = read;
    const byOrganisation = Map.groupBy(roots, ({ mspId }) => mspId);
    this.#organisations = new Map(
      [...byOrganisation].map(([mspId, own]) => [mspId, own.map(({ certificate }) => readRoot(certificate, read))]),
    );
  }

  /** Whether the caller trusts no organization. */
  get isEmpty(): boolean {
    return this.#organisations.size === 0;
  }

  /**
   * Checks a serialized identity against the roots.
   * @param role - the role that it must have
   * @returns the signer, or why it is not trusted
   */
  async signer(identity: Uint8Array, role: Role): Promise<TrustedSigner | string> {
    const decoded = attempt(() => decodeIdentity(identity));
    if (decoded === undefined) return 'the identity cannot be decoded';
    const { mspId, idBytes } = decoded;
    const roots = this.#organisations.get(mspId);
    if (roots === undefined) return `no root of ${quotedShort(mspId)} was given: --root MSPID=CA.pem`;
    const certificate = this.#read(idBytes);
    const name = `${shortened(nameIn(certificate, idBytes))} (${mspId})`;
    const fault = await faultOf(certificate, mspId, roots);
    if (certificate === undefined || fault !== undefined) return `${name}: ${fault}`;
    const unit = UNITS.get(role);
    const hasRole = unit === undefined || certificate.units.includes(unit);
    if (!hasRole) return `${name} does not have the role ${unit}: its certificate does not contain OU=${unit}`;
    const { fingerprint } = certificate;
    return { name, fingerprint, hasSigned: (content, signature) => certificate.hasSigned(content, signature) };
  }

  /** Returns the common name in a certificate's subject; for bytes without one, the bytes as text or base64. */
  nameOf(idBytes: Uint8Array): string {
    return nameIn(this.#read(idBytes), idBytes);
  }
}

function nameIn(certificate: Certificate | undefined, idBytes: Uint8Array): string {
  return certificate?.commonName ?? textOrBase64(idBytes);
}

async function faultOf(certificate: Certificate | undefined, mspId: string, roots: readonly Certificate[]) {
  try {
    let isChained = false;
    for (const root of roots) isChained ||= certificate !== undefined && (await certificate.isIssuedBy(root));
    await certificate?.loadKey();
    return memberFault(certificate, isChained, { mspId, units: UNITS });
  } catch {
    return 'the certificate is of a kind that cannot be checked';
  }
}

/**
 * Reads the certificates of authorities in a PEM file, each of which becomes a trusted root.
 * @throws RangeError when there is none, or one that is not an authority's
 */
export function readRoots(mspId: string, pem: string, read: ReadCertificate): readonly TrustedRoot[] {
  const found = pemCertificatesIn(pem);
  if (found.length === 0) throw new RangeError('it contains no certificate in PEM form');
  return found.map(({ pem: certificate }) => {
    if (!readRoot(certificate, read).ca) {
      throw new RangeError('a certificate in it is not that of a certificate authority');
    }
    return { mspId, certificate };
  });
}

function readRoot(pem: string, read: ReadCertificate): Certificate {
  const certificate = read(Buffer.from(pem));
  if (certificate === undefined) throw new RangeError('a certificate in it cannot be read');
  return certificate;
}
