import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CaIdentity } from '#fabric-ledger';
import { makeSelfSigned } from '../../../apps/ledger-api/src/server/tls-identity.js';
import { describeIdentity } from './identity-commands.js';
import { pemStore, requirePair, walletStore, type IdentityStore } from './identity-store.js';

let directory: string;
let identity: CaIdentity;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'identity-store-'));
  identity = { mspId: 'Org1MSP', ...(await pair()) };
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

async function pair(now?: Date): Promise<{ certificate: string; privateKey: string }> {
  const { cert, key } = await makeSelfSigned(now);
  return { certificate: cert, privateKey: key };
}

const pemFiles = (): IdentityStore =>
  pemStore({ certificate: join(directory, 'c.pem'), privateKey: join(directory, 'k.pem'), mspId: 'Org1MSP' });

describe.each<readonly [string, () => IdentityStore, readonly string[]]>([
  ['a wallet', () => walletStore(directory), ['User1.id']],
  ['a pair of PEM files', pemFiles, ['c.pem', 'k.pem']],
])('%s', (_, open, files) => {
  it('keeps an identity, which only its owner can read', async () => {
    const store = open();
    store.write('User1', identity);
    expect(await store.read('User1')).toEqual(identity);
    expect(readdirSync(directory).sort()).toEqual(files);
    for (const file of files) expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
  });

  it('replaces an identity and leaves nothing of the earlier one', async () => {
    const store = open();
    store.write('User1', identity);
    const next = { mspId: 'Org1MSP', ...(await pair()) };
    store.write('User1', next);
    expect(await store.read('User1')).toEqual(next);
    expect(readdirSync(directory).sort()).toEqual(files);
  });

  it('names the file that it cannot read', async () => {
    await expect(open().read('User1')).rejects.toMatchObject({
      code: 'LEDGER_TOOL.FAILED',
      message: expect.stringContaining(
        `${join(directory, files[0]!)} cannot be read: no such file or directory (ENOENT)`,
      ) as string,
    });
  });
});

describe('a wallet', () => {
  it('lists its identities by name', async () => {
    const store = walletStore(directory);
    for (const name of ['b', 'a', 'c']) store.write(name, identity);
    writeFileSync(join(directory, 'notes.txt'), '');
    expect(await store.names()).toEqual(['a', 'b', 'c']);
  });

  it('that does not exist is an error that names it', async () => {
    const missing = join(directory, 'missing');
    await expect(walletStore(missing).names()).rejects.toThrow(
      `The wallet ${missing} cannot be read: no such file or directory (ENOENT)`,
    );
  });

  it.each(['not JSON', '{"mspId":"Org1MSP"}'])('refuses the identity %j', async (content) => {
    writeFileSync(join(directory, 'User1.id'), content);
    await expect(walletStore(directory).read('User1')).rejects.toThrow(
      `${join(directory, 'User1.id')} is no X.509 identity of a wallet.`,
    );
  });

  it.each(['', '.', '..', '../up', 'a/b', 'a\\b', 'a\0b'])('accepts no identity of the name %j', (name) => {
    expect(() => {
      walletStore(directory).write(name, identity);
    }).toThrow('without slashes');
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a pair of PEM files', () => {
  it('is named by its certificate', async () => {
    expect(await pemFiles().names()).toEqual([join(directory, 'c.pem')]);
    expect(pemFiles().place('')).toBe(`${join(directory, 'c.pem')} and ${join(directory, 'k.pem')}`);
  });
});

describe('a certificate and a key', () => {
  it('have to belong together', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const other = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(() => {
      requirePair(identity);
    }).not.toThrow();
    expect(() => {
      requirePair({ ...identity, privateKey: other });
    }).toThrow('The private key does not belong to the certificate.');
    expect(() => {
      requirePair({ ...identity, certificate: 'x' });
    }).toThrow('The certificate or the private key is not readable PEM.');
  });

  it('are described with how long they are valid yet', async () => {
    const made = new Date('2026-01-31T00:00:00Z');
    const of = { mspId: 'Org1MSP', ...(await pair(made)) };
    expect(describeIdentity('User1', of, made.getTime())).toBe(
      'User1  localhost  Org1MSP  valid until 2027-03-04 (397 days)',
    );
    expect(describeIdentity('User1', of, Date.parse('2027-03-14T00:00:00Z'))).toBe(
      'User1  localhost  Org1MSP  EXPIRED on 2027-03-04 (10 days ago)',
    );
  });
});
