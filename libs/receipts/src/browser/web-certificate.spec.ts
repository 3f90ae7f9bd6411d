import { Buffer } from 'node:buffer';
import { webcrypto, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CertificateRequest,
  createRoot,
  type IssuedIdentity,
  issueLeaf,
  loadX509,
  makeCertificate,
} from '#fabric-codec/certificates';
import { recordedChains } from '#fabric-codec/testing';
import { rootsOf } from '../testing/roots-of.js';
import { readOpensslCertificate } from '../openssl-certificate.js';
import type { ReadCertificate } from '../trusted-roots.js';
import { readWebCertificate } from './web-certificate.js';

const REQUEST = { validFrom: new Date('2001-01-01'), validUntil: new Date('2101-01-01') };
const derOf = (pem: string): Buffer => Buffer.from(new X509Certificate(pem).raw);
const make = async (request: Pick<CertificateRequest, 'subject' | 'use' | 'keys'>, issuer?: IssuedIdentity) =>
  makeCertificate({ ...REQUEST, ...request }, issuer);

/** The facts that an implementation reads; undefined if it cannot read the bytes. */
function factsOf(read: ReadCertificate, bytes: Uint8Array) {
  const certificate = read(bytes);
  return (
    certificate && {
      ca: certificate.ca,
      units: certificate.units,
      commonName: certificate.commonName,
      fingerprint: certificate.fingerprint,
    }
  );
}

async function isIssuedBy(read: ReadCertificate, leaf: string, issuer: string): Promise<boolean> {
  return (await read(Buffer.from(leaf))?.isIssuedBy(read(Buffer.from(issuer))!)) === true;
}

/** An authority on P-384 and a certificate under it, signed over SHA-384. */
async function onP384() {
  const x509 = await loadX509();
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const shared = { notBefore: REQUEST.validFrom, notAfter: REQUEST.validUntil, signingAlgorithm };
  const extensions = [new x509.BasicConstraintsExtension(true, undefined, true)];
  const root = await x509.X509CertificateGenerator.createSelfSigned({ ...shared, name: 'CN=large', keys, extensions });
  const leaf = await x509.X509CertificateGenerator.create({
    ...shared,
    subject: 'OU=peer, CN=p',
    issuer: root.subject,
    publicKey: keys.publicKey,
    signingKey: keys.privateKey,
  });
  return [root, leaf].map((each) => ({ certificate: each.toString('pem') })) as [Root, Root];
}
type Root = Pick<IssuedIdentity, 'certificate'>;

describe('a certificate in a browser', () => {
  let root: IssuedIdentity;
  let leaf: IssuedIdentity;
  let auditor: IssuedIdentity;
  beforeAll(async () => {
    root = await createRoot('org1.example.com');
    leaf = await issueLeaf(root, { commonName: 'peer0.org1.example.com', role: 'peer' });
    auditor = await issueLeaf(root, { commonName: 'ana', role: 'client', attributes: { role: 'auditor' } });
  });

  it('has the facts that OpenSSL reads, in PEM and in DER', () => {
    const recorded = recordedChains().flatMap(({ blocks }) =>
      rootsOf(blocks[0]!.bytes).map((each) => each.certificate),
    );
    for (const pem of [root, leaf, auditor].map((each) => each.certificate).concat(recorded)) {
      for (const bytes of [Buffer.from(pem), derOf(pem)]) {
        const facts = factsOf(readWebCertificate, bytes);
        expect(facts).toEqual(factsOf(readOpensslCertificate, bytes));
        expect(facts?.fingerprint).toHaveLength(95);
      }
    }
  });

  it('is refused in other forms than DER, and cut off', () => {
    const der = derOf(leaf.certificate);
    const longer = Buffer.concat([Buffer.from([0x30, 0x83, 0, der[2]!, der[3]!]), der.subarray(4)]);
    for (const bytes of [
      longer,
      Buffer.concat([der, Buffer.from([0])]),
      der.subarray(0, -1),
      Buffer.from('text'),
      Buffer.alloc(0),
    ]) {
      expect(readWebCertificate(bytes)).toBeUndefined();
    }
  });

  it('has an issuer for WebCrypto where it has one for OpenSSL', async () => {
    const named = new X509Certificate(root.certificate).subject.split('\n').join(', ');
    // Of the same name, with another key: only the identifier of the key or the signature differs.
    const imposter = await make({ subject: named, use: 'authority' });
    const [larger, underLarger] = await onP384();
    const renamed = { ...(await make({ subject: 'CN=other', use: 'authority' })), privateKey: root.privateKey };
    const own = await make({ subject: 'OU=peer, CN=p', use: 'signing' }, root);
    const forged = await make({ subject: 'OU=peer, CN=p', use: 'signing' }, renamed);
    const member = await make({ subject: 'OU=peer, CN=p', use: 'signing' }, leaf);
    const results: boolean[] = [];
    for (const certificate of [leaf, underLarger, own, forged, member, root, imposter, larger, auditor]) {
      for (const issuer of [root, imposter, larger, renamed, leaf]) {
        const web = await isIssuedBy(readWebCertificate, certificate.certificate, issuer.certificate);
        expect(web).toBe(await isIssuedBy(readOpensslCertificate, certificate.certificate, issuer.certificate));
        results.push(web);
      }
    }
    // The leaf under the root only, and that on P-384 under the larger one only.
    expect(results.slice(0, 10)).toEqual([true, false, false, false, false, false, false, true, false, false]);
  });
});
