import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { request } from 'node:https';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import type { PemIdentity } from './fabric-client.js';

/** What a Fabric CA needs to enrol somebody. */
export interface Enrollment {
  readonly port: number;
  readonly caName: string;
  readonly roots: string;
  readonly id: string;
  readonly secret: string;
  /** Of the key; P-256 without it. */
  readonly curve?: 'P-256' | 'P-384';
}

/** Enrols at a Fabric CA over its REST interface: a certificate request in, a certificate out. */
export async function enroll({ port, caName, roots, id, secret, curve = 'P-256' }: Enrollment): Promise<PemIdentity> {
  const algorithm = { name: 'ECDSA', namedCurve: curve, hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: `CN=${id}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const body = JSON.stringify({ certificate_request: csr.toString('pem'), caname: caName });
  const answer = await new Promise<string>((resolve, reject) => {
    request({ host: 'localhost', port, path: '/api/v1/enroll', method: 'POST', ca: roots, auth: `${id}:${secret}` })
      .on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve(text);
        });
      })
      .on('error', reject)
      .end(body);
  });
  const { result } = JSON.parse(answer) as { result: { Cert: string } };
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return {
    certificate: Buffer.from(result.Cert, 'base64').toString(),
    privateKey: `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`,
  };
}
