import { generateKeyPairSync, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

/** A certificate and its private key, both PEM. */
export interface IssuedIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The roles that Fabric's node OUs tell apart; the value is the organisational unit in the certificate's subject. */
export type NodeRole = 'peer' | 'orderer' | 'client';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
/** Half of the order of P-256: Fabric refuses signatures whose S is above it. */
const HALF_ORDER = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;
const YEAR = 365.25 * 24 * 3600 * 1000;
/** The root outlives every ledger that is likely to be kept; leaves are re-issued under it (see identity-store.ts). */
const ROOT_LIFE = 40 * YEAR;
const LEAF_LIFE = 5 * YEAR;
/** Certificates are valid a little before they are made, for readers whose clock is behind. */
const BACKDATE = 5 * 60 * 1000;

/** Makes a root certificate for an organisation's domain, as Fabric's cryptogen would. */
export async function createRoot(domain: string): Promise<IssuedIdentity> {
  const keys = await newKeys();
  const name = subject(domain, `ca.${domain}`, `O=${domain}`);
  const certificate = await withLowS(() =>
    x509.X509CertificateGenerator.createSelfSigned({
      ...validity(ROOT_LIFE),
      name,
      keys: keys.pair,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.digitalSignature |
            x509.KeyUsageFlags.keyEncipherment |
            x509.KeyUsageFlags.keyCertSign |
            x509.KeyUsageFlags.cRLSign,
          true,
        ),
        new x509.BasicConstraintsExtension(true, undefined, true),
        keys.subjectKeyId,
      ],
    }),
  );
  return { certificate: certificate.toString('pem'), privateKey: keys.privatePem };
}

/** Issues a leaf certificate under a root, with a key of its own. */
export async function issueLeaf(
  root: IssuedIdentity,
  leaf: Readonly<{ domain: string; commonName: string; role: NodeRole }>,
): Promise<IssuedIdentity> {
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(root.certificate);
  const signingKey = await importPrivateKey(root.privateKey);
  const certificate = await withLowS(async () =>
    x509.X509CertificateGenerator.create({
      ...validity(LEAF_LIFE),
      subject: subject(leaf.domain, leaf.commonName, `OU=${leaf.role}`),
      issuer: issuer.subject,
      publicKey: keys.pair.publicKey,
      signingKey,
      signingAlgorithm: ALGORITHM,
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.BasicConstraintsExtension(false, undefined, true),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
        keys.subjectKeyId,
      ],
    }),
  );
  return { certificate: certificate.toString('pem'), privateKey: keys.privatePem };
}

interface NewKeys {
  readonly pair: webcrypto.CryptoKeyPair;
  readonly privatePem: string;
  readonly subjectKeyId: x509.SubjectKeyIdentifierExtension;
}

async function newKeys(): Promise<NewKeys> {
  x509.cryptoProvider.set(webcrypto);
  const made = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privatePem = toPem(made.privateKey);
  const spki = made.publicKey.export({ type: 'spki', format: 'der' });
  const publicKey = await webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']);
  return {
    pair: { publicKey, privateKey: await importPrivateKey(privatePem) } satisfies webcrypto.CryptoKeyPair,
    privatePem,
    subjectKeyId: await x509.SubjectKeyIdentifierExtension.create(publicKey, false, webcrypto),
  };
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

function validity(life: number): { notBefore: Date; notAfter: Date; serialNumber: string } {
  const serial = randomBytes(16);
  // A positive integer without a leading zero byte, as RFC 5280 section 4.1.2.2 wants it.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const now = Date.now();
  return {
    serialNumber: serial.toString('hex'),
    notBefore: new Date(now - BACKDATE),
    notAfter: new Date(now + life),
  };
}

/** The subject names are those that cryptogen gives by default, so that Fabric's samples and tools recognise them. */
function subject(domain: string, commonName: string, unit: string): string {
  return `C=US, ST=California, L=San Francisco, ${unit.startsWith('O=') ? `O=${domain}` : unit}, CN=${commonName}`;
}

/** Signs until S is low: half of all signatures are, and each try differs by its nonce. */
async function withLowS(issue: () => Promise<x509.X509Certificate>): Promise<x509.X509Certificate> {
  for (;;) {
    const certificate = await issue();
    if (scalarS(Buffer.from(certificate.signature)) <= HALF_ORDER) return certificate;
  }
}

/** S of a DER signature: SEQUENCE { INTEGER r, INTEGER s }, each length one byte for P-256. */
function scalarS(der: Buffer): bigint {
  const lengthOfR = der[3] ?? 0;
  return BigInt(`0x${der.subarray(4 + lengthOfR + 2).toString('hex')}`);
}
