import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '#fabric-codec';
import type { Ledger, LedgerCall, SubmitResult } from '#ledger-gateway';
import {
  backupLedger,
  checkEmbeddedLedger,
  exportLedger,
  importLedger,
  rebuildLedger,
  verifyLedger,
} from '../index.js';
import { TestChaincodes, type TestFunction } from '../testing/test-chaincodes.js';
import { NAMES, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

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
  /** Writes a value once, whatever its key is. */
  Claim: async (stub, key = '') => {
    if (stub.get('claimed') !== '') throw new Error('it is claimed');
    await new Promise((resolve) => setImmediate(resolve));
    stub.put('claimed', key);
    stub.collection('secrets').put(key, stub.call.transient.get('value') ?? new Uint8Array());
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
    // Composite keys contain NUL.
    await put('\0color\0blue\0a\0', '5');
    await put('\0color\0blue\0b\0', '6');
    await put('\0color\0red\0a\0', '7');
    const blue = await read('Range', '\0color\0blue\0', '\0color\0blue\0\u{10ffff}');
    expect(blue).toBe('\0color\0blue\0a\0=5,\0color\0blue\0b\0=6');
    expect(await read('Get', '\0color\0red\0a\0')).toBe('7');
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

  it('of a transaction that was not committed is removed', async () => {
    const keys = ['a', 'b', 'c'];
    const claims = keys.map((key) => ledger.submit(call('Claim', [key], `canary-of-${key}`)));
    const outcomes = (await Promise.allSettled(claims)).map(({ status }) => status);
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
    await submit('Purge', 'none');
    const stored = keys.filter((key) => filesWith(`canary-of-${key}`).length > 0);
    expect(stored).toEqual([keys[outcomes.indexOf('fulfilled')]]);
  });

  it('is refused alone while its file cannot be created', async () => {
    mkdirSync(directory.file('ledger', 'private', 'mychannel.db'), { recursive: true });
    await expect(put('a', 'canary-1')).rejects.toThrow('cannot be written');
    await ledger.submit({ function: 'CreateAsset', arguments: ['asset', 'blue', '5', 'Tomoko', '300'] });
    expect(await read('Hash', 'a')).toBe('');
    await ledger.close();
    rmSync(directory.file('ledger', 'private'), { recursive: true });
    ledger = await open();
    await put('a', 'canary-1');
  });

  it('survives a restart and a rebuild; verify and import accept its transactions', async () => {
    await put('a', 'canary-1');
    await put('a,b', 'canary-2');
    await submit('Purge', 'b');
    await put('a', 'canary-1', 'others');
    await ledger.close();
    const verified = async (path: string) => {
      const { findings, privateValues } = await verifyLedger({ path });
      expect(findings).toEqual([]);
      return privateValues;
    };
    const dataDir = directory.file('ledger');
    // Values of others are not stored here.
    expect(await verified(dataDir)).toEqual({ present: 1, total: 2 });
    await rebuildLedger({ dataDir });
    expect(await verified(dataDir)).toEqual({ present: 1, total: 2 });
    const target = directory.file('export');
    expect(await exportLedger({ dataDir, target })).toMatchObject({ hasPrivateValues: true });
    expect(await verified(target)).toEqual({ present: 0, total: 2 });
    await importLedger({ source: target, dataDir: directory.file('imported') });
    expect(await verified(directory.file('imported'))).toEqual({ present: 0, total: 2 });
    expect([...filesWith('canary', target), ...filesWith('canary', directory.file('imported'))]).toEqual([]);
    ledger = await open();
    expect([await read('Get', 'a'), await read('Get', 'b')]).toEqual(['canary-2', 'none']);
  });

  it('that was altered is found by verify, and not returned', async () => {
    await put('a', 'canary-1');
    await ledger.close();
    const db = new DatabaseSync(directory.file('ledger', 'private', 'mychannel.db'));
    db.exec("UPDATE private_values SET value = CAST('canary-2' AS BLOB)");
    db.close();
    const { findings, privateValues } = await verifyLedger({ path: directory.file('ledger') });
    expect([findings.map(({ check }) => check), privateValues]).toEqual([['RECORD'], { present: 0, total: 1 }]);
    ledger = await open();
    await expect(read('Get', 'a')).rejects.toMatchObject({ code: 'LEDGER.DAMAGED' });
  });

  it.each([
    ['no database', Buffer.from('text'), 'is not a ledger'],
    ['another database', 'another', 'is not a ledger'],
    ['a newer format', 'newer', 'format 2'],
  ])('that is %s is refused at the start and by its check', async (_, content, text) => {
    await put('a', 'canary-1');
    await ledger.close();
    const path = directory.file('ledger', 'private', 'mychannel.db');
    if (typeof content === 'string') {
      const db = new DatabaseSync(path);
      db.exec(content === 'newer' ? 'PRAGMA user_version = 2' : 'PRAGMA application_id = 1');
      db.close();
    } else writeFileSync(path, content);
    await expect(open()).rejects.toThrow(text);
    await expect(checkEmbeddedLedger({ ...NAMES, dataDir: directory.file('ledger') })).rejects.toThrow(text);
  });

  it('is not there while its file is empty, as after a crash of its creation', async () => {
    await put('a', 'canary-1');
    await ledger.close();
    writeFileSync(directory.file('ledger', 'private', 'mychannel.db'), '');
    const { findings, privateValues } = await verifyLedger({ path: directory.file('ledger') });
    expect([findings, privateValues]).toEqual([[], { present: 0, total: 1 }]);
    await backupLedger({ dataDir: directory.file('ledger'), target: directory.file('backup') });
    ledger = await open();
    await expect(read('Get', 'a')).rejects.toThrow('private data matching public hash version is not available');
    await put('a', 'canary-2');
    expect(await read('Get', 'a')).toBe('canary-2');
  });

  it('is in a backup, as of one moment while writes continue', async () => {
    await put('a', 'canary-1');
    const done = new AbortController();
    const writing = (async () => {
      for (let count = 0; !done.signal.aborted; count++) await put('b', `value-${count}`);
    })();
    await backupLedger({ dataDir: directory.file('ledger'), target: directory.file('backup') });
    done.abort();
    await writing;
    const values = statSync(directory.file('backup', 'private', 'mychannel.db'));
    expect(values.mode & 0o777).toBe(0o600);
    const { findings, privateValues } = await verifyLedger({ path: directory.file('backup') });
    expect([findings, privateValues?.present]).toEqual([[], privateValues?.total]);
    const chaincodes = new TestChaincodes({ cc: FUNCTIONS });
    const copy = await openLedger(directory.file('backup'), { chaincodes });
    const found = await Promise.all(['a', 'b'].map(async (key) => textOf(await copy.evaluate(call('Get', [key])))));
    await copy.close();
    expect(found).toEqual(['canary-1', expect.stringMatching(/^(value-\d+|none)$/)]);
  });
});

