import 'reflect-metadata';
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Wallets } from 'fabric-network';
import { jest } from '@jest/globals';
import { Pkcs10CertificateRequest } from '@peculiar/x509';
import { isLowS } from '#fabric-codec/encode';
import { createOrganisation, type StandInOrganisation } from '../testing/stand-in-identities.js';
import { FabricCa, type CaIdentity } from './fabric-ca.js';

interface Asked {
  readonly path: string;
  readonly authorization: string;
  readonly body: { readonly certificate_request?: string; readonly id?: string; readonly secret?: string };
  readonly text: string;
}

describe('a client of a Fabric CA', () => {
  let organisation: StandInOrganisation;
  let server: Server;
  let ca: FabricCa;
  let asked: Asked[];
  let registrar: CaIdentity;

  beforeEach(async () => {
    organisation = await createOrganisation();
    registrar = { mspId: 'Org1MSP', ...organisation.client };
    asked = [];
    const issued = Buffer.from(organisation.peer.certificate).toString('base64');
    server = createServer((request, response) => {
      void read(request).then((text) => {
        const { url: path = '', headers } = request;
        const body = JSON.parse(text) as Asked['body'];
        asked.push({ path, authorization: headers.authorization ?? '', body, text });
        const result = path.endsWith('register')
          ? { secret: 'made' }
          : { Cert: issued, ServerInfo: { CAChain: issued } };
        response.end(JSON.stringify({ success: true, result, errors: [], messages: [] }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ca = new FabricCa({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, 'Org1MSP');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    server.close();
  });

  it('makes the key and its request itself, and keeps neither', async () => {
    const { certificate, privateKey, mspId } = await ca.enroll('admin', 'secret');
    expect({ certificate, mspId }).toEqual({ certificate: organisation.peer.certificate, mspId: 'Org1MSP' });
    const [{ body, authorization, text }] = asked as [Asked];
    expect(authorization).toBe(`Basic ${Buffer.from('admin:secret').toString('base64')}`);
    await expectRequest(body.certificate_request, 'CN=admin', privateKey);
    expect(text).not.toContain('PRIVATE');
  });

  it('renews an identity under its name, with a new key, signed by the old one', async () => {
    const { privateKey } = await ca.reenroll(registrar);
    expect(privateKey).not.toBe(registrar.privateKey);
    const [only] = asked as [Asked];
    await expectRequest(only.body.certificate_request, 'CN=User1@org1.example.com', privateKey);
    expectToken(only);
  });

  it('registers on behalf of a registrar', async () => {
    expect(await ca.register({ id: 'clerk' }, registrar)).toBe('made');
    const [only] = asked as [Asked];
    expect(only.body).toMatchObject({ id: 'clerk', type: 'client', max_enrollments: -1 });
    expectToken(only);
  });

  it("uses neither the keys nor the signatures of the SDK's own cryptography", async () => {
    const wallet = await Wallets.newInMemoryWallet();
    const suite = wallet.getProviderRegistry().getProvider('X.509').getCryptoSuite();
    const prototype = Object.getPrototypeOf(suite) as { sign: () => never; generateEphemeralKey: () => never };
    const signed = jest.spyOn(prototype, 'sign');
    const made = jest.spyOn(prototype, 'generateEphemeralKey');
    await ca.enroll('admin', 'secret');
    await ca.reenroll(registrar);
    await ca.register({ id: 'clerk' }, registrar);
    expect(asked).toHaveLength(3);
    expect([signed.mock.calls, made.mock.calls]).toEqual([[], []]);
  });

  /** What the CA checks of a token: lib/serverrequestcontext.go and util.VerifyToken of fabric-ca. */
  function expectToken({ authorization, text }: Asked): void {
    const [certificate = '', signature = ''] = authorization.split('.');
    expect(Buffer.from(certificate, 'base64').toString()).toBe(registrar.certificate);
    const signed = [Buffer.from(text).toString('base64'), certificate].join('.');
    const path = Buffer.from(asked[0]?.path ?? '').toString('base64');
    const bytes = Buffer.from(signature, 'base64');
    const { publicKey } = new X509Certificate(registrar.certificate);
    expect(isLowS(bytes)).toBe(true);
    expect(verify('sha256', Buffer.from(`POST.${path}.${signed}`), publicKey, bytes)).toBe(true);
  }
});

async function expectRequest(pem: string | undefined, subject: string, privateKey: string): Promise<void> {
  const request = new Pkcs10CertificateRequest(pem ?? '');
  expect(request.subject).toBe(subject);
  expect(await request.verify()).toBe(true);
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  expect(Buffer.from(request.publicKey.rawData)).toEqual(spki);
}

async function read(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}
