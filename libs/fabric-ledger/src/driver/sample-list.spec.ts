import type { Asset } from '#asset-contract';
import { SampleList } from './asset-chaincode.js';

/** A chaincode that only lists. */
function listing(...records: readonly unknown[]): SampleList {
  return answering(Buffer.from(JSON.stringify(records)));
}

function answering(answer: Uint8Array): SampleList {
  return new SampleList(() => Promise.resolve(answer));
}

function list(samples: SampleList): Promise<readonly Asset[]> {
  return samples.all({});
}

describe("the samples' lists of assets", () => {
  const asset = { ID: 'a', appraisedValue: '300', color: 'blue', owner: 'Tom', size: '5' };

  it.each([
    ['TypeScript: numbers, capitalised keys', { ID: 'a', AppraisedValue: 300, Color: 'blue', Owner: 'Tom', Size: 5 }],
    ['Go: numbers under keys of ours', { ID: 'a', appraisedValue: 300, color: 'blue', owner: 'Tom', size: 5 }],
    [
      'external Go, which once came out as an empty list: a key and a record',
      { Key: 'a', Record: { ID: 'a', color: 'blue', size: 5, owner: 'Tom', appraisedValue: 300 } },
    ],
  ])('are read in the form of %s', async (_, record) => {
    expect(await list(listing(record))).toEqual([asset]);
  });

  it('keep the integers beyond 2^53 that Go chaincode stores', async () => {
    const record = '[{"ID":"a","AppraisedValue":9007199254740993,"Size":9223372036854775807}]';
    expect(await list(answering(Buffer.from(record)))).toEqual([
      expect.objectContaining({ appraisedValue: '9007199254740993', size: '9223372036854775807' }),
    ]);
  });

  it('leave out what is no asset', async () => {
    expect(await list(listing('text', null, { Record: null }, { other: 1 }, asset))).toEqual([asset]);
  });

  it.each(['<html>', '{"assets":[]}', '7'])('are refused when they are none: %s', async (answer) => {
    await expect(list(answering(Buffer.from(answer)))).rejects.toMatchObject({ code: 'LEDGER.REFUSED' });
  });

  it.each(['', 'null', '[]'])('are empty as %j', async (answer) => {
    expect(await list(answering(Buffer.from(answer)))).toEqual([]);
  });

  it('let others be served while a long one is read', async () => {
    const chaincode = listing(
      ...Array.from({ length: 20_000 }, (_, n) => ({ ...asset, ID: String(n).padStart(5, '0') })),
    );
    let turns = 0;
    let isRead = false;
    const count = (): void => {
      turns++;
      if (!isRead) setImmediate(count);
    };
    setImmediate(count);
    const page = await chaincode.page(['2', ''], {});
    isRead = true;
    expect(page).toMatchObject({
      assets: [{ ID: '00000' }, {}],
      bookmark: '00001',
    });
    expect(turns).toBeGreaterThanOrEqual(20_000 / 500);
  });
});
