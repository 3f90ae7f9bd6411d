import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LedgerBlock } from '#ledger-gateway';
import { rebuildLedger } from './index.js';
import { codeOf, createAsset, fillLedger, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

describe('a ledger that was opened to be read only', () => {
  const directory = new TemporaryDirectory();
  beforeAll(async () => {
    await fillLedger(directory.path, 20);
  });
  afterAll(() => {
    directory.remove();
  });

  it('refuses writes, and serves reads, pages, receipts and events', async () => {
    const ledger = await openLedger(directory.path, { readOnly: true });
    expect(await codeOf(ledger.submit(createAsset('new')))).toBe('LEDGER.WRITES_DISABLED');
    expect(await ledger.connectionState()).toEqual({ status: 'ready' });
    expect((await ledger.assets!({ limit: 100 })).items).toHaveLength(25);
    const [newest] = (await ledger.lists.transactions({ limit: 1 })).items;
    const receipt = JSON.parse((await ledger.receipt!(newest!.transactionId))!) as { attestation: { kind: string } };
    expect(receipt.attestation.kind).toBe('statement');
    const blocks: LedgerBlock[] = [];
    const { height } = await ledger.chainInfo();
    for await (const block of ledger.blockEvents({ startBlock: 0 })) if (blocks.push(block) === height) break;
    expect(blocks.map(({ number }) => number)).toEqual(Array.from({ length: height }, (_, number) => number));
    await ledger.close();
  });

  it('does not keep others from the directory, and shows what they write', async () => {
    const reading = await openLedger(directory.path, { readOnly: true });
    const before = readdirSync(directory.path);
    const writing = await openLedger(directory.path);
    await writing.submit(createAsset('later'));
    await writing.close();
    await nextTurn();
    expect((await reading.assets!({ limit: 1, prefix: 'later' })).items).toHaveLength(1);
    await reading.close();
    expect(readdirSync(directory.path)).toEqual(before);
  });

  it('follows the blocks and tree entries that another process writes', async () => {
    const reading = await openLedger(directory.path, { readOnly: true });
    const { height: startBlock } = await reading.chainInfo();
    const blocks = reading.blockEvents({ startBlock })[Symbol.asyncIterator]();
    const entries = reading.treeEntries!({ startBlock })[Symbol.asyncIterator]();
    const next = () => Promise.all([blocks.next(), entries.next()]);
    let following = next();
    const writing = await openLedger(directory.path);
    for (const number of [startBlock, startBlock + 1]) {
      await writing.submit(createAsset(`live-${number}`));
      const [block, added] = await following;
      expect(block.value).toMatchObject({ number });
      expect(added.value).toHaveLength(1);
      following = next();
    }
    await reading.close();
    expect((await following).map(({ done }) => done)).toEqual([true, true]);
    await writing.close();
  });

  it('is unavailable after its store was replaced, whose blocks it would not see', async () => {
    const reading = await openLedger(directory.path, { readOnly: true });
    await rebuildLedger({ dataDir: directory.path });
    expect(await reading.connectionState()).toMatchObject({
      status: 'unavailable',
      reason: expect.stringContaining('restart') as string,
    });
    await reading.close();
    const again = await openLedger(directory.path, { readOnly: true });
    expect(await again.connectionState()).toEqual({ status: 'ready' });
    await again.close();
  });

  it('is not created', async () => {
    const empty = new TemporaryDirectory();
    expect(await codeOf(openLedger(empty.path, { readOnly: true }))).toBe('LEDGER.MISCONFIGURED');
    expect(readdirSync(empty.path)).toEqual([]);
    empty.remove();
  });
});
