import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '#fabric-codec';
import type { Ledger, LedgerCall, SubmitResult } from '#ledger-gateway';
import { exportLedger, importLedger, rebuildLedger, verifyLedger } from '../index.js';
import { TestChaincodes, type TestFunction } from '../testing/test-chaincodes.js';
import { openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? 'none' : Buffer.from(bytes).toString();

/** Functions of a chaincode with private data; values are in the transient data. */
const FUNCTIONS: Readonly<Record<string, TestFunction>> = {
  Put: (stub, key = '', collection = 'secrets') => {
    for (const each of key.split(',')) {
      stub.collection(collection).put(each, stub.call.transient.get('value') ?? new Uint8Array());
    }
    return '';
  },
  Get: (stub, key = '', collection = 'secrets') => textOf(stub.collection(collection).get(key)),
  Hash: (stub, key = '', collection = 'secrets') => {
    return Buffer.from(stub.collection(collection).hash(key) ?? []).toString('hex');
  },
  Delete: (stub, key = '') => {
    stub.collection('secrets').delete(key);
    return '';
  },
  Purge: (stub, key = '') => {
    stub.collection('secrets').purge(key);
    return '';
  },
  Range: (stub, start = '', end = '') => {
    const range = stub.collection('secrets').range(start, end);
    const found: string[] = [];
    for (let entry = range.next(); entry !== undefined; entry = range.next()) {
      found.push(`${entry.key}=${textOf(entry.value)}`);
    }
    return found.join();
  },
  RangeAndPut: (stub) => {
    stub.collection('secrets').range('', '');
    stub.put('a', 'b');
    return '';
  },
  PutAndRange: (stub) => {
    stub.put('a', 'b');
    stub.collection('secrets').range('', '');
    return '';
  },
  Append: async (stub, key = '') => {
    const secrets = stub.collection('secrets');
    const value = textOf(secrets.get(key));
    await new Promise((resolve) => setImmediate(resolve));
    secrets.put(key, Buffer.from(`${value}x`));
    return '';
  },
  Mark: (stub, key = '', policy = '') => {
    const entries = [{ name: 'VALIDATION_PARAMETER', value: Buffer.from(policy) }];
    stub.collection('secrets').putMetadata(key, entries);
    return '';
  },
  Metadata: (stub, key = '') =>
    stub
      .collection('secrets')
      .metadata(key)
      .map(({ value }) => textOf(value))
      .join(),
  Refuse: (stub, key = '') => {
    throw new Error(`the value is ${textOf(stub.collection('secrets').get(key))}`);
  },
};

describe('private data', () => {
  let directory: TemporaryDirectory;
  let ledger: Ledger;
  beforeEach(async () => {
    directory = new TemporaryDirectory();
    ledger = await open();
  });
  afterEach(async () => {
    await ledger.close();
    directory.remove();
  });
  const open = (): Promise<Ledger> =>
    openLedger(directory.file('ledger'), { chaincodes: new TestChaincodes({ cc: FUNCTIONS }) });
  const call = (name: string, args: readonly string[], value?: string): LedgerCall => {
    const transient = value === undefined ? undefined : new Map([['value', Buffer.from(value)]]);
    return { chaincode: 'cc', function: name, arguments: args, ...(transient && { transient }) };
  };
  const submit = (name: string, ...args: readonly string[]): Promise<SubmitResult> => ledger.submit(call(name, args));
  const put = (key: string, value: string, ...rest: readonly string[]): Promise<SubmitResult> =>
    ledger.submit(call('Put', [key, ...rest], value));
  const read = async (name: string, ...args: readonly string[]): Promise<string> =>
    textOf(await ledger.evaluate(call(name, args)));
  const setsOf = async ({ transactionId }: SubmitResult) => {
    const { envelope } = (await ledger.transactionById(transactionId))!;
    return decodeReadWriteSets(decodeActions(decodeEnvelope(envelope).data)[0]!.results);
  };
  /** The files below the data directory that contain a text. */
  const filesWith = (text: string, folder = directory.file('ledger')): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(folder, name)).isFile() && readFileSync(join(folder, name)).includes(text))
      .sort();

  it('is returned to the chaincode, and recorded by hashes only', async () => {
    const written = await put('a', 'canary-1');
    expect(await read('Get', 'a')).toBe('canary-1');
    expect(await read('Hash', 'a')).toBe(sha256('canary-1'));
    expect([await read('Get', 'none'), await read('Hash', 'none')]).toEqual(['none', '']);
    const [{ namespace, writes, collections }] = (await setsOf(written)) as [
      Awaited<ReturnType<typeof setsOf>>[number],
    ];
    expect([namespace, writes]).toEqual(['cc', []]);
    expect(collections).toMatchObject([
      {
        collection: 'secrets',
        hashedWrites: [
          {
            keyHash: Buffer.from(sha256('a'), 'hex'),
            valueHash: Buffer.from(sha256('canary-1'), 'hex'),
            isPurge: false,
          },
        ],
      },
    ]);
    expect(filesWith('canary-1').every((name) => name.startsWith('private/'))).toBe(true);
    expect(filesWith('canary-1')).not.toHaveLength(0);
    const { mode } = statSync(directory.file('ledger', 'private', 'mychannel.db'));
    expect(mode & 0o777).toBe(0o600);
    expect(statSync(directory.file('ledger', 'private')).mode & 0o777).toBe(0o700);
  });

  it('follows updates, deletions and purges, which remove the old values', async () => {
    await put('a', 'canary-1');
    await put('a', 'canary-2');
    expect(await read('Get', 'a')).toBe('canary-2');
    await submit('Delete', 'a');
    expect([await read('Get', 'a'), await read('Hash', 'a')]).toEqual(['none', '']);
    await put('a', 'canary-3');
    const purged = await submit('Purge', 'a');
    expect((await setsOf(purged))[0]!.collections[0]!.hashedWrites).toMatchObject([{ isPurge: true }]);
    for (const value of ['canary-1', 'canary-2', 'canary-3']) expect(filesWith(value)).toEqual([]);
    await put('a', 'canary-4');
    expect(await read('Get', 'a')).toBe('canary-4');
  });

  it('leaves nothing of a large value on disk after a purge', async () => {
    await put('large', 'canary'.repeat(1500));
    await put('other', 'stays');
    await submit('Purge', 'large');
    expect(filesWith('canary')).toEqual([]);
    expect(await read('Get', 'other')).toBe('stays');
  });

  it('is found in ranges by plain keys, alone and without writes', async () => {
    await put('b', '2');
    await put('a', '1');
    await put('é', '3');
    await put('c', '4');
    await submit('Delete', 'c');
    expect(await read('Range')).toBe('a=1,b=2,é=3');
    expect(await read('Range', 'b', 'é')).toBe('b=2');
    await expect(submit('RangeAndPut')).rejects.toThrow(
      'unsuppored transaction. Transaction has already performed queries on pvt data. Writes are not allowed',
    );
    await expect(submit('PutAndRange')).rejects.toThrow(
      'unsuppored transaction. Queries on pvt data is supported only in a read-only transaction',
    );
  });

  it('returns long ranges completely', async () => {
    const keys = Array.from({ length: 250 }, (_, index) => `k${String(index).padStart(3, '0')}`);
    await put(keys.join(','), 'v');
    expect(await read('Range', 'k010', 'k240')).toBe(
      keys
        .slice(10, 240)
        .map((key) => `${key}=v`)
        .join(),
    );
  });

  it('has metadata of keys, which are public', async () => {
    await put('a', '1');
    await submit('Mark', 'a', 'policy');
    await submit('Mark', 'none', 'policy');
    expect([await read('Metadata', 'a'), await read('Metadata', 'none')]).toEqual(['policy', '']);
    expect(await read('Get', 'a')).toBe('1');
    await submit('Delete', 'a');
    await put('a', '2');
    expect(await read('Metadata', 'a')).toBe('');
    await ledger.close();
    expect((await verifyLedger({ path: directory.file('ledger') })).findings).toEqual([]);
    ledger = await open();
  });

  it('is not stored in a collection of others, as on a peer that is no member', async () => {
    const { blockNumber } = await put('a', 'canary-1', 'others');
    expect(await read('Hash', 'a', 'others')).toBe(sha256('canary-1'));
    const version = `Public hash version = {BlockNum: ${blockNumber}, TxNum: 0}, Private data version = <nil>`;
    await expect(read('Get', 'a', 'others')).rejects.toThrow(
      `private data matching public hash version is not available. ${version}`,
    );
    expect(filesWith('canary-1')).toEqual([]);
  });

  it('is not part of the refusal of a chaincode', async () => {
    await put('a', 'canary-1');
    await expect(read('Refuse', 'a')).rejects.toThrow(/^The message of the chaincode .* is not shown\.$/);
  });

  it('serializes concurrent changes of a key', async () => {
    await put('a', '-');
    await Promise.all(Array.from({ length: 20 }, () => submit('Append', 'a')));
    expect(await read('Get', 'a')).toBe(`-${'x'.repeat(20)}`);
  });

  it('survives a restart and a rebuild; verify and import accept its transactions', async () => {
    await put('a', 'canary-1');
    await put('a,b', 'canary-2');
    await submit('Purge', 'b');
    await ledger.close();
    expect((await verifyLedger({ path: directory.file('ledger') })).findings).toEqual([]);
    await rebuildLedger({ dataDir: directory.file('ledger') });
    expect((await verifyLedger({ path: directory.file('ledger') })).findings).toEqual([]);
    const target = directory.file('export');
    await exportLedger({ dataDir: directory.file('ledger'), target });
    await importLedger({ source: target, dataDir: directory.file('imported') });
    expect((await verifyLedger({ path: directory.file('imported') })).findings).toEqual([]);
    expect([...filesWith('canary', target), ...filesWith('canary', directory.file('imported'))]).toEqual([]);
    ledger = await open();
    expect([await read('Get', 'a'), await read('Get', 'b')]).toEqual(['canary-2', 'none']);
  });
});
