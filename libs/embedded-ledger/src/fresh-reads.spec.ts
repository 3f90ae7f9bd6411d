import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Ledger } from '#ledger-gateway';
import { createAsset, openLedger, TemporaryDirectory } from './testing/temporary-ledger.js';

const WRITERS = 8;
const WRITES = 40;

describe('reads of the embedded ledger', () => {
  const directory = new TemporaryDirectory();
  let ledger: Ledger;
  let channel: Ledger;
  beforeAll(async () => {
    ledger = await openLedger(directory.path);
    channel = ledger;
    await Promise.all(Array.from({ length: WRITERS }, (_, n) => channel.submit(createAsset(`asset-${n}`, 'start'))));
  });
  afterAll(async () => {
    await ledger.close();
    directory.remove();
  });

  const ownerOf = async (id: string): Promise<string> => {
    const bytes = await channel.evaluate({ function: 'ReadAsset', arguments: [id] });
    return (JSON.parse(Buffer.from(bytes).toString()) as { owner: string }).owner;
  };

  it('see every write that was acknowledged before them, while other reads and writes run in every turn', async () => {
    let isDone = false;
    let reads = 0;
    // These begin after the events of a turn, so their snapshot is open when the next acknowledgements arrive.
    const reader = async (): Promise<void> => {
      while (!isDone) {
        await ownerOf(`asset-${reads++ % WRITERS}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const writer = async (n: number): Promise<string[]> => {
      const seen: string[] = [];
      for (let write = 0; write < WRITES; write++) {
        await channel.submit({ function: 'TransferAsset', arguments: [`asset-${n}`, `owner-${write}`] });
        seen.push(await ownerOf(`asset-${n}`));
      }
      return seen;
    };
    const readers = [reader(), reader(), reader()];
    const seen = await Promise.all(Array.from({ length: WRITERS }, (_, n) => writer(n)));
    isDone = true;
    await Promise.all(readers);
    const written = Array.from({ length: WRITES }, (_, write) => `owner-${write}`);
    expect(seen).toEqual(Array.from({ length: WRITERS }, () => written));
    expect(reads).toBeGreaterThan(WRITES);
  });

  it('see a new asset in the list, and no deleted one, once the write is acknowledged', async () => {
    const listed = async (): Promise<boolean> => {
      const bytes = await channel.evaluate({ function: 'GetAssetsPage', arguments: ['1000', ''] });
      return Buffer.from(bytes).toString().includes('"ID":"new"');
    };
    for (let round = 0; round < 20; round++) {
      expect(await listed()).toBe(false);
      await channel.submit(createAsset('new'));
      expect(await listed()).toBe(true);
      await channel.submit({ function: 'DeleteAsset', arguments: ['new'] });
      await expect(ownerOf('new')).rejects.toMatchObject({ code: 'LEDGER.ASSET_NOT_FOUND' });
    }
  });
});
