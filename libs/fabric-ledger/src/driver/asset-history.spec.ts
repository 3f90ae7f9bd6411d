import { org1, TestChain, write } from '#fabric-codec/testing';
import { type LedgerCall, LedgerError, type LedgerTransaction } from '#ledger-gateway';
import { AssetHistory } from './asset-history.js';
import type { ChainQueries } from './chain.js';

const CHANGES = 1000;
/** Change n is in block 2n + 1. */
const blockOf = (change: number) => 2 * change + 1;
const chain = new TestChain([org1]);

function envelopeOf(change: number): Uint8Array {
  const asset = { ID: 'car', appraisedValue: '1', color: 'c', owner: `owner ${change}`, size: 's' };
  return chain.transaction({ readWriteSet: write('car', JSON.stringify(asset)) });
}

/** The history of an asset; counts the transactions that are read. */
function historyOf({ reach = CHANGES }) {
  const read: number[] = [];
  const evaluate = ({ arguments: [, size = '', bookmark = ''] }: LedgerCall): Promise<Uint8Array> => {
    // Newest first; the bookmark is the last change of the previous page.
    const newest = bookmark === '' ? CHANGES - 1 : Number(bookmark) - 1;
    if (CHANGES - newest > reach) return Promise.reject(new LedgerError('LEDGER.INVALID_ARGUMENT', 'out of reach'));
    const count = Math.min(Number(size), newest + 1);
    const changes = Array.from({ length: count }, (_, n) => ({ transactionId: String(newest - n) }));
    const last = newest - count + 1;
    return Promise.resolve(Buffer.from(JSON.stringify({ changes, bookmark: last === 0 ? '' : String(last) })));
  };
  const transactionById = (id: string): Promise<LedgerTransaction> => {
    read.push(Number(id));
    const blockNumber = blockOf(Number(id));
    const place = { blockNumber, position: 0, blockHash: '', blockSignatures: new Uint8Array(), validationCode: 0 };
    return Promise.resolve({ transactionId: id, ...place, envelope: envelopeOf(Number(id)) });
  };
  const chainInfo = () => Promise.resolve({ height: blockOf(CHANGES) });
  const queries = { transactionById, chainInfo } as unknown as ChainQueries;
  return { history: new AssetHistory('car', 'basic', { queries, evaluate, caller: undefined }), read };
}

describe('the version of an asset at a block, on Fabric', () => {
  it.each([0, 1, 199, 200, 201, 500, 798, 799, 800, 801, 998, 999])(
    'is change %i from its block on',
    async (change) => {
      for (const block of [blockOf(change), blockOf(change) + 1].filter((one) => one < blockOf(CHANGES))) {
        const { history, read } = historyOf({});
        expect(JSON.parse(await history.at(block))).toMatchObject({ owner: `owner ${change}` });
        // One for each of five pages, and eight to bisect one of 200.
        expect(read.length).toBeLessThanOrEqual(13);
      }
    },
  );

  it('does not exist before the first change', async () => {
    await expect(historyOf({}).history.at(0)).rejects.toMatchObject({ code: 'LEDGER.ASSET_NOT_FOUND' });
  });

  it('is not supported, instead of missing, where the history of the chaincode does not reach so far back', async () => {
    const { history } = historyOf({ reach: 400 });
    expect(JSON.parse(await history.at(blockOf(650)))).toMatchObject({ owner: 'owner 650' });
    await expect(history.at(blockOf(599))).rejects.toMatchObject({ code: 'LEDGER.NOT_SUPPORTED' });
  });
});
