import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509';

/** A certificate with its key, both PEM texts. */
export interface ThrowawayCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

/** An authority for one test, and what it issues for localhost. */
export class ThrowawayAuthority {
  readonly root: ThrowawayCertificate;
  readonly #certificate: X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;

  private constructor(root: ThrowawayCertificate, certificate: X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.root = root;
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(name: string): Promise<ThrowawayAuthority> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.createSelfSigned({
      ...validity(),
      name: `CN=${name}`,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: [new BasicConstraintsExtension(true, undefined, true)],
    });
    return new ThrowawayAuthority(await pem(certificate, keys), certificate, keys);
  }

  async issue(name: string): Promise<ThrowawayCertificate> {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      ...validity(),
      subject: `CN=${name}`,
      issuer: this.#certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: 'localhost' },
          { type: 'ip', value: '127.0.0.1' },
        ]),
      ],
    });
    return pem(certificate, keys);
  }
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

function validity(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pem(certificate: X509Certificate, keys: webcrypto.CryptoKeyPair): Promise<ThrowawayCertificate> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: certificate.toString('pem'),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}
