import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { isLedgerError, type Ledger, LedgerError } from '#ledger-gateway';
import { leafHash, rootOf, type TreeHead } from '#tlog/verify';
import { IdentityStore } from '../store/identity-store.js';
import { DataDirectory } from '../store/data-directory.js';
import { createAsset, fillLedger, NAMES, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { importLedger, rebuildLedger } from './build-ledger.js';
import { backupLedger, exportLedger } from './administer-ledger.js';
import { parseExpectedHead, parseHash } from './report.js';
import { verifyLedger, type LedgerVerification } from './verify-ledger.js';

/** One ledger for all: `original` is never touched, each test works on a copy of it. */
describe('maintenance of the embedded ledger', () => {
  const home = new TemporaryDirectory();
  const original = home.file('original');
  const small = home.file('small');
  let work: TemporaryDirectory;
  let data: string;
  /** The content of `original`. */
  let intact: Awaited<ReturnType<typeof contentAt>>;
  beforeAll(async () => {
    await fillLedger(original, 30);
    await fillLedger(small, 2);
    intact = await contentAt(original);
  });
  afterAll(() => {
    home.remove();
  });
  beforeEach(() => {
    work = new TemporaryDirectory();
    data = work.file('data');
    cpSync(original, data, { recursive: true });
  });
  afterEach(() => {
    work.remove();
  });

  const store = () => join(data, 'channels', NAMES.channel, 'ledger.db');
  const edit = (sql: string) => {
    const db = new DatabaseSync(store());
    db.exec(sql);
    db.close();
  };
  /** Overwrites the first page of a table or an index. */
  const damagePageOf = (name: string) => {
    const db = new DatabaseSync(store());
    const { rootpage } = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name) as {
      rootpage: number;
    };
    db.close();
    const bytes = readFileSync(store());
    bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096);
    writeFileSync(store(), bytes);
  };
  const verify = (path = data, options: Partial<LedgerVerification> = {}) => verifyLedger({ path, ...options });
  const contentOf = async (ledger: Ledger) => {
    const channel = ledger;
    const all = await channel.evaluate({ function: 'GetAllAssets', arguments: [] });
    const history = await channel.evaluate({ function: 'GetAssetHistory', arguments: ['asset1'] });
    return [Buffer.from(all).toString(), Buffer.from(history).toString(), await channel.chainInfo()];
  };
  const contentAt = async (path: string) => {
    const ledger = await openLedger(path);
    const content = await contentOf(ledger);
    await ledger.close();
    return content;
  };

  describe('verify', () => {
    it('finds no damage in an intact ledger, and reports what it checked', async () => {
      const steps: number[] = [];
      const report = await verify(data, { progress: (done) => steps.push(done) });
      expect(report.findings).toEqual([]);
      expect(report.transactions).toBe(1 + 1 + 30 + 2);
      expect(steps.at(-1)).toBe(report.height);
      const [, , info] = intact;
      expect(report).toMatchObject({ height: (info as { height: number }).height });
    });

    it('verifies one moment of a ledger in use', async () => {
      const ledger = await openLedger(data);
      await ledger.submit(createAsset('while-open'));
      expect((await verify()).findings).toEqual([]);
      await ledger.close();
    });

    it('accepts pins from elsewhere', async () => {
      const { height, hash } = await verify();
      const genesis = await genesisOf(data);
      expect((await verify(data, { expect: { height, hash }, genesis })).findings).toEqual([]);
      const earlier = { height: 2, hash: await hashAt(data, 1) };
      expect((await verify(data, { expect: earlier })).findings).toEqual([]);

      const checks = (options: Partial<LedgerVerification>) =>
        verify(data, options).then(({ findings }) => findings.map(({ check }) => check));
      expect(await checks({ expect: { height: height + 1, hash } })).toEqual(['PIN']);
      expect(await checks({ expect: { height, hash: 'ab'.repeat(32) } })).toEqual(['PIN']);
      expect(await checks({ genesis: 'ab'.repeat(32) })).toEqual(['BLOCK_LINK']);
    });

    describe('with a checkpoint', () => {
      const compared = async (checkpoint: TreeHead, options: Partial<LedgerVerification> = {}) => {
        const { findings, hasCheckpoint } = await verify(data, { checkpoint, ...options });
        return [hasCheckpoint, ...findings.map(({ check, what }) => `${check}: ${what}`)];
      };

      it.each([0, 1])('accepts its blocks and more, also with %d threads', async (threads) => {
        const checkpoint = await checkpointOf(data);
        await addAsset('after-the-checkpoint');
        expect(await compared(checkpoint, { threads })).toEqual([true]);
        expect(await compared(await checkpointOf(data), { threads })).toEqual([true]);
      });

      it('finds another last block that is signed with the keys of the ledger', async () => {
        await addAsset('witnessed');
        const checkpoint = await checkpointOf(data);
        rmSync(data, { recursive: true });
        cpSync(original, data, { recursive: true });
        await addAsset('rewritten');
        expect((await verify()).findings).toEqual([]);
        const finding = `PIN: its first ${checkpoint.size} blocks are not those of the checkpoint`;
        expect(await compared(checkpoint)).toEqual([false, finding]);
      });

      it('finds that the newest blocks are missing', async () => {
        const checkpoint = await checkpointOf(data);
        const longer = { ...checkpoint, size: checkpoint.size + 1 };
        const finding = `PIN: it has ${checkpoint.size} readable blocks; the checkpoint confirms ${longer.size}`;
        expect(await compared(longer)).toEqual([false, finding]);
        const [exported, target] = [work.file('blocks'), work.file('imported')];
        exportLedger({ dataDir: data, target: exported });
        const imported = (head: TreeHead) => importLedger({ source: exported, dataDir: target, checkpoint: head });
        await expect(imported(longer)).rejects.toMatchObject({ code: 'LEDGER.DAMAGED' });
        expect(await imported(checkpoint)).toMatchObject({ height: checkpoint.size });
      });

      async function addAsset(id: string): Promise<void> {
        const ledger = await openLedger(data);
        await ledger.submit(createAsset(id));
        await ledger.close();
      }
    });

    it.each([
      ['a value', "UPDATE state SET value = CAST('{}' AS BLOB) WHERE qualified_key = 'basic/asset-3'", 'asset-3'],
      ['a key', "UPDATE state SET qualified_key = 'basic/asset-x' WHERE qualified_key = 'basic/asset-3'", 'asset-3'],
      ['a lost key', "DELETE FROM state WHERE qualified_key = 'basic/asset-3'", 'asset-3'],
      [
        'a deleted key brought back',
        "UPDATE state SET value = CAST('{}' AS BLOB) WHERE qualified_key = 'basic/asset2'",
        'asset2',
      ],
      ['a version', "UPDATE state SET position = position + 1 WHERE qualified_key = 'basic/asset-3'", 'asset-3'],
      ['a surplus transaction', 'INSERT INTO transactions VALUES (zeroblob(32), 1, 0, zeroblob(16))', 'index entry'],
      ['a moved transaction', 'UPDATE transactions SET position = 1 WHERE block = 3', 'index entry'],
      ['a lost transaction', 'DELETE FROM transactions WHERE block = 3', 'index entry'],
      ['a lost history entry', 'DELETE FROM history WHERE entry = 3', 'entry 3'],
      ['a bent history', 'UPDATE history SET previous = 1 WHERE entry = 5', 'entry 5'],
      [
        'a digest of the state',
        "UPDATE state SET digest = zeroblob(16) WHERE qualified_key = 'basic/asset-3'",
        'asset-3',
      ],
      ['another name of a caller', "UPDATE callers SET creator = 'other' WHERE function = 'TransferAsset'", 'caller 4'],
      ['a hidden call', 'DELETE FROM calls WHERE block = 1', 'index of calls of block 1'],
      ['calls at other positions', "UPDATE calls SET positions = x'ff' WHERE block = 1", 'index of calls of block 1'],
      ['another time of a block', 'UPDATE totals SET latest = latest + 1 WHERE block = 2', 'totals of block 2'],
      ['another number of assets', 'UPDATE totals SET assets = 1 WHERE block = 2', 'totals of block 2'],
      ['another count of an hour', 'UPDATE hours SET transactions = transactions + 1', 'count of hour'],
      ['the hash of a block', 'UPDATE blocks SET hash = zeroblob(32) WHERE number = 1', 'block 1'],
      ['the number of a block', 'UPDATE blocks SET number = 77 WHERE number = 1', 'block 1'],
      ['a lost dictionary', 'DELETE FROM dictionaries', 'block 0'],
    ])('finds %s', async (_, sql, where) => {
      edit(sql);
      const { findings } = await verify();
      expect(findings.length).toBeGreaterThan(0);
      expect(findings.some((finding) => `${finding.where} ${finding.what}`.includes(where))).toBe(true);
    });

    it('finds any changed byte of any record', async () => {
      data = small;
      const columns = {
        blocks: ['hash', 'packed', 'digest'],
        dictionaries: ['content', 'digest'],
        state: ['value', 'digest'],
        transactions: ['id', 'digest'],
        history: ['digest'],
      };
      for (const [table, names] of Object.entries(columns)) {
        for (const column of names) await expectEveryFlipFound(table, column);
      }
    });

    /** Flips bytes all over a column of the second row, then puts the row back as it was. */
    async function expectEveryFlipFound(table: string, column: string): Promise<void> {
      const db = new DatabaseSync(store());
      const { value } = db
        .prepare(`SELECT ${column} AS value FROM ${table} LIMIT 1 OFFSET ?`)
        .get(table === 'dictionaries' ? 0 : 1) as { value: Uint8Array };
      const change = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`);
      const step = Math.max(1, Math.floor(value.length / 4));
      for (let at = 0; at < value.length; at += step) {
        const flipped = Uint8Array.from(value);
        flipped[at] = (flipped[at] ?? 0) ^ 0x10;
        change.run(flipped, value);
        expect([table, column, at, (await verify()).findings.length > 0]).toEqual([table, column, at, true]);
        change.run(value, flipped);
      }
      db.close();
    }

    it('finds a block and its records exchanged for others that were signed with the same keys', async () => {
      // Two ledgers of the same keys and the same beginning part after block 3.
      const other = work.file('other');
      cpSync(data, other, { recursive: true });
      for (const [path, id] of [
        [data, 'mine'],
        [other, 'theirs'],
      ] as const) {
        const ledger = await openLedger(path);
        await ledger.submit(createAsset(id));
        await ledger.close();
      }
      const otherStore = join(other, 'channels', NAMES.channel, 'ledger.db');
      expect((await verify(other)).findings).toEqual([]);
      cpSync(otherStore, store());
      expect((await verify()).findings.map(({ check }) => check)).toEqual(['PIN']);
    });

    it.each(['head.pin', 'ledger.json'])('finds a lost or altered %s', async (name) => {
      const file = name === 'head.pin' ? join(data, 'channels', NAMES.channel, name) : join(data, name);
      const whole = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        whole.replace(/basic|[0-9a-f]{64}/g, (found) => (found === 'basic' ? 'other' : 'a'.repeat(64))),
      );
      expect(await outcome(() => verify())).not.toEqual([]);
      rmSync(file);
      expect(await outcome(() => verify())).not.toEqual([]);
    });
  });

  describe('export and import', () => {
    it('write a file for each block, which make the same ledger elsewhere', async () => {
      const target = work.file('export');
      const { height } = exportLedger({ dataDir: data, target });
      expect(readdirSync(target).filter((name) => name.endsWith('.block'))).toHaveLength(height);
      expect((await verify(target)).findings).toEqual([]);
      expect((await verify(target)).hash).toBe((await verify()).hash);

      const copy = work.file('copy');
      await importLedger({ source: target, dataDir: copy, keys: join(data, 'identities') });
      expect((await verify(copy)).findings).toEqual([]);
      expect(await contentAt(copy)).toEqual(intact);
      const ledger = await openLedger(copy);
      await ledger.submit(createAsset('after'));
      await ledger.close();
      expect((await verify(copy)).findings).toEqual([]);
    });

    it('export a ledger in use', async () => {
      const ledger = await openLedger(data);
      await ledger.submit(createAsset('while-open'));
      exportLedger({ dataDir: data, target: work.file('export') });
      await ledger.close();
      expect((await verify(work.file('export'))).findings).toEqual([]);
      expect((await verify(work.file('export'))).hash).toBe((await verify()).hash);
    });

    it('without keys make a ledger that can be read, and written once its keys are there', async () => {
      exportLedger({ dataDir: data, target: work.file('export') });
      const copy = work.file('copy');
      await importLedger({ source: work.file('export'), dataDir: copy });
      expect(existsSync(join(copy, 'identities'))).toBe(false);
      const readable = await openLedger(copy);
      expect(await readable.connectionState()).toMatchObject({ status: 'read-only' });
      await expect(readable.submit(createAsset('b'))).rejects.toMatchObject({ code: 'LEDGER.READ_ONLY' });
      await readable.close();
      cpSync(join(data, 'identities'), join(copy, 'identities'), { recursive: true });
      const writable = await openLedger(copy);
      await writable.submit(createAsset('b'));
      await writable.close();
    });

    it('refuse keys of another ledger, and leave no files', async () => {
      exportLedger({ dataDir: data, target: work.file('export') });
      await fillLedger(work.file('foreign'), 1);
      const importing = importLedger({
        source: work.file('export'),
        dataDir: work.file('copy'),
        keys: work.file('foreign', 'identities'),
      });
      await expect(importing).rejects.toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
      await importLedger({ source: work.file('export'), dataDir: work.file('copy') });
    });

    it('find any changed byte of an exported block, and import none of it', async () => {
      const target = work.file('export');
      const { height } = exportLedger({ dataDir: small, target });
      const file = join(target, `${String(height - 2).padStart(9, '0')}.block`);
      const whole = readFileSync(file);
      const step = Math.max(1, Math.floor(whole.length / 60));
      const missed: number[] = [];
      for (let at = 0; at < whole.length; at += step) {
        const flipped = Buffer.from(whole);
        flipped[at] = (flipped[at] ?? 0) ^ 0x01;
        writeFileSync(file, flipped);
        if ((await verify(target)).findings.length === 0) missed.push(at);
      }
      expect(missed).toEqual([]);
      await expect(importLedger({ source: target, dataDir: work.file('copy') })).rejects.toMatchObject({
        code: 'LEDGER.DAMAGED',
      });
      expect(existsSync(work.file('copy', 'ledger.json'))).toBe(false);
      writeFileSync(file, whole);
      await importLedger({ source: target, dataDir: work.file('copy') });
    });

    it.each<[string, (target: string, height: number) => void]>([
      [
        'a missing block',
        (target) => {
          rmSync(join(target, '000000001.block'));
        },
      ],
      [
        'a surplus block',
        (target, height) => {
          cpSync(join(target, '000000001.block'), join(target, `${String(height).padStart(9, '0')}.block`));
        },
      ],
      [
        'two blocks exchanged',
        (target) => {
          renameSync(join(target, '000000001.block'), join(target, 'x'));
          renameSync(join(target, '000000002.block'), join(target, '000000001.block'));
          renameSync(join(target, 'x'), join(target, '000000002.block'));
        },
      ],
      [
        'a cut tail',
        (target, height) => {
          rmSync(join(target, `${String(height - 1).padStart(9, '0')}.block`));
          const manifest = join(target, 'export.json');
          writeFileSync(
            manifest,
            readFileSync(manifest, 'utf8').replace(`"height": ${height}`, `"height": ${height - 1}`),
          );
        },
      ],
      [
        'a manifest of another channel',
        (target) => {
          const manifest = join(target, 'export.json');
          writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('mychannel', 'other'));
        },
      ],
      [
        'a manifest of another MSP',
        (target) => {
          const manifest = join(target, 'export.json');
          writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('Org1MSP', 'Org2MSP'));
        },
      ],
      [
        'a manifest that is no JSON',
        (target) => {
          writeFileSync(join(target, 'export.json'), '{');
        },
      ],
    ])('find %s', async (_, damage) => {
      const target = work.file('export');
      const { height } = exportLedger({ dataDir: data, target });
      damage(target, height);
      expect(await outcome(() => verify(target))).not.toEqual([]);
      await expect(importLedger({ source: target, dataDir: work.file('copy') })).rejects.toBeInstanceOf(LedgerError);
    });

    it('replace an export or an import that was interrupted, and what it left is no ledger', async () => {
      const target = work.file('export');
      const { height } = exportLedger({ dataDir: data, target });
      rmSync(join(target, 'export.json'));
      expect(exportLedger({ dataDir: data, target }).height).toBe(height);

      const copy = new DataDirectory(work.file('copy'));
      copy.prepare();
      copy.beginCopy();
      mkdirSync(copy.channel('mychannel'), { recursive: true });
      writeFileSync(copy.store('mychannel'), 'the first pages');
      mkdirSync(copy.identities);
      await expect(openLedger(copy.path)).rejects.toThrow('contains an interrupted backup or import');
      expect((await importLedger({ source: target, dataDir: copy.path })).height).toBe(height);
      expect(readdirSync(copy.path).sort()).toEqual(['channels', 'ledger.json', 'lock.db', 'lock.pid']);
    });

    it('write into no directory that holds something', async () => {
      exportLedger({ dataDir: data, target: work.file('export') });
      expect(() => exportLedger({ dataDir: data, target: work.file('export') })).toThrow('is not empty');
      await expect(importLedger({ source: work.file('export'), dataDir: data })).rejects.toThrow(
        'contains a ledger already',
      );
    });
  });

  describe('a schema that no ledger has made', () => {
    const sql = [
      'CREATE TABLE extra (a)',
      'CREATE TRIGGER extra AFTER INSERT ON blocks BEGIN DELETE FROM state; END',
      'ALTER TABLE state RENAME TO kept; CREATE VIEW state AS SELECT * FROM kept',
    ];
    it.each(sql)('is found by verify, mended by rebuild, and hinders no export: %s', async (statement) => {
      edit(statement);
      expect((await verify()).findings).toContainEqual(
        expect.objectContaining({ check: 'SCHEMA', where: 'the store' }),
      );
      exportLedger({ dataDir: data, target: work.file('export') });
      expect((await verify(work.file('export'))).findings).toEqual([]);
      await rebuildLedger({ dataDir: data });
      expect((await verify()).findings).toEqual([]);
      expect(await contentAt(data)).toEqual(intact);
    });

    it('in the place of the blocks cannot be mended', async () => {
      edit('ALTER TABLE blocks RENAME TO kept; CREATE VIEW blocks AS SELECT * FROM kept');
      expect((await verify()).findings.map(({ check }) => check)).toContain('SCHEMA');
      await expect(rebuildLedger({ dataDir: data })).rejects.toThrow('The schema of');
    });
  });

  describe('identities that cannot be used', () => {
    const identity = (name: string) => join(data, 'identities', name);
    it.each([
      [
        'garbage for a leaf',
        () => {
          writeFileSync(identity('client.pem'), 'garbage');
        },
        'client',
      ],
      [
        'garbage for the root’s key',
        () => {
          writeFileSync(identity('ca.key.pem'), 'garbage');
        },
        'ca.key.pem',
      ],
      [
        'a lost leaf',
        () => {
          rmSync(identity('peer.pem'));
        },
        'peer.pem',
      ],
      [
        'a lost root',
        () => {
          rmSync(identity('ca.pem'));
        },
        'ca.pem',
      ],
      [
        'another key for the root',
        () => {
          cpSync(identity('peer.pem'), identity('ca.key.pem'));
        },
        'is not the key of ca.pem',
      ],
    ])('are found by verify and refused by backup: %s', async (_, damage, what) => {
      damage();
      const found = (await verify()).findings;
      expect(found).toEqual([
        { where: 'the identities', check: 'IDENTITY', what: expect.stringContaining(what) as string },
      ]);
      await expect(backupLedger({ dataDir: data, target: work.file('backup') })).rejects.toThrow('Nothing was copied');
      expect(existsSync(work.file('backup'))).toBe(false);
    });

    it('because a caller’s is damaged are found by verify', async () => {
      await new IdentityStore(join(data, 'identities'), NAMES.mspId).caller('alice');
      expect((await verify()).findings).toEqual([]);
      writeFileSync(join(identity('callers'), 'alice.pem'), 'garbage');
      expect((await verify()).findings).toMatchObject([{ check: 'IDENTITY' }]);
    });

    it('because they are of another ledger are found by verify', async () => {
      rmSync(join(data, 'identities'), { recursive: true });
      cpSync(join(small, 'identities'), join(data, 'identities'), { recursive: true });
      expect((await verify()).findings).toHaveLength(3);
    });
  });

  describe('rebuild', () => {
    it.each([
      [
        'damaged state',
        "UPDATE state SET value = CAST('{}' AS BLOB); DELETE FROM state WHERE qualified_key = 'basic/asset-3'",
      ],
      ['a damaged index', 'DELETE FROM transactions'],
      ['damaged histories', 'UPDATE history SET previous = 1'],
      ['a damaged index of calls', 'DELETE FROM calls; UPDATE totals SET assets = 0; DELETE FROM callers'],
      ['a lost table', 'DROP TABLE state'],
    ])('mends %s', async (_, sql) => {
      edit(sql);
      expect((await verify()).findings.length).toBeGreaterThan(0);
      const { height } = await rebuildLedger({ dataDir: data });
      expect(await verify()).toMatchObject({ height, findings: [] });
      expect(await contentAt(data)).toEqual(intact);
    });

    it('mends a page of the state that SQLite cannot read', async () => {
      damagePageOf('state');
      expect((await verify()).findings.length).toBeGreaterThan(0);
      await rebuildLedger({ dataDir: data });
      expect((await verify()).findings).toEqual([]);
      expect(await contentAt(data)).toEqual(intact);
    });

    it('re-creates a lost pin', async () => {
      rmSync(join(data, 'channels', NAMES.channel, 'head.pin'));
      await rebuildLedger({ dataDir: data });
      expect((await verify()).findings).toEqual([]);
    });

    it.each([
      ['a damaged block', 'UPDATE blocks SET packed = zeroblob(9) WHERE number = 2'],
      ['a lost end', 'DELETE FROM blocks WHERE number = (SELECT max(number) FROM blocks)'],
    ])('leaves a store with %s as it was', async (_, sql) => {
      edit(sql);
      const before = (await verify()).findings;
      await expect(rebuildLedger({ dataDir: data })).rejects.toMatchObject({ code: 'LEDGER.DAMAGED' });
      expect((await verify()).findings).toEqual(before);
      expect(existsSync(join(data, 'rebuilt')) || existsSync(join(data, 'replaced'))).toBe(false);
    });

    it('refuses a ledger in use without waiting', async () => {
      const ledger = await openLedger(data);
      await expect(rebuildLedger({ dataDir: data })).rejects.toThrow(
        `This process (${process.pid}) uses the data directory ${data} already`,
      );
      await ledger.close();
    });
  });

  describe('backup', () => {
    it('copies one moment of a ledger that is being written, keys included', async () => {
      const ledger = await openLedger(data);
      let isDone = false as boolean;
      let acknowledged = 0;
      const writing = (async () => {
        while (!isDone) await ledger.submit(createAsset(`during-${++acknowledged}`));
      })();
      const before = (await ledger.submit(createAsset('before'))).blockNumber;
      const head = await backupLedger({ dataDir: data, target: work.file('backup') });
      isDone = true;
      await writing;
      await ledger.close();

      expect(head.height).toBeGreaterThan(before);
      expect(await verify(work.file('backup'))).toMatchObject({
        height: head.height,
        hash: head.currentHash,
        findings: [],
      });
      const restored = await openLedger(work.file('backup'));
      await restored.evaluate({ function: 'ReadAsset', arguments: ['before'] });
      await restored.submit(createAsset('after'));
      await restored.close();
      for (const name of [
        'ledger.json',
        join('identities', 'ca.key.pem'),
        join('channels', NAMES.channel, 'ledger.db'),
      ]) {
        expect(statSync(work.file('backup', name)).mode & 0o777).toBe(0o600);
      }
    });

    it.each([
      ['a block', 'UPDATE blocks SET packed = zeroblob(9) WHERE number = 1', 'block 1 is damaged'],
      ['a missing block', 'DELETE FROM blocks WHERE number = 1', 'Block 1 is missing'],
      ['a value', "UPDATE state SET value = CAST('{}' AS BLOB) WHERE qualified_key = 'basic/asset-3'", 'asset-3'],
      ['a lost key', "DELETE FROM state WHERE qualified_key = 'basic/asset-3'", 'entries that belong to no key'],
      ['a transaction', 'UPDATE transactions SET position = 1 WHERE block = 3', 'the index of transactions'],
      ['a history', 'UPDATE history SET previous = 1 WHERE entry = 5', 'entry 5 of the history'],
      ['a lost history entry', 'DELETE FROM history WHERE entry = 3', 'entry 3 of the history'],
      ['an impossible number', 'UPDATE history SET block = 9223372036854775807 WHERE entry = 5', 'impossible value'],
    ])('does not copy damage: %s', async (_, sql, what) => {
      edit(sql);
      await expectRefusedBackup(what);
    });

    it.each(['transactions', 'block_hashes'])('does not copy a page of %s that SQLite cannot read', async (name) => {
      damagePageOf(name);
      await expectRefusedBackup('is damaged and was removed');
    });

    it('copies files of other owners, for their owner only', async () => {
      writeFileSync(work.file('callers'), 'the callers', { mode: 0o644 });
      const companions = new Map([['tree/keys/key', work.file('callers')]]);
      await backupLedger({ dataDir: data, target: work.file('backup'), companions });
      const copy = work.file('backup', 'tree/keys/key');
      expect([readFileSync(copy, 'utf8'), statSync(copy).mode & 0o777]).toEqual(['the callers', 0o600]);
      const restored = await openLedger(work.file('backup'));
      await restored.close();
    });

    async function expectRefusedBackup(what: string): Promise<void> {
      writeFileSync(work.file('callers'), 'the callers');
      const companions = new Map([['callers/file', work.file('callers')]]);
      const refused = backupLedger({ dataDir: data, target: work.file('backup'), companions });
      await expect(refused).rejects.toThrow(what);
      expect(readdirSync(work.file('backup'))).toEqual([]);
    }

    it('replaces a backup that was interrupted', async () => {
      const target = new DataDirectory(work.file('backup'));
      target.prepare();
      target.beginCopy();
      mkdirSync(target.channel('mychannel'), { recursive: true });
      writeFileSync(target.store('mychannel'), 'the first pages');
      const { height } = await backupLedger({ dataDir: data, target: target.path });
      expect(await outcome(() => verify(target.path))).toEqual([]);
      expect(height).toBeGreaterThan(0);
      await expect(backupLedger({ dataDir: data, target: target.path })).rejects.toThrow('is not empty');
    });

    it('writes into no directory that holds something', async () => {
      await expect(backupLedger({ dataDir: data, target: original })).rejects.toThrow('is not empty');
    });
  });

  describe('pins on the command line', () => {
    it('are read', () => {
      expect(parseExpectedHead(`7:${'AB'.repeat(32)}`)).toEqual({ height: 7, hash: 'ab'.repeat(32) });
      expect(parseHash('AB'.repeat(32))).toBe('ab'.repeat(32));
    });
    it.each(['', '7', '7:', ':ab', `0:${'ab'.repeat(32)}`, `7:${'ab'.repeat(31)}`, `7:${'ag'.repeat(32)}`])(
      'refuse "%s"',
      (text) => {
        expect(() => parseExpectedHead(text)).toThrow('is not HEIGHT:HASH');
        expect(() => parseHash(text)).toThrow('is not a hash');
      },
    );
  });
});

/** What a verification found, or the error that it ended with. */
async function outcome(run: () => Promise<{ readonly findings: readonly unknown[] }>): Promise<unknown> {
  try {
    return (await run()).findings;
  } catch (error) {
    if (isLedgerError(error)) return error.code;
    throw error;
  }
}

async function hashAt(path: string, number: number): Promise<string> {
  const ledger = await openLedger(path);
  const block = await ledger.blockByNumber(number);
  await ledger.close();
  return block?.hash ?? '';
}

/** The tree over all blocks. */
async function checkpointOf(path: string): Promise<TreeHead> {
  const ledger = await openLedger(path);
  const { height: size } = await ledger.chainInfo();
  const leaves: Uint8Array[] = [];
  for (let number = 0; number < size; number++) {
    const block = await ledger.blockByNumber(number);
    leaves.push(leafHash(treeEntry(decodeBlock(block?.bytes ?? Buffer.alloc(0)))));
  }
  await ledger.close();
  return { size, root: rootOf(leaves) };
}

const genesisOf = (path: string) => hashAt(path, 0);
