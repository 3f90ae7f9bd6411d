import { fillLedger, NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { StorePages, type PageCalls } from './store-pages.js';

const ASSETS = 600;
const CLIENTS = 8;

describe('pages that are read at the same time', () => {
  const directory = new TemporaryDirectory();
  let pages: PageCalls;
  beforeAll(async () => {
    await fillLedger(directory.path, ASSETS);
    pages = new StorePages({
      storePath: directory.file('channels', NAMES.channel, 'ledger.db'),
      chaincode: NAMES.chaincode,
      valuesPath: directory.file('private', `${NAMES.channel}.db`),
    });
  });
  afterAll(() => {
    directory.remove();
  });

  /** Reads a page while clients read `/blocks` without a pause; returns how many pages of blocks were served meanwhile. */
  async function blockPagesDuring(read: () => Promise<unknown>): Promise<number> {
    let served = 0;
    let isDone = false;
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!isDone) {
        await pages.blocks({ limit: 200 });
        served += 1;
      }
    });
    await read();
    const meanwhile = served;
    isDone = true;
    await Promise.all(clients);
    return meanwhile;
  }

  /** The most pages of blocks that take as long as this read does alone, for each client, and one that each had begun. */
  it.each<[string, () => Promise<unknown>]>([
    ['assets without a match', () => pages.assets({ limit: 100, color: 'none' })],
    ['the history of an asset', () => pages.assetHistory('asset1', { limit: 100 })],
    ['transactions without a match', () => pages.transactions({ limit: 100, function: 'none' })],
  ])('clients that page through blocks do not starve a read of %s', async (_, read) => {
    // Before the fix, some hundreds: each step of the read waited for a whole page of every client.
    expect(await blockPagesDuring(read)).toBeLessThanOrEqual(CLIENTS * 4);
  });
});
