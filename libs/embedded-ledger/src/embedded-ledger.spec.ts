import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { getuid } from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import type { CommitObservation } from '#ledger-gateway';
import { MAX_WAITING_WRITES } from './writer/writer-client.js';
import { rebuildLedger } from './index.js';
import {
  codeOf,
  createAsset,
  failureOf,
  fillLedger,
  NAMES,
  openLedger,
  TemporaryDirectory,
} from './testing/temporary-ledger.js';

describe('the embedded ledger', () => {
  const home = new TemporaryDirectory();
  /** A ledger of 20 assets, created once; tests that need any ledger use a copy. */
  const made = home.file('made');
  const copyTo = (path: string) => {
    cpSync(made, path, { recursive: true });
  };
  let directory: TemporaryDirectory;
  beforeAll(() => fillLedger(made, 20));
  afterAll(() => {
    home.remove();
  });
  beforeEach(() => {
    directory = new TemporaryDirectory();
  });
  afterEach(() => {
    directory.remove();
  });
  const store = () => directory.file('channels', NAMES.channel, 'ledger.db');
  const pin = () => directory.file('channels', NAMES.channel, 'head.pin');

  it('has all acknowledged writes after a restart', async () => {
    const first = await openLedger(directory.path);
    const { transactionId } = await first.submit(createAsset('a'));
    const info = await first.chainInfo();
    await first.close();

    const second = await openLedger(directory.path);
    expect(await second.chainInfo()).toEqual(info);
    expect(await second.transactionById(transactionId)).toMatchObject({ blockNumber: 1 });
    await second.submit({ function: 'TransferAsset', arguments: ['a', 'Ann'] });
    expect((await second.chainInfo()).height).toBe(3);
    await second.close();
  });

  it('is not accessible to other users', async () => {
    await fillLedger(directory.path, 1);
    expect(statSync(directory.path).mode & 0o777).toBe(0o700);
    expect(statSync(directory.file('identities')).mode & 0o777).toBe(0o700);
    expect(statSync(directory.file('channels')).mode & 0o777).toBe(0o700);
  });

  it('returns the history of an asset from its blocks, newest first', async () => {
    const ledger = await openLedger(directory.path);
    const channel = ledger;
    const ids: string[] = [];
    for (const call of [
      createAsset('a'),
      { function: 'TransferAsset', arguments: ['a', 'Ann'] },
      { function: 'DeleteAsset', arguments: ['a'] },
      createAsset('a', 'Bob'),
    ]) {
      ids.unshift((await channel.submit(call)).transactionId);
    }
    const history = await channel.evaluate({ function: 'GetAssetHistory', arguments: ['a'] });
    expect(JSON.parse(Buffer.from(history).toString())).toMatchObject([
      { transactionId: ids[0], isDelete: false, asset: { owner: 'Bob' } },
      { transactionId: ids[1], isDelete: true, asset: null },
      { transactionId: ids[2], isDelete: false, asset: { owner: 'Ann' } },
      { transactionId: ids[3], isDelete: false, asset: { owner: 'Tomoko' } },
    ]);
    await ledger.close();
  });

  it('puts concurrent writes into few blocks, of at most 100 transactions', async () => {
    const commits: CommitObservation[] = [];
    const ledger = await openLedger(directory.path, { onCommit: (commit) => commits.push(commit) });
    const submits = Array.from({ length: 250 }, (_, n) => ledger.submit(createAsset(`asset-${n}`)));
    await Promise.all(submits);
    // The size of a block depends on the writes that arrived while the previous one was written: a busy machine writes more, smaller ones.
    const sizes = commits.map(({ transactions }) => transactions);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(250);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    expect(sizes.length).toBeLessThan(125);
    expect(commits.map(({ blockNumber }) => blockNumber)).toEqual(sizes.map((_, index) => index + 1));
    expect(commits.every(({ seconds }) => seconds > 0)).toBe(true);
    await ledger.close();
  });

  it('puts a transaction that reads a key of the open block into the next block', async () => {
    const ledger = await openLedger(directory.path);
    const channel = ledger;
    const [created, moved, other, listed] = await Promise.all([
      channel.submit(createAsset('a')),
      channel.submit({ function: 'TransferAsset', arguments: ['a', 'Ann'] }),
      channel.submit(createAsset('b')),
      channel.submit({ function: 'GetAllAssets', arguments: [] }),
    ]);
    expect([created, moved, other].map(({ blockNumber }) => blockNumber)).toEqual([1, 2, 1]);
    expect(listed.blockNumber).toBeGreaterThan(1);
    expect(JSON.parse(Buffer.from(listed.result).toString())).toMatchObject([{ ID: 'a' }, { ID: 'b' }]);
    await ledger.close();
  });

  it('does not block the event loop while a list or a page is read', async () => {
    const ledger = await openLedger(directory.path);
    const channel = ledger;
    await channel.submit(createAsset('a'));
    const seen: string[] = [];
    const evaluate = async (name: string, ...args: string[]): Promise<void> => {
      await channel.evaluate({ function: name, arguments: args });
      seen.push(name);
    };
    const lists = Promise.all([evaluate('GetAssetsPage', '1', ''), evaluate('GetAllAssets')]);
    await evaluate('ReadAsset', 'a');
    await new Promise(setImmediate);
    expect(seen).toEqual(['ReadAsset']);
    await lists;
    expect(seen).toEqual(['ReadAsset', 'GetAssetsPage', 'GetAllAssets']);
    await ledger.close();
  });

  it('completes a contended range read while writes continue', async () => {
    const ledger = await openLedger(directory.path);
    const channel = ledger;
    let isDone = false;
    const writers = Array.from({ length: 8 }, async (_, worker) => {
      for (let n = 0; !isDone; n++) await channel.submit(createAsset(`${worker}-${n}`));
    });
    for (let n = 0; n < 5; n++) await channel.submit({ function: 'GetAllAssets', arguments: [] });
    isDone = true;
    await Promise.all(writers);
    await ledger.close();
  });

  it('limits the number of waiting writes', async () => {
    const ledger = await openLedger(directory.path);
    const writes = Array.from({ length: MAX_WAITING_WRITES + 1 }, () => ledger.submit(createAsset('same')));
    expect(await codeOf(writes.pop() ?? Promise.resolve())).toBe('LEDGER.OVERLOADED');
    const ends = await Promise.allSettled(writes);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ledger.queueLength()).toBe(0);
    await ledger.close();
  });

  it('completes in-flight writes when it is closed', async () => {
    const ledger = await openLedger(directory.path);
    const writes = Array.from({ length: 300 }, (_, n) => ledger.submit(createAsset(`asset-${n}`)));
    await ledger.close();
    expect((await Promise.allSettled(writes)).filter(({ status }) => status === 'fulfilled')).toHaveLength(300);
  });

  it('continues an interrupted first start, wherever it was interrupted', async () => {
    await (await openLedger(directory.file('whole'))).close();
    const unfinished = directory.file('cut', 'ledger.json.unfinished');
    const cuts: (() => void)[] = [
      () => {
        for (const name of ['identities', 'channels']) rmSync(directory.file('cut', name), { recursive: true });
      },
      () => {
        rmSync(directory.file('cut', 'identities', 'orderer.pem'));
        rmSync(directory.file('cut', 'channels'), { recursive: true });
      },
      () => {
        rmSync(directory.file('cut', 'channels', NAMES.channel, 'head.pin'));
        truncateSync(directory.file('cut', 'channels', NAMES.channel, 'ledger.db'), 0);
      },
      () => undefined,
    ];
    for (const cut of cuts) {
      cpSync(directory.file('whole'), directory.file('cut'), { recursive: true });
      renameSync(directory.file('cut', 'ledger.json'), unfinished);
      cut();
      const ledger = await openLedger(directory.file('cut'));
      await ledger.submit(createAsset('a'));
      await ledger.close();
      expect(existsSync(unfinished)).toBe(false);
      rmSync(directory.file('cut'), { recursive: true });
    }
  });

  it('warns at the start of private keys that other users can read, and of a damaged root key', async () => {
    copyTo(directory.path);
    chmodSync(directory.file('identities', 'client.pem'), 0o644);
    writeFileSync(directory.file('identities', 'ca.key.pem'), 'garbage');
    chmodSync(directory.file('identities', 'ca.pem'), 0o644);
    const warnings: string[] = [];
    const logger = {
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, text: string) => warnings.push(text),
    };
    await (await openLedger(directory.path, { logger })).close();
    expect(warnings).toEqual([
      expect.stringContaining('ca.key.pem in'),
      `The private key in ${directory.file('identities', 'client.pem')} can be read by other users of this machine: chmod 600 it.`,
    ]);
  });

  it('counts a block in its height as soon as it can be read, before the writer reports it', async () => {
    const ledger = await openLedger(directory.path);
    const channel = ledger;
    const write = channel.submit(createAsset('a'));
    await new Promise((resolve) => setImmediate(resolve));
    // This thread receives no messages meanwhile.
    const other = new DatabaseSync(store(), { readOnly: true });
    const count = other.prepare('SELECT count(*) AS height FROM blocks');
    const deadline = Date.now() + 30_000;
    while (count.get()?.['height'] !== 2 && Date.now() < deadline)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    other.close();

    const read = channel.evaluate({ function: 'ReadAsset', arguments: ['a'] });
    const [info, block] = [channel.chainInfo(), channel.blockByNumber(1)];
    await read;
    const seen = await info;
    expect(seen.height).toBe(2);
    expect(await block).toMatchObject({ number: 1, hash: seen.currentBlockHash });
    expect((await write).blockNumber).toBe(1);
    expect(await channel.chainInfo()).toEqual(seen);
    await ledger.close();
  });

  describe('refuses', () => {
    it.each([
      [{ channel: 'other' }, 'was created for channel "mychannel", not "other"'],
      [{ chaincode: 'other' }, 'was created for chaincode "basic", not "other"'],
      [{ mspId: 'Org2MSP' }, 'was created for MSP ID "Org1MSP", not "Org2MSP"'],
      [{ channel: '../up' }, 'The channel "../up" is not one that Fabric accepts'],
      [{ chaincode: 'a b' }, 'The chaincode "a b" is not one that Fabric accepts'],
      [{ mspId: '' }, 'The MSP ID "" is not one that Fabric accepts'],
    ])('%j', async (names, message) => {
      copyTo(directory.path);
      const failure = await failureOf(openLedger(directory.path, names));
      expect(failure.code).toBe('LEDGER.MISCONFIGURED');
      expect(failure.message).toContain(message);
    });

    it('a directory of a newer version', async () => {
      copyTo(directory.path);
      const manifest = directory.file('ledger.json');
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"format": 1', '"format": 2'));
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
    });

    it('a store of a newer version', async () => {
      copyTo(directory.path);
      const db = new DatabaseSync(store());
      db.exec('PRAGMA user_version = 4');
      db.close();
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
    });

    it('a directory that is already open, naming it', async () => {
      const ledger = await openLedger(directory.path);
      const failure = await failureOf(openLedger(directory.path));
      expect(failure.code).toBe('LEDGER.MISCONFIGURED');
      expect(failure.message).toContain(
        `This process (${process.pid}) uses the data directory ${directory.path} already`,
      );
      await ledger.close();
      await (await openLedger(directory.path)).close();
    });

    it.each([
      ['garbage', () => Buffer.alloc(5000, 'x')],
      ['another database', () => readFileSync(store())],
    ])('a directory that is open, whatever its lock file contains: %s', async (_, content) => {
      copyTo(directory.path);
      writeFileSync(directory.file('lock.db'), content());
      const ledger = await openLedger(directory.path);
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
      writeFileSync(directory.file('lock.db'), 'garbage while it is held'.repeat(100));
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.MISCONFIGURED');
      await ledger.submit(createAsset('a'));
      await ledger.close();
      await rebuildLedger({ dataDir: directory.path });
      await (await openLedger(directory.path)).close();
    });

    it('identities without ledger.json, instead of creating a new chain under old keys', async () => {
      copyTo(directory.path);
      rmSync(directory.file('ledger.json'));
      rmSync(directory.file('channels'), { recursive: true });
      const failure = await failureOf(openLedger(directory.path));
      expect(failure.code).toBe('LEDGER.DAMAGED');
      expect(failure.message).toContain('identities is of a ledger, but its ledger.json is missing');
      expect(existsSync(directory.file('channels'))).toBe(false);
    });

    it('a directory that cannot be created', async () => {
      writeFileSync(directory.file('file'), '');
      const failure = await failureOf(openLedger(directory.file('file', 'data')));
      expect(failure.code).toBe('LEDGER.MISCONFIGURED');
      expect(failure.message).toContain('cannot be written (ENOTDIR)');
    });

    (getuid?.() === 0 ? it.skip : it)('a directory that it may not write (not as root, who may)', async () => {
      mkdirSync(directory.file('locked'));
      chmodSync(directory.file('locked'), 0o500);
      expect((await failureOf(openLedger(directory.file('locked')))).message).toContain('cannot be written (EACCES)');
    });

    it('identities of another ledger', async () => {
      copyTo(directory.file('one'));
      await fillLedger(directory.file('two'), 1);
      rmSync(directory.file('one', 'identities'), { recursive: true });
      cpSync(directory.file('two', 'identities'), directory.file('one', 'identities'), { recursive: true });
      const failure = await failureOf(openLedger(directory.file('one')));
      expect(failure.code).toBe('LEDGER.MISCONFIGURED');
      expect(failure.message).toContain('identity is of another ledger');
    });
  });

  describe('finds damage at the start:', () => {
    beforeEach(() => {
      copyTo(directory.path);
    });

    it.each<[string, () => void]>([
      [
        'a lost manifest',
        () => {
          rmSync(directory.file('ledger.json'));
        },
      ],
      [
        'a manifest that is no JSON',
        () => {
          writeFileSync(directory.file('ledger.json'), '{');
        },
      ],
      [
        'a manifest of something else',
        () => {
          writeFileSync(directory.file('ledger.json'), '[]');
        },
      ],
      [
        'a lost store',
        () => {
          rmSync(store());
        },
      ],
      [
        'an empty store',
        () => {
          truncateSync(store(), 0);
        },
      ],
      [
        'a store cut in the middle of a page',
        () => {
          truncateSync(store(), 5000);
        },
      ],
      [
        'something else in the store’s place',
        () => {
          writeFileSync(store(), 'x'.repeat(10_000));
        },
      ],
      [
        'a lost pin',
        () => {
          rmSync(pin());
        },
      ],
      [
        'a damaged pin',
        () => {
          writeFileSync(pin(), 'x'.repeat(230));
        },
      ],
      [
        'a store without its newest block',
        () => {
          const db = new DatabaseSync(store());
          db.exec('DELETE FROM blocks WHERE number = (SELECT max(number) FROM blocks)');
          db.close();
        },
      ],
      [
        'an altered newest block',
        () => {
          const db = new DatabaseSync(store());
          db.exec(
            "UPDATE blocks SET packed = CAST(packed || x'00' AS BLOB) WHERE number = (SELECT max(number) FROM blocks)",
          );
          db.close();
        },
      ],
    ])('%s', async (_, damage) => {
      damage();
      const failure = await failureOf(openLedger(directory.path));
      expect(failure.code).toBe('LEDGER.DAMAGED');
      // The lock was released: the next attempt fails with the same message.
      expect((await failureOf(openLedger(directory.path))).message).toBe(failure.message);
    });

    it.each([
      ['a table', 'CREATE TABLE extra (a)', 'it contains an unknown table "extra"'],
      ['an index', 'CREATE INDEX extra ON blocks (hash)', 'it contains an unknown index "extra"'],
      [
        'a trigger',
        'CREATE TRIGGER extra AFTER INSERT ON blocks BEGIN DELETE FROM state; END',
        'it contains an unknown trigger "extra"',
      ],
      ['a trigger in a table’s name', 'CREATE TRIGGER state AFTER INSERT ON blocks BEGIN SELECT 1; END', 'state'],
      [
        'a view in a table’s place',
        'ALTER TABLE state RENAME TO kept; CREATE VIEW state AS SELECT * FROM kept',
        'it contains an unknown table "kept"',
      ],
      ['another column', 'ALTER TABLE history ADD COLUMN more TEXT', 'its table "history" has another definition'],
      ['a lost table', 'DROP TABLE transactions', '"transactions" is missing'],
    ])('%s that no ledger has made there', async (_, sql, fault) => {
      const db = new DatabaseSync(store());
      db.exec(sql);
      db.close();
      const failure = await failureOf(openLedger(directory.path));
      expect(failure.code).toBe('LEDGER.DAMAGED');
      expect(failure.message).toMatch(/^The schema of .* is damaged: /);
      expect(failure.message).toContain(fault);
    });

    it("another ledger's store next to the pin", async () => {
      await fillLedger(directory.file('other'), 20);
      copyFileSync(directory.file('other', 'channels', NAMES.channel, 'ledger.db'), store());
      expect(await codeOf(openLedger(directory.path))).toBe('LEDGER.DAMAGED');
    });
  });

  it.each(['ca.pem', 'peer.pem'])('names %s when it alone is missing, and not all keys', async (file) => {
    copyTo(directory.path);
    rmSync(directory.file('identities', file));
    for (const readOnly of [false, true]) {
      const failure = await failureOf(openLedger(directory.path, { readOnly }));
      expect(failure.code).toBe('LEDGER.DAMAGED');
      expect(failure.message).toContain(`The identity ${file} in `);
    }
  });

  it('serves reads without keys, as after an import, and reports what writes need', async () => {
    copyTo(directory.path);
    rmSync(directory.file('identities'), { recursive: true });
    const warnings: string[] = [];
    const logger = {
      info: () => undefined,
      error: () => undefined,
      warn: (_: object, text: string) => warnings.push(text),
    };
    const ledger = await openLedger(directory.path, { logger });
    expect(warnings).toEqual([expect.stringContaining('The ledger is read-only. Its data directory contains no keys')]);
    expect(await ledger.connectionState()).toMatchObject({ status: 'read-only' });
    await ledger.evaluate({ function: 'ReadAsset', arguments: ['asset-0'] });
    const failure = await failureOf(ledger.submit(createAsset('b')));
    expect(failure.code).toBe('LEDGER.READ_ONLY');
    expect(failure.message).toContain('"identities"');
    const [newest] = (await ledger.lists.transactions({ limit: 1 })).items;
    expect(newest?.transactionId).toHaveLength(64);
    expect(ledger.receipt).toBeUndefined();
    await ledger.close();
  });
});
