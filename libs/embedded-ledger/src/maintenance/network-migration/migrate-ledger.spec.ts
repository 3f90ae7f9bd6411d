import { X509Certificate } from 'node:crypto';
import { type Ledger, LedgerError } from '#ledger-gateway';
import { migrateLedger, verifyLedger } from '../../index.js';
import { beforeWrites } from '../../testing/before-calls.js';
import { TestChaincodes, TOKENS } from '../../testing/test-chaincodes.js';
import {
  codeOf,
  createAsset,
  failureOf,
  fillLedger,
  openLedger,
  TemporaryDirectory,
} from '../../testing/temporary-ledger.js';

const ASSETS = 1200;
const NEVER = { retryFor: 0 };

async function allOf(ledger: Ledger): Promise<string[]> {
  const texts: string[] = [];
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: Awaited<ReturnType<NonNullable<Ledger['assets']>>> = await ledger.assets!({ limit: 1000, after });
    texts.push(...page.items);
    after = page.next;
  }
  return texts;
}

describe('the migration of a ledger', () => {
  const source = new TemporaryDirectory();
  let to: TemporaryDirectory;
  let target: Ledger;
  let head: string;
  beforeAll(async () => {
    await fillLedger(source.path, ASSETS);
    const tokens = new TestChaincodes({ 'basic-2': TOKENS, tokens: TOKENS });
    const ledger = await openLedger(source.path, { chaincodes: tokens });
    for (const chaincode of tokens.names) {
      await ledger.submit({ chaincode, function: 'Mint', arguments: ['ann', '5'] });
    }
    await ledger.close();
    const report = await verifyLedger({ path: source.path });
    head = `${report.height}:${report.hash}`;
  });
  beforeEach(async () => {
    to = new TemporaryDirectory();
    target = await openLedger(to.path);
  });
  afterEach(async () => {
    await target.close();
    to.remove();
  });
  afterAll(() => {
    source.remove();
  });

  const migrate = (ledger = target, options = {}) =>
    migrateLedger({ dataDir: source.path, target: ledger, ...options });
  const originalAssets = async (): Promise<string[]> => {
    const ledger = await openLedger(source.path, { readOnly: true });
    const texts = await allOf(ledger);
    await ledger.close();
    return texts;
  };

  it('copies every asset, records where they come from first, and finds no difference', async () => {
    const reported: unknown[] = [];
    const progress = (...report: unknown[]) => void reported.push(report);
    const report = await migrate(target, { progress });
    const assets = await originalAssets();
    expect(report).toMatchObject({ created: assets.length, compared: assets.length, differing: 0, differences: [] });
    expect(report.otherChaincodes).toEqual(['basic-2', 'tokens']);
    expect(await allOf(target)).toEqual(assets);
    expect(reported).toContainEqual([assets.length, assets.length, 'assets created']);
    expect(reported).toContainEqual([1000, assets.length, 'assets compared']);
    const [first] = (await target.lists.transactions({ limit: 1, function: 'RecordOrigin' })).items;
    const [oldest] = (await target.lists.blocks({ limit: 1, before: 2 })).items;
    expect(oldest?.transactions).toEqual([first]);
    expect(first).toMatchObject({ transactionId: report.transactionId, firstArgument: 'mychannel' });
    const original = await openLedger(source.path, { readOnly: true });
    const { raw } = new X509Certificate((await original.authorities!('Org1MSP'))!);
    await original.close();
    const { height, headHash, authority } = report.origin;
    expect(`${height}:${headHash}`).toBe(head);
    expect(authority).toBe(new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase());
    // The old ledger is as it was.
    const { findings, ...verified } = await verifyLedger({ path: source.path });
    expect([findings, `${verified.height}:${verified.hash}`]).toEqual([[], head]);
  });

  it('continues after an interruption at any write, and creates nothing twice', async () => {
    const ids = new Set<string>();
    for (let last = 1; last <= 4; last++) {
      const stopped = beforeWrites(target, (write) => {
        if (write > last) throw new LedgerError('LEDGER.MISCONFIGURED', 'stopped');
      });
      const end = await migrate(stopped).then(
        ({ transactionId }) => transactionId,
        (error: unknown) => (error as LedgerError).message,
      );
      if (end !== 'stopped') ids.add(end);
    }
    const report = await migrate();
    ids.add(report.transactionId);
    expect(ids.size).toBe(1);
    expect(report).toMatchObject({ created: 0, differing: 0 });
    expect(await allOf(target)).toEqual(await originalAssets());
    expect((await target.lists.transactions({ limit: 10, function: 'RecordOrigin' })).items).toHaveLength(1);
    const created = (await target.lists.transactions({ limit: 100, function: 'CreateAssets' })).items;
    expect(created.length).toBeLessThanOrEqual(6);
  });

  it('sends a call again while the target is unavailable, and when its outcome is unknown', async () => {
    const failures = ['LEDGER.UNAVAILABLE', 'LEDGER.OUTCOME_UNKNOWN', 'LEDGER.TIMEOUT'] as const;
    const flaky = beforeWrites(target, (write) => {
      const code = failures[write - 2];
      if (code !== undefined) throw new LedgerError(code, 'not now');
    });
    expect(await migrate(flaky)).toMatchObject({ differing: 0 });
    const down = beforeWrites(target, () => {
      throw new LedgerError('LEDGER.UNAVAILABLE', 'down');
    });
    expect(await codeOf(migrate(down, NEVER))).toBe('LEDGER.UNAVAILABLE');
  });

  it('refuses a target with other assets, and writes nothing', async () => {
    await target.submit(createAsset('asset-7', 'Somebody else'));
    await target.submit(createAsset('other'));
    const { height } = await target.chainInfo();
    const { code, message } = await failureOf(migrate());
    expect(code).toBe('LEDGER.MISCONFIGURED');
    expect(message).toContain('2 assets');
    expect(message).toContain('"asset-7" is different');
    expect((await target.chainInfo()).height).toBe(height);
  });

  it('names the channel on which another chaincode has the record of the migration', async () => {
    await target.close();
    target = await openLedger(to.path, { chaincodes: new TestChaincodes({ tokens: TOKENS }) });
    const earlier = { chaincode: 'tokens', function: 'Mint', arguments: ['ann', '5'] };
    await target.submit(earlier, { idempotencyKey: `migration-of-${head.split(':')[1]}` });
    expect(await failureOf(migrate())).toMatchObject({
      code: 'LEDGER.MISCONFIGURED',
      message:
        'This ledger was migrated to another chaincode of channel mychannel: ' +
        'set LEDGER_CHAINCODE to that one, or LEDGER_CHANNEL to another channel.',
    });
  });

  it('lists what differs in the end: what the target refuses, and what others have written meanwhile', async () => {
    const changed = beforeWrites(target, (write) => {
      if (write === 1) void target.submit(createAsset('asset-5', 'Somebody else'));
    });
    const { differing, differences } = await migrate(changed);
    expect([differing, differences]).toEqual([1, [{ id: 'asset-5', kind: 'different', reason: undefined }]]);
  });

  it('requires a chaincode that records the origin', async () => {
    const foreign = beforeWrites(target, () => {
      throw new LedgerError('LEDGER.FUNCTION_UNKNOWN', '"RecordOrigin" is not a function of this contract');
    });
    const { code, message } = await failureOf(migrate(foreign));
    expect(code).toBe('LEDGER.MISCONFIGURED');
    expect(message).toContain('install the chaincode of this release');
  });

  it('locks the directory, but not for those that only read it', async () => {
    const reading = await openLedger(source.path, { readOnly: true });
    const seen: unknown[] = [];
    const watched = beforeWrites(target, (write) => {
      if (write === 1) seen.push(codeOf(openLedger(source.path)), reading.assets!({ limit: 1 }));
    });
    expect(await migrate(watched)).toMatchObject({ differing: 0 });
    expect(await Promise.all(seen)).toEqual(['LEDGER.MISCONFIGURED', expect.objectContaining({ next: 'asset-0' })]);
    await reading.close();
    const writing = await openLedger(source.path);
    const { code, message } = await failureOf(migrate());
    expect([code, message.includes('LEDGER_READ_ONLY=on')]).toEqual(['LEDGER.MISCONFIGURED', true]);
    await writing.close();
  });
});
