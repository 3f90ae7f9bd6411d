import 'reflect-metadata';
import { generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { isLowS } from '../fabric-blocks/encode/low-s.js';
import {
  createRoot,
  issueLeaf,
  makeCertificate,
  type CertificateRequest,
  type IssuedIdentity,
} from './certificate-authority.js';

const VALID = { validFrom: new Date('2001-02-03T04:05:06Z'), validUntil: new Date('2049-12-31T23:59:59Z') };

/** Creates the same certificate by a library that is independent of ours, and returns what is signed. */
async function byLibrary(made: IssuedIdentity, issuer: IssuedIdentity, extensions: x509.Extension[]): Promise<Buffer> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const signingKey = await webcrypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const [own, parent] = [new x509.X509Certificate(made.certificate), new x509.X509Certificate(issuer.certificate)];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: own.serialNumber,
    subject: own.subjectName.toJSON(),
    issuer: parent.subjectName.toJSON(),
    notBefore: own.notBefore,
    notAfter: own.notAfter,
    publicKey: own.publicKey,
    signingKey: signingKey.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      ...extensions.slice(0, 2),
      await x509.SubjectKeyIdentifierExtension.create(own.publicKey),
      ...(made === issuer ? [] : [await x509.AuthorityKeyIdentifierExtension.create(parent.publicKey)]),
      ...extensions.slice(2),
    ],
  });
  return signedPartOf(Buffer.from(certificate.rawData));
}

/** Returns the first part of a certificate of 256 to 65,535 bytes, which is what its issuer signs. */
function signedPartOf(der: Buffer): Buffer {
  return der.subarray(4, 8 + der.readUInt16BE(6));
}

const SIGNING = new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true);
const NO_AUTHORITY = new x509.BasicConstraintsExtension(false, undefined, true);

describe('a certificate', () => {
  let root: IssuedIdentity;
  beforeAll(async () => {
    root = await createRoot('org1.example.com');
  });

  it('is, for an authority, byte for byte what another library writes', async () => {
    const { digitalSignature, keyEncipherment, keyCertSign, cRLSign } = x509.KeyUsageFlags;
    const extensions = [
      new x509.KeyUsagesExtension(digitalSignature | keyEncipherment | keyCertSign | cRLSign, true),
      new x509.BasicConstraintsExtension(true, undefined, true),
    ];
    // Valid for 40 years, so that its end has four digits for the year.
    const { raw } = new X509Certificate(root.certificate);
    expect(signedPartOf(raw)).toEqual(await byLibrary(root, root, extensions));
  });

  it('is, for a caller with attributes, byte for byte what another library writes', async () => {
    const attributes = { role: 'auditor', area: 'a"ü'.repeat(50) };
    const leaf = await issueLeaf(root, { commonName: 'Zoë*@org1', role: 'client', attributes });
    const text = Buffer.from(JSON.stringify({ attrs: { area: attributes.area, role: 'auditor' } }));
    const extensions = [SIGNING, NO_AUTHORITY, new x509.Extension('1.2.3.4.5.6.7.8.1', false, text)];
    const { raw } = new X509Certificate(leaf.certificate);
    expect(signedPartOf(raw)).toEqual(await byLibrary(leaf, root, extensions));
  });

  it('is, for a server, byte for byte what another library writes', async () => {
    const hosts = ['localhost', '127.0.0.1', '::1'];
    const subject = [{ OU: ['peer', 'a'] }, { CN: 'a, b+c', O: 'd' }];
    const server = await makeCertificate({ ...VALID, subject, use: 'server', hosts }, root);
    const names = hosts.map((value) => ({ type: value === 'localhost' ? ('dns' as const) : ('ip' as const), value }));
    const purposes = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]);
    const extensions = [SIGNING, NO_AUTHORITY, purposes, new x509.SubjectAlternativeNameExtension(names)];
    const { raw } = new X509Certificate(server.certificate);
    expect(signedPartOf(raw)).toEqual(await byLibrary(server, root, extensions));
  });

  it.each([
    ['P-256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ['Ed25519', generateKeyPairSync('ed25519')],
  ])('for a key on %s is accepted by OpenSSL, and its signature by Fabric', async (_curve, keys) => {
    const request: CertificateRequest = { ...VALID, subject: [{ CN: 'c' }], use: 'signing', keys };
    const { certificate, privateKey } = await makeCertificate(request, root);
    const [read, issuer] = [new X509Certificate(certificate), new X509Certificate(root.certificate)];
    expect([read.checkIssued(issuer), read.verify(issuer.publicKey)]).toEqual([true, true]);
    expect(read.checkPrivateKey(keys.privateKey)).toBe(true);
    expect(privateKey).toBe(keys.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect([read.validFromDate, read.validToDate]).toEqual([VALID.validFrom, VALID.validUntil]);
    expect(isLowS(Buffer.from(new x509.X509Certificate(certificate).signature))).toBe(true);
  });
});
