import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backupLedger, exportLedger, rebuildLedger, verifyLedger } from '#embedded-ledger';
import { addCaller, ledgerTool } from '../../support/ledger-callers.js';
import { LedgerProcess } from '../../support/ledger-process.js';
import { Strace, straceWorks } from '../../support/strace.js';
import { mountSmallDisk, smallDiskWorks } from '../../support/small-disk.js';

/** A long owner fills the log and the disk with a quarter of the transactions. */
const STREAM = `stream asset 20 ${'x'.repeat(4000)}`;

const withStrace = straceWorks() ? it : it.skip;
const withSmallDisk = smallDiskWorks() ? it : it.skip;

describe('a ledger whose disk', () => {
  let home: string;
  let dataDir: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'ledger-disk-'));
    dataDir = join(home, 'data');
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });
  const findings = async (path = dataDir) => (await verifyLedger({ path })).findings;
  /** A copy of the store's file alone. */
  const storeWithoutLog = () => {
    const copy = join(home, 'alone.db');
    cpSync(join(dataDir, 'channels', 'mychannel', 'ledger.db'), copy);
    return copy;
  };
  const acknowledgedBy = (ledger: LedgerProcess) => ledger.all('acked').map(([id]) => id ?? '');

  /** Opens the ledger again: it has every write that was acknowledged, takes another one, and nothing is wrong with it. */
  async function expectKept(path: string, acknowledged: readonly string[]): Promise<void> {
    const restarted = await LedgerProcess.open(path);
    for (const id of acknowledged) restarted.send(`read ${id}`);
    await restarted.count(/^(value|unread) /, acknowledged.length);
    await restarted.ask('create more', /^acked more /);
    await restarted.close();
    expect(restarted.lines.filter((line) => line.startsWith('value '))).toHaveLength(acknowledged.length);
    expect(await findings(path)).toEqual([]);
  }

  withStrace('is slow acknowledges a write only after its fsync (needs root and strace)', async () => {
    const ledger = await LedgerProcess.open(dataDir);
    await ledger.ask('create first', /^acked first /);
    const log = join(home, 'strace.log');
    const strace = await Strace.attach(ledger.process.pid ?? 0, { log, inject: 'delay_enter=300000' });
    await ledger.ask('create slow', /^acked slow /);
    const calls = await strace.detach();
    await ledger.close();

    // The write to stdout is the acknowledgement: an fsync was requested and had finished before, and none was in flight.
    const acknowledged = calls.findIndex((line) => line.includes('write(1, "acked slow '));
    const before = calls.slice(0, acknowledged);
    const started = before.filter((line) => /\bf(data)?sync\(/.test(line)).length;
    const ended = before.filter((line) => /\bf(data)?sync(\(| resumed).*= 0/.test(line)).length;
    expect(acknowledged).toBeGreaterThan(0);
    expect(started).toBeGreaterThan(0);
    expect(ended).toBe(started);
  });

  const straced = (log: string) => [
    'strace',
    '-f',
    '-y',
    '-s',
    '200',
    '-o',
    log,
    '-e',
    'trace=write,pwrite64,fsync,fdatasync',
  ];

  withStrace(
    'loses its power soon after the first use has everything that a start needs (needs root and strace)',
    async () => {
      const log = join(home, 'strace.log');
      const ledger = new LedgerProcess(join(home, 'deep', 'data'), straced(log));
      await ledger.ask('create first', /^acked first /);
      await ledger.close();
      const calls = readFileSync(log, 'utf8').split('\n');
      const before = calls.slice(
        0,
        calls.findIndex((line) => line.includes('acked first ')),
      );
      const isSynced = (path: string) =>
        before.some((line) => /\bf(data)?sync\(/.test(line) && line.includes(`<${join(home, path)}>`));
      const entries = [
        '',
        'deep',
        'deep/data',
        'deep/data/identities',
        'deep/data/channels',
        'deep/data/channels/mychannel',
      ];
      expect(entries.filter((path) => !isSynced(path))).toEqual([]);
      const pin = `<${join(home, 'deep/data/channels/mychannel/head.pin')}>`;
      const ofPin = before.filter((line) => line.includes(pin));
      // Behind its first line, not while it was empty.
      const written = ofPin.findIndex((line) => /\bp?write(64)?\(/.test(line));
      expect(written).toBeGreaterThanOrEqual(0);
      expect(ofPin.findIndex((line) => /\bfsync\(/.test(line))).toBeGreaterThan(written);
    },
  );

  withStrace(
    'fails an fsync reports the outcome of that write as unknown and accepts no more (needs root and strace)',
    async () => {
      const ledger = await LedgerProcess.open(dataDir);
      await ledger.ask('create before', /^acked before /);
      const log = join(home, 'strace.log');
      const strace = await Strace.attach(ledger.process.pid ?? 0, { log, inject: 'error=EIO' });
      const unknown = await ledger.ask('create during', /^(acked|refused) during /);
      await strace.detach();
      expect(unknown).toMatch(/^refused during LEDGER\.OUTCOME_UNKNOWN [0-9a-f]{64}$/);

      // The disk works again, but what it lost is not known: only a restart finds out.
      expect(await ledger.ask('create after', /^(acked|refused) after /)).toBe('refused after LEDGER.READ_ONLY -');
      expect(await ledger.ask('state', /^state /)).toBe('state read-only');
      await ledger.ask('read before', /^value .*"before"/);
      await ledger.kill();

      const restarted = await LedgerProcess.open(dataDir);
      // What the disk did not confirm may be in memory alone: it was written again, into the store, before anything depends on it.
      const alone = new DatabaseSync(storeWithoutLog());
      const { height } = alone.prepare('SELECT count(*) AS height FROM blocks').get() as { height: number };
      alone.close();
      expect(`ready ${height}`).toBe(restarted.lines[0]);
      await restarted.ask('create after', /^acked after /);
      await restarted.ask('read before', /^value .*"before"/);
      await restarted.close();
      expect(await findings()).toEqual([]);
    },
  );

  withStrace(
    'cannot checkpoint the log continues writing to it, reports this, and loses nothing (needs root and strace)',
    async () => {
      const ledger = await LedgerProcess.open(dataDir);
      const store = join(dataDir, 'channels', 'mychannel', 'ledger.db');
      const log = join(home, 'strace.log');
      // Only the store's own file is broken: it is synced when the log is taken in, never by a commit.
      const strace = await Strace.attach(ledger.process.pid ?? 0, { log, inject: 'error=EIO', path: store });
      ledger.send(STREAM);
      await ledger.logged(/The checkpoint of .*ledger\.db-wal failed \(/);
      const before = ledger.all('acked').length;
      await ledger.count(/^acked /, before + 200);
      await strace.detach();
      expect(ledger.all('refused')).toEqual([]);
      expect(await ledger.ask('state', /^state /)).toBe('state ready');
      await ledger.kill();
      await expectKept(dataDir, acknowledgedBy(ledger));
    },
  );

  withSmallDisk('is full keeps its callers, and states in one line why none can be added (needs root)', async () => {
    mkdirSync(dataDir);
    const unmount = mountSmallDisk(dataDir, '64k');
    try {
      await addCaller(dataDir, 'ana', '--new');
      const before = readFileSync(join(dataDir, 'callers.json'), 'utf8');
      writeFileSync(join(dataDir, 'filler'), '');
      expect(() => {
        for (;;) appendFileSync(join(dataDir, 'filler'), Buffer.alloc(4096));
      }).toThrow('ENOSPC');
      const file = join(dataDir, 'callers.json');
      expect(await ledgerTool(dataDir, 'callers', 'add', 'ben')).toEqual({
        code: 1,
        stdout: '',
        stderr: `ledger-tool: write ${file} failed: no space left on device (ENOSPC). Free space, then try again.\n`,
      });
      expect(readFileSync(file, 'utf8')).toBe(before);
      expect(readdirSync(dataDir).filter((name) => name.endsWith('.new'))).toEqual([]);
    } finally {
      unmount();
    }
  });

  withSmallDisk('has room for the log but not for taking it in keeps what it acknowledged (needs root)', async () => {
    const disk = join(home, 'disk');
    mkdirSync(disk);
    const unmount = mountSmallDisk(disk, '10m');
    try {
      const full = join(disk, 'data');
      const ledger = await LedgerProcess.open(full);
      ledger.send(STREAM);
      await ledger.logged(/The checkpoint of .*ledger\.db-wal failed \(database or disk is full\)/);
      await ledger.line(/^refused /);
      const acknowledged = acknowledgedBy(ledger);
      await ledger.ask(`read ${acknowledged.at(-1)}`, /^value /);
      await ledger.kill();
      expect(new Set(ledger.all('refused').map(([, code]) => code))).toEqual(new Set(['LEDGER.READ_ONLY']));

      execFileSync('mount', ['-o', 'remount,size=64m', disk]);
      await expectKept(full, acknowledged);
    } finally {
      unmount();
    }
  });

  withSmallDisk(
    'is full keeps what it acknowledged, serves reads, and writes again when there is space (needs root)',
    async () => {
      const disk = join(home, 'disk');
      mkdirSync(disk);
      const unmount = mountSmallDisk(disk, '3m');
      try {
        const full = join(disk, 'data');
        const ledger = await LedgerProcess.open(full);
        ledger.send('stream asset 8');
        await ledger.line(/^refused /);
        expect(await ledger.ask('create more', /^(acked|refused) more /)).toBe('refused more LEDGER.READ_ONLY -');
        expect(await ledger.ask('state', /^state /)).toBe('state read-only');
        const acknowledged = acknowledgedBy(ledger);
        expect(acknowledged.length).toBeGreaterThan(100);
        expect(new Set(ledger.all('refused').map(([, code]) => code))).toEqual(new Set(['LEDGER.READ_ONLY']));
        await ledger.ask(`read ${acknowledged[0]}`, /^value /);
        await ledger.ask(`read ${acknowledged.at(-1)}`, /^value /);
        await ledger.kill();

        execFileSync('mount', ['-o', 'remount,size=32m', disk]);
        await expectKept(full, acknowledged);
      } finally {
        unmount();
      }
    },
  );

  withSmallDisk(
    'can only be read is verified, exported and backed up with the log of a crash (needs root)',
    async () => {
      const disk = join(home, 'disk');
      mkdirSync(disk);
      const unmount = mountSmallDisk(disk, '32m');
      try {
        const crashed = join(disk, 'data');
        const ledger = await LedgerProcess.open(crashed);
        for (let n = 0; n < 20; n++) ledger.send(`create asset-${n}`);
        await ledger.count(/^acked /, 20);
        await ledger.kill();
        // Without the index of the log SQLite reads no log where it cannot make one.
        rmSync(join(crashed, 'channels', 'mychannel', 'ledger.db-shm'));
        execFileSync('mount', ['-o', 'remount,ro', disk]);

        const verified = await verifyLedger({ path: crashed });
        expect(verified).toMatchObject({ transactions: 21, findings: [] });
        const { height, hash } = verified;
        expect(await exportLedger({ dataDir: crashed, target: join(home, 'export') })).toMatchObject({
          height,
          currentHash: hash,
        });
        await backupLedger({ dataDir: crashed, target: join(home, 'backup') });
        await expectKept(join(home, 'backup'), acknowledgedBy(ledger));

        const refused = spawnSync(
          process.execPath,
          [
            resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js'),
            'export',
            join(home, 'again'),
            '--data-dir',
            crashed,
          ],
          { env: { TMPDIR: join(home, 'nowhere') }, encoding: 'utf8' },
        );
        expect(refused.status).toBe(1);
        expect(refused.stderr).toMatch(
          /is not writable, and the store could not be copied to .*nowhere for reading \(ENOENT\)\.\n$/,
        );
      } finally {
        unmount();
      }
    },
  );

  it('flipped a byte in the log of a crash loses nothing by a refused start and a refused rebuild', async () => {
    const crashed = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 22; n++) await crashed.ask(`create asset-${n}`, new RegExp(`^acked asset-${n} `));
    await crashed.kill();
    const log = join(dataDir, 'channels', 'mychannel', 'ledger.db-wal');
    for (const at of [3, 32 + 12 * 4120 + 600]) {
      const whole = readFileSync(log);
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ 0xff;
      writeFileSync(log, flipped);

      const refused = new LedgerProcess(dataDir);
      expect(await refused.line(/^(failed|ready) /)).toMatch(/^failed LEDGER\.DAMAGED .* The files are unchanged\./);
      await refused.ended;
      await expect(rebuildLedger({ dataDir })).rejects.toMatchObject({ code: 'LEDGER.DAMAGED' });
      expect(readFileSync(log).equals(flipped)).toBe(true);
      writeFileSync(log, whole);
    }
    await expectKept(dataDir, acknowledgedBy(crashed));
  });

  it('alters bytes under a running ledger is believed in nothing: each answer is right or an error', async () => {
    const first = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 40; n++) first.send(`create asset-${n}`);
    await first.count(/^acked /, 40);
    // The newest block is checked at the start: it stays whole, so that the ledger opens.
    await first.ask('create newest Ann', /^acked newest /);
    await first.close();
    const store = join(dataDir, 'channels', 'mychannel', 'ledger.db');
    const whole = readFileSync(store);
    // One bit of each asset's value is cleared wherever it is in the file.
    for (let at = whole.indexOf('Tomoko'); at >= 0; at = whole.indexOf('Tomoko', at + 1)) whole[at] = 'X'.charCodeAt(0);
    writeFileSync(store, whole);

    const second = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 40; n++) {
      expect(await second.ask(`read asset-${n}`, /^(value|unread) /)).toBe(`unread asset-${n} LEDGER.DAMAGED`);
    }
    // A write that depends on damaged data is refused; others continue.
    expect(await second.ask('create asset-0', /^(acked|refused) asset-0 /)).toBe('refused asset-0 LEDGER.DAMAGED -');
    await second.close();
    expect((await findings()).length).toBeGreaterThan(0);
  });

  it('lost the end of the store is reported at the start, and not written', async () => {
    const first = await LedgerProcess.open(dataDir);
    for (let n = 0; n < 40; n++) first.send(`create asset-${n}`);
    await first.count(/^acked /, 40);
    await first.close();
    const store = join(dataDir, 'channels', 'mychannel', 'ledger.db');
    const { length } = readFileSync(store);
    cpSync(dataDir, join(home, 'whole'), { recursive: true });
    for (const left of [length - 4096, length / 2, 4096, 100, 0].map(Math.floor)) {
      truncateSync(store, left);
      const refused = new LedgerProcess(dataDir);
      expect(await refused.line(/^(failed|ready) /)).toMatch(/^failed LEDGER\.DAMAGED .*ledger\.db/);
      await refused.ended;
      rmSync(dataDir, { recursive: true });
      cpSync(join(home, 'whole'), dataDir, { recursive: true });
    }
    expect(await findings()).toEqual([]);
  });
});
