import { text } from 'node:stream/consumers';
import type { Asset } from './asset.dto.js';
import { assetList } from './assets.service.js';
import type { AssetsPage } from '#asset-contract';

const assetOf = (ID: string): string =>
  JSON.stringify({ ID, appraisedValue: '1', color: 'c', owner: 'o'.repeat(100), size: 's' });

const arrayOf = (assets: readonly string[]): Uint8Array => new TextEncoder().encode(`[${assets.join()}]`);

/** Pages of ten assets; counts how many were requested. */
function pages(count: number): {
  first: AssetsPage;
  next: (bookmark: string) => Promise<AssetsPage>;
  asked: () => number;
} {
  let asked = 1;
  const page = (index: number): AssetsPage => ({
    array: arrayOf(Array.from({ length: 10 }, (_, n) => assetOf(`${index}-${n}`))),
    bookmark: index + 1 < count ? String(index + 1) : '',
  });
  const next = async (bookmark: string): Promise<AssetsPage> => {
    asked += 1;
    return Promise.resolve(page(Number(bookmark)));
  };
  return { first: page(0), next, asked: () => asked };
}

describe('assetList', () => {
  it.each([1, 2, 7])('writes %i pages as one answer', async (count) => {
    const { first, next } = pages(count);
    const answer = JSON.parse(await text(assetList('Listed.', first, next))) as { data: Asset[] };
    expect(answer).toEqual({ success: true, message: 'Listed.', data: expect.any(Array) as unknown });
    expect(answer.data.map(({ ID }) => ID)).toEqual(
      Array.from({ length: count * 10 }, (_, n) => `${Math.floor(n / 10)}-${n % 10}`),
    );
  });

  it('writes an empty list, also when pages contain only records that are not assets', async () => {
    const empty = { array: arrayOf([]), bookmark: '' };
    expect(JSON.parse(await text(assetList('Listed.', empty, () => Promise.reject(new Error()))))).toMatchObject({
      data: [],
    });
    const holes = [{ array: arrayOf([]), bookmark: 'b' }, { array: arrayOf([assetOf('x')]), bookmark: 'c' }, empty];
    const next = async () => Promise.resolve(holes.shift()!);
    expect(JSON.parse(await text(assetList('Listed.', holes.shift()!, next)))).toMatchObject({ data: [{ ID: 'x' }] });
  });

  it('reads pages only while the client reads the answer', async () => {
    const { first, next, asked } = pages(1000);
    const stream = assetList('Listed.', first, next);
    for await (const chunk of stream) {
      expect(String(chunk)).toMatch(/^\{"success":true/);
      break;
    }
    expect(stream.destroyed).toBe(true);
    // A stream buffers 64 KiB, a few dozen of these small pages.
    expect(asked()).toBeLessThan(50);
  });

  it('fails when a page cannot be read, so that the list does not look complete', async () => {
    const { first } = pages(3);
    const stream = assetList('Listed.', first, () => Promise.reject(new Error('the ledger has gone')));
    await expect(text(stream)).rejects.toThrow('the ledger has gone');
  });
});
