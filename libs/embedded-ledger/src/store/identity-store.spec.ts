import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { IdentityStore, organisationDomain } from './identity-store.js';

const YEAR = 365 * 24 * 3600 * 1000;

describe('IdentityStore', () => {
  let directory: string;
  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'identities-')), 'identities');
  });
  afterEach(() => {
    jest.useRealTimers();
    rmSync(join(directory, '..'), { recursive: true });
  });

  it('issues a root and three leaves under it, with node OUs, that only their owner may read', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    expect(store.exists()).toBe(false);
    await store.create();
    expect(store.exists()).toBe(true);

    const { root, peer, orderer, client } = await store.load();
    const ca = new X509Certificate(root);
    expect(ca.ca).toBe(true);
    expect(ca.checkIssued(ca)).toBe(true);
    for (const [leaf, name, unit] of [
      [peer, 'peer0.org1.example.com', 'peer'],
      [orderer, 'orderer.org1.example.com', 'orderer'],
      [client, 'User1@org1.example.com', 'client'],
    ] as const) {
      const certificate = new X509Certificate(leaf.certificate);
      expect(leaf.commonName).toBe(name);
      expect(certificate.subject.split('\n')).toEqual(expect.arrayContaining([`OU=${unit}`, `CN=${name}`]));
      expect(certificate.checkIssued(ca) && certificate.verify(ca.publicKey)).toBe(true);
      expect(certificate.checkPrivateKey(createPrivateKey(leaf.privateKey))).toBe(true);
    }
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory).map((file) => statSync(join(directory, file)).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600, 0o600, 0o600,
    ]);
  });

  it('returns the same identities at the next start', async () => {
    await new IdentityStore(directory, 'Org1MSP').create();
    const first = await new IdentityStore(directory, 'Org1MSP').load();
    await new IdentityStore(directory, 'Org1MSP').create();
    expect(await new IdentityStore(directory, 'Org1MSP').load()).toEqual(first);
  });

  it('finishes what a crash left half made', async () => {
    await new IdentityStore(directory, 'Org1MSP').create();
    const { root } = await new IdentityStore(directory, 'Org1MSP').load();
    unlinkSync(join(directory, 'client.pem'));
    await new IdentityStore(directory, 'Org1MSP').create();
    const again = await new IdentityStore(directory, 'Org1MSP').load();
    expect(again.root).toBe(root);
    expect(again.client.commonName).toBe('User1@org1.example.com');
  });

  it('renews leaves under the same root before they expire', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const before = await store.load();
    jest.useFakeTimers({ now: Date.now() + 4.5 * YEAR, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const after = await store.load();
    expect(after.root).toBe(before.root);
    for (const leaf of ['peer', 'orderer', 'client'] as const) {
      expect(after[leaf].certificate).not.toBe(before[leaf].certificate);
      expect(Date.parse(new X509Certificate(after[leaf].certificate).validTo)).toBeGreaterThan(Date.now() + 4 * YEAR);
    }
  });

  it('works without the key of the root until a leaf has expired', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const before = await store.load();
    unlinkSync(join(directory, 'ca.key.pem'));
    jest.useFakeTimers({ now: Date.now() + 4.5 * YEAR, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    expect(await store.load()).toEqual(before);
    jest.setSystemTime(Date.now() + YEAR);
    await expect(store.load()).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
  });

  it('creates callers’ identities by name, as clients, and returns the same ones again', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const alice = await store.caller('alice');
    const certificate = new X509Certificate(alice.certificate);
    expect(alice.commonName).toBe('alice@org1.example.com');
    expect(certificate.subject.split('\n')).toEqual(expect.arrayContaining(['OU=client', 'CN=alice@org1.example.com']));
    expect(certificate.checkIssued(new X509Certificate((await store.load()).root))).toBe(true);
    expect(statSync(join(directory, 'callers')).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'callers', 'alice.pem')).mode & 0o777).toBe(0o600);
    expect(await new IdentityStore(directory, 'Org1MSP').caller('alice')).toEqual(alice);
    expect((await store.caller('bob')).certificate).not.toBe(alice.certificate);
  });

  it('renews callers’ identities, and keeps the certificates that they had', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const made = [await store.caller('alice')];
    for (const years of [4.5, 9]) {
      jest.useFakeTimers({ now: Date.now() + years * YEAR, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
      made.unshift(await store.caller('alice'));
      jest.useRealTimers();
    }
    expect(await store.caller('alice')).toEqual(made[0]);
    const kept = readFileSync(join(directory, 'callers', 'alice.pem'), 'utf8').split(/(?=-----BEGIN CERT)/);
    expect(kept.map((pem) => new X509Certificate(pem).serialNumber)).toEqual(
      made.map(({ certificate }) => new X509Certificate(certificate).serialNumber),
    );
  });

  it('issues a caller another certificate when its attributes have changed, and keeps them when it renews it', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    expect(attributesIn(await store.caller('ana'))).toBeUndefined();
    const attributes = { role: 'auditor', 'abac.creator': 'true', place: `"São" }}`, abc: 'x'.repeat(200) };
    const auditor = await store.caller('ana', attributes);
    expect(attributesIn(auditor)).toEqual(attributes);
    const sameAttributes = Object.fromEntries(Object.entries(attributes).toReversed());
    expect(await store.caller('ana', sameAttributes)).toEqual(auditor);
    expect(attributesIn(await store.renewCaller('ana', { attributes }))).toEqual(attributes);
    expect(attributesIn(await store.caller('ana', { role: 'auditor' }))).toEqual({ role: 'auditor' });
    expect(attributesIn(await store.caller('ana'))).toBeUndefined();
    expect(store.certificatesOf('ana')).toHaveLength(5);
    expect(store.faults()).toEqual([]);
  });

  it('names what is missing to create a caller’s identity', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const alice = await store.caller('alice');
    unlinkSync(join(directory, 'ca.key.pem'));
    expect(await store.caller('alice')).toEqual(alice);
    await expect(store.caller('bob')).rejects.toThrow('ca.key.pem, which is needed to issue callers/bob.pem');
  });

  it('continues with a damaged root key until a leaf has expired', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const before = await store.load();
    writeFileSync(join(directory, 'ca.key.pem'), 'garbage');
    expect(store.faults()).toEqual([expect.stringContaining('ca.key.pem')]);
    jest.useFakeTimers({ now: Date.now() + 4.5 * YEAR, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    expect(await store.load()).toEqual(before);
    jest.setSystemTime(Date.now() + YEAR);
    await expect(store.load()).rejects.toMatchObject({ code: 'LEDGER.DAMAGED' });
  });

  it.each([
    ['a leaf that is missing', 'peer.pem', undefined],
    ['a leaf that is no PEM', 'peer.pem', 'nothing'],
    ['a root that is no PEM', 'ca.pem', 'nothing'],
  ])('names %s', async (_, file, content) => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    if (content === undefined) unlinkSync(join(directory, file));
    else writeFileSync(join(directory, file), content);
    const failure = await store.load().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'LEDGER.DAMAGED' });
    expect((failure as Error).message).toContain(file.replace('.pem', ''));
  });

  it('refuses a leaf of another root and a key of another certificate', async () => {
    const store = new IdentityStore(directory, 'Org1MSP');
    await store.create();
    const other = new IdentityStore(join(directory, 'other'), 'Org1MSP');
    await other.create();
    const foreign = readFileSync(join(directory, 'other', 'peer.pem'), 'utf8');
    const own = readFileSync(join(directory, 'peer.pem'), 'utf8');

    writeFileSync(join(directory, 'peer.pem'), foreign);
    await expect(store.load()).rejects.toThrow('was not issued by ca.pem');
    const [certificate] = own.split('-----BEGIN PRIVATE KEY-----');
    writeFileSync(
      join(directory, 'peer.pem'),
      `${certificate}-----BEGIN PRIVATE KEY-----${foreign.split('-----BEGIN PRIVATE KEY-----')[1]}`,
    );
    await expect(store.load()).rejects.toThrow('does not belong to its certificate');
  });
});

/** The value of the certificate's extension, which ends the certificate's content. */
function attributesIn({ certificate }: { readonly certificate: string }): unknown {
  const { raw } = new X509Certificate(certificate);
  const start = raw.indexOf('{"attrs":');
  if (start === -1) return undefined;
  const end = raw.lastIndexOf(Buffer.from('300a06082a8648ce3d040302', 'hex'));
  return (JSON.parse(raw.subarray(start, end).toString()) as { readonly attrs: unknown }).attrs;
}

describe('organisationDomain', () => {
  it.each([
    ['Org1MSP', 'org1.example.com'],
    ['AcmeCorpMSP', 'acmecorp.example.com'],
    ['acme.north', 'acme-north.example.com'],
    ['MSP', 'org.example.com'],
    ['.-.', 'org.example.com'],
  ])('of %s is %s', (mspId, domain) => {
    expect(organisationDomain(mspId)).toBe(domain);
  });
});
