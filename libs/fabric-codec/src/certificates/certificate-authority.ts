import { Buffer } from 'node:buffer';
import {
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  webcrypto,
  type KeyPairKeyObjectResult,
  type X509Certificate,
} from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';
import { lowSP1363 } from '../encode/low-s.js';

/** A certificate and its private key, both PEM. */
export interface IssuedIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The contents of a certificate. */
export interface CertificateRequest {
  /** Distinguished name as text, such as `O=example.com, CN=localhost`. */
  readonly subject: string;
  readonly validFrom: Date;
  readonly validUntil: Date;
  /** Issues certificates, signs messages, or also authenticates a TLS server. */
  readonly use: 'authority' | 'signing' | 'server';
  /** DNS names and IP addresses of the server. */
  readonly hosts?: readonly string[];
  readonly attributes?: CertificateAttributes | undefined;
  /** A key pair for signatures; the default is a new one on P-256. */
  readonly keys?: KeyPairKeyObjectResult;
}

/** Texts by name that chaincode reads from the certificate of a caller, such as `role` for access control. */
export type CertificateAttributes = Readonly<Record<string, string>>;

/** The extension in which Fabric's CA stores attributes. Its value is JSON. */
const ATTRIBUTES_ID = '1.2.3.4.5.6.7.8.1';
const ATTRIBUTES_ID_DER = Buffer.from('06082a03040506070801', 'hex');

/** The roles of Fabric's node OUs. The value is the organizational unit in the certificate's subject. */
export type NodeRole = 'peer' | 'orderer' | 'client';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const YEAR = 365.25 * 24 * 3600 * 1000;
/** Long enough for any ledger; leaves are re-issued under the same root (see identity-store.ts). */
const ROOT_LIFE = 40 * YEAR;
const LEAF_LIFE = 5 * YEAR;
/** Certificates are valid slightly before they are issued, for verifiers whose clocks are slow. */
const BACKDATE = 5 * 60 * 1000;

/** The part of WebCrypto that the library signs certificates with. The S value of a signature is low. */
const LOW_S_CRYPTO = {
  subtle: {
    sign: async (...parameters: Parameters<webcrypto.SubtleCrypto['sign']>): Promise<Buffer> =>
      lowSP1363(Buffer.from(await webcrypto.subtle.sign(...parameters))),
  },
} as unknown as webcrypto.Crypto;

/** Creates a root certificate for an organization's domain, as Fabric's cryptogen does. */
export async function createRoot(domain: string): Promise<IssuedIdentity> {
  return makeCertificate({ ...validity(ROOT_LIFE), use: 'authority', subject: subject(`O=${domain}`, `ca.${domain}`) });
}

/** Issues a leaf certificate under a root, with a new key. */
export async function issueLeaf(
  root: IssuedIdentity,
  {
    commonName,
    role,
    attributes,
  }: Readonly<{ commonName: string; role: NodeRole; attributes?: CertificateAttributes }>,
): Promise<IssuedIdentity> {
  const contents = { use: 'signing', subject: subject(`OU=${role}`, commonName), attributes } as const;
  return makeCertificate({ ...validity(LEAF_LIFE), ...contents }, root);
}

/** Returns whether a certificate of {@link issueLeaf} has these attributes and no others. */
export function hasAttributes({ raw }: X509Certificate, attributes: CertificateAttributes): boolean {
  const text = attributesText(attributes);
  // The escapes of JSON exclude that the text of other attributes contains this one.
  return text === undefined ? !raw.includes(ATTRIBUTES_ID_DER) : raw.includes(text);
}

/** Returns the value of the extension as Fabric's CA writes it, with sorted names; undefined without attributes. */
function attributesText(attributes: CertificateAttributes = {}): string | undefined {
  const sorted = Object.entries(attributes).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.length === 0 ? undefined : JSON.stringify({ attrs: Object.fromEntries(sorted) });
}

function validity(life: number): { readonly validFrom: Date; readonly validUntil: Date } {
  const now = Date.now();
  return { validFrom: new Date(now - BACKDATE), validUntil: new Date(now + life) };
}

/** Uses cryptogen's default subject names, which Fabric's samples and tools recognize. */
function subject(unit: string, commonName: string): string {
  return `C=US, ST=California, L=San Francisco, ${unit}, CN=${commonName}`;
}

/**
 * Creates an X.509 certificate (RFC 5280), signed by the issuer's P-256 key, or self-signed without an issuer. The
 * signature has a low S value, which Fabric requires.
 */
export async function makeCertificate(request: CertificateRequest, issuer?: IssuedIdentity): Promise<IssuedIdentity> {
  const x509 = await loadX509();
  const { subject, validFrom: notBefore, validUntil: notAfter } = request;
  const { publicKey, privateKey } = request.keys ?? generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issued = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const own = new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' }));
  const parent = issuer === undefined ? undefined : new x509.X509Certificate(issuer.certificate);
  const signingKey = await signingKeyOf(issuer?.privateKey ?? issued);
  const serialNumber = randomSerial();
  const extensions = await extensionsOf(x509, request, { own, parent: parent?.publicKey });
  const contents = {
    serialNumber,
    subject,
    issuer: parent?.subject ?? subject,
    notBefore,
    notAfter,
    publicKey: own,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions,
  };
  const certificate = await x509.X509CertificateGenerator.create(contents, LOW_S_CRYPTO);
  return { certificate: certificate.toString('pem'), privateKey: issued };
}

/**
 * Loads the library only when a certificate is created, because it is large, and after the polyfill that it needs: static
 * imports of a bundle may be evaluated in another order.
 */
export async function loadX509(): Promise<typeof X509> {
  await import('reflect-metadata');
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

async function extensionsOf(
  x509: typeof X509,
  { use, hosts = [], attributes }: CertificateRequest,
  keys: { readonly own: X509.PublicKey; readonly parent: X509.PublicKey | undefined },
): Promise<X509.Extension[]> {
  const extensions = [
    keyUsages(x509, use),
    new x509.BasicConstraintsExtension(use === 'authority', undefined, true),
    await x509.SubjectKeyIdentifierExtension.create(keys.own),
  ];
  if (keys.parent !== undefined) extensions.push(await x509.AuthorityKeyIdentifierExtension.create(keys.parent));
  if (use === 'server') extensions.push(new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]));
  const names = hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value }));
  if (names.length > 0) extensions.push(new x509.SubjectAlternativeNameExtension(names));
  const text = attributesText(attributes);
  if (text !== undefined) extensions.push(new x509.Extension(ATTRIBUTES_ID, false, Buffer.from(text)));
  return extensions;
}

function keyUsages({ KeyUsageFlags, KeyUsagesExtension }: typeof X509, use: CertificateRequest['use']): X509.Extension {
  const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = KeyUsageFlags;
  return use === 'authority'
    ? new KeyUsagesExtension(digitalSignature | keyEncipherment | keyCertSign | cRLSign, true)
    : new KeyUsagesExtension(digitalSignature, true);
}

async function signingKeyOf(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}

/** Returns a positive integer without a leading zero byte (RFC 5280, section 4.1.2.2). */
function randomSerial(): string {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial.toString('hex');
}