describe('private data that expire', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = new TemporaryDirectory();
  });
  afterEach(() => {
    directory.remove();
  });
  const open = async (blockToLive: number): Promise<Ledger> => {
    const chaincodes = new TestChaincodes({ cc: FUNCTIONS });
    chaincodes.collections = [{ chaincode: 'cc', name: 'secrets', blockToLive }];
    return openLedger(directory.file('ledger'), { chaincodes });
  };
  const call = (name: string, ...args: readonly string[]): LedgerCall => {
    return { chaincode: 'cc', function: name, arguments: args, transient: new Map([['value', Buffer.from('canary')]]) };
  };
  const hashOf = async (ledger: Ledger, key: string): Promise<string> =>
    textOf(await ledger.evaluate(call('Hash', key)));

  it('lose value and hash with block n + blockToLive + 1, also in a replay', async () => {
    let ledger = await open(2);
    const { blockNumber } = await ledger.submit(call('Put', 'a'));
    await ledger.submit(call('Put', 'marked'));
    expect((await ledger.submit(call('Put', 'b', 'others'))).blockNumber).toBe(blockNumber + 2);
    // Metadata raise the version, from which the blocks are counted.
    const hash = sha256('canary');
    expect(await hashOf(ledger, 'a')).toBe(hash);
    expect((await ledger.submit(call('Mark', 'marked', 'policy'))).blockNumber).toBe(blockNumber + 3);
    expect(await hashOf(ledger, 'a')).toBe('');
    expect(textOf(await ledger.evaluate(call('Get', 'a')))).toBe('none');
    await ledger.submit(call('Put', 'c'));
    expect([await hashOf(ledger, 'marked'), await hashOf(ledger, 'c')]).toEqual([hash, hash]);
    // The read has the version that a peer returns, none: the replay of the block must know the rule.
    const appended = await ledger.submit(call('Append', 'a'));
    expect(appended.blockNumber).toBe(blockNumber + 5);
    await ledger.submit(call('Put', 'd'));
    expect([await hashOf(ledger, 'marked'), await hashOf(ledger, 'a')]).toEqual(['', sha256('nonex')]);
    expect(textOf(await ledger.evaluate(call('Metadata', 'marked')))).toBe('');
    await ledger.close();
    const dataDir = directory.file('ledger');
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
    await rebuildLedger({ dataDir });
    expect((await verifyLedger({ path: dataDir })).findings).toEqual([]);
    const definitions = directory.file('ledger', 'collections.json');
    renameSync(definitions, `${definitions}.away`);
    expect((await verifyLedger({ path: dataDir })).findings.map(({ check }) => check)).toContain('DERIVED');
    renameSync(`${definitions}.away`, definitions);
    const target = directory.file('export');
    await exportLedger({ dataDir, target });
    expect((await verifyLedger({ path: target })).findings).toEqual([]);
    await importLedger({ source: target, dataDir: directory.file('imported') });
    expect((await verifyLedger({ path: directory.file('imported') })).findings).toEqual([]);
    ledger = await open(2);
    expect(await hashOf(ledger, 'a')).toBe(sha256('nonex'));
    await ledger.close();
  });

  it('are refused with another blockToLive than before', async () => {
    await (await open(2)).close();
    await expect(open(3)).rejects.toThrow(
      'the blockToLive of the collection "secrets" of the chaincode "cc" is 3, and was 2 when it was defined',
    );
    await (await open(2)).close();
  });
});
