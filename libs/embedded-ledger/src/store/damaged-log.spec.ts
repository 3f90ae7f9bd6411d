import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isLedgerError } from '#ledger-gateway';
import { backupLedger, exportLedger, rebuildLedger, verifyLedger } from '../index.js';
import { createAsset, failureOf, NAMES, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

const BLOCKS = 22;
/** The page size is SQLite's own: a frame is a header and a page. */
const FRAME = 24 + 4096;

/** A ledger whose process ended with everything still in the log, as a crash leaves it. */
describe('a damaged log', () => {
  const home = new TemporaryDirectory();
  const crashed = home.file('crashed');
  let work: TemporaryDirectory;
  let data: string;
  beforeAll(async () => {
    const ledger = await openLedger(home.file('alive'));
    for (let n = 0; n < BLOCKS; n++) await ledger.submit(createAsset(`asset-${n}`));
    cpSync(home.file('alive'), crashed, { recursive: true, filter: (path) => !path.endsWith('-shm') });
    await ledger.close();
  });
  afterAll(() => {
    home.remove();
  });
  beforeEach(() => {
    work = new TemporaryDirectory();
    data = work.file('data');
    cpSync(crashed, data, { recursive: true });
  });
  afterEach(() => {
    work.remove();
  });

  const place = () => join(data, 'channels', NAMES.channel);
  const log = () => join(place(), 'ledger.db-wal');
  const store = () => join(place(), 'ledger.db');
  const flip = (at: number) => {
    const bytes = readFileSync(log());
    bytes[at] = (bytes[at] ?? 0) ^ 0x20;
    writeFileSync(log(), bytes);
  };
  /** Every file with its content, but for the index of the log, which SQLite makes from it, and the empty lock. */
  const content = () =>
    readdirSync(data, { recursive: true, encoding: 'utf8' })
      .filter((name) => !/-shm$|^lock\.db$/.test(name) && statSync(join(data, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(data, name)).toString('base64')]);
  const expectWhole = async () => {
    const ledger = await openLedger(data);
    expect(await ledger.chainInfo()).toMatchObject({ height: BLOCKS + 1 });
    await ledger.submit(createAsset('after'));
    await ledger.close();
    expect((await verifyLedger({ path: data })).findings).toEqual([]);
  };

  it('is what a crash leaves', async () => {
    expect(statSync(log()).size).toBeGreaterThan(BLOCKS * FRAME);
    await expectWhole();
  });

  const attempts: readonly [string, () => Promise<unknown>][] = [
    ['a start', () => openLedger(data)],
    ['rebuild', () => rebuildLedger({ dataDir: data })],
    ['export', () => exportLedger({ dataDir: data, target: work.file('export') })],
    ['backup', () => backupLedger({ dataDir: data, target: work.file('backup') })],
  ];
  const places: readonly [string, number][] = [
    ['the magic number of its header', 1],
    ['the page size in its header', 10],
    ['a salt in its header', 17],
    ['the checksum of its header', 25],
    ['the first frame’s header', 32 + 3],
    ['a salt of the second frame', 32 + FRAME + 9],
    ['a page in the middle', 32 + 20 * FRAME + 1000],
  ];
  it.each(places)(
    'in %s (byte %i) is refused by every program without a change: with the byte restored everything is there',
    async (_, at) => {
      flip(at);
      const before = content();
      for (const [who, attempt] of attempts) {
        const failure = await failureOf(attempt());
        expect([who, failure.code]).toEqual([who, 'LEDGER.DAMAGED']);
        expect(content()).toEqual(before);
      }
      flip(at);
      await expectWhole();
    },
  );

  it('does not prevent a start if it begins after the pinned block, as a commit that a crash cut short does', async () => {
    const bytes = readFileSync(log());
    const salts = bytes.subarray(16, 24);
    let end = 32;
    while (salts.equals(bytes.subarray(end + 8, end + 16))) end += FRAME;
    bytes.copy(bytes, end, end - FRAME, end);
    writeFileSync(log(), bytes);
    await expectWhole();
  });

  it('of a store that was cut to nothing is not deleted', async () => {
    truncateSync(store(), 0);
    const before = content();
    for (const [, attempt] of attempts) expect((await failureOf(attempt())).code).toBe('LEDGER.DAMAGED');
    expect(content()).toEqual(before);
    cpSync(join(crashed, 'channels', NAMES.channel, 'ledger.db'), store());
    await expectWhole();
  });

  it('is nothing that a refused start leaves open', async () => {
    flip(17);
    await failureOf(openLedger(data));
    const open = readdirSync('/proc/self/fd').filter((fd) => {
      const link = `/proc/self/fd/${fd}`;
      return existsSync(link) && statSync(link).isFile() && statSync(link).ino === statSync(log()).ino;
    });
    expect(open).toEqual([]);
  });

  describe('rebuild', () => {
    it('retains what it replaces, including log and pin', async () => {
      const before = content().filter(([name]) => name?.startsWith(join('channels', NAMES.channel)));
      const { replaced, height } = await rebuildLedger({ dataDir: data });
      expect(height).toBe(BLOCKS + 1);
      const kept = readdirSync(replaced)
        .filter((name) => !name.endsWith('-shm'))
        .sort()
        .map((name) => [join('channels', NAMES.channel, name), readFileSync(join(replaced, name)).toString('base64')]);
      expect(kept).toEqual(before);
      await expectWhole();
    });

    it('that was cut short between its two renames is ended by the next start', async () => {
      const { replaced } = await rebuildLedger({ dataDir: data });
      mkdirSync(join(data, 'rebuilt'));
      for (const name of readdirSync(place())) cpSync(join(place(), name), join(data, 'rebuilt', name));
      rmSync(place(), { recursive: true });
      await expectWhole();
      expect(existsSync(join(data, 'rebuilt'))).toBe(false);
      expect(existsSync(replaced)).toBe(true);
    });

    it('that is incomplete does not replace the old one', async () => {
      mkdirSync(join(data, 'rebuilt'));
      writeFileSync(join(data, 'rebuilt', 'ledger.db'), 'half');
      rmSync(place(), { recursive: true });
      expect(await openLedger(data).catch((error: unknown) => isLedgerError(error) && error.code)).toBe(
        'LEDGER.DAMAGED',
      );
    });
  });
});
