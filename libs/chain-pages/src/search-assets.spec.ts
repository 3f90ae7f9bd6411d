import fc from 'fast-check';
import type { Asset } from '#asset-contract';
import type { AssetFilter } from '#ledger-gateway';
import { searchAssets, type AssetChunk } from './asset-pages.js';

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const asset = (ID: string): Asset => ({ ID, appraisedValue: '1', color: 'c', owner: 'o', size: 's' });

/** Reads a list as a ledger does. */
function reader(ids: readonly string[]): (after: string, limit: number) => AssetChunk {
  const sorted = [...new Set(ids)].sort(compare);
  return (after, limit) => {
    const rest = sorted.filter((id) => after === '' || compare(id, after) > 0);
    const chunk = rest.slice(0, limit).map((key) => ({ key, asset: asset(key) }));
    return { assets: chunk, bookmark: rest.length > limit ? (chunk.at(-1)?.key ?? '') : '' };
  };
}

async function idsOf(ids: readonly string[], filter: AssetFilter, limit: number): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await searchAssets({ limit, after, ...filter }, reader(ids), limit + 1);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items.map((text) => (JSON.parse(text) as Asset).ID));
    after = page.next;
  } while (after !== undefined);
  return found;
}

describe('the assets whose ids begin with a text', () => {
  const characters = ['a', 'b', ' ', '!', '\u007f', '\ud7ff', '\ue000', '\uffff', '🚀', '\u{10ffff}'];
  const text = (size: object) => fc.string({ unit: fc.constantFrom(...characters), ...size });

  it('are all of them, each once, in byte order', async () => {
    const ids = fc.array(text({ minLength: 1, maxLength: 4 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(ids, text({ maxLength: 3 }), fc.integer({ min: 1, max: 5 }), async (all, prefix, limit) => {
        const wanted = [...new Set(all)].filter((id) => id.startsWith(prefix)).sort(compare);
        expect(await idsOf(all, { prefix }, limit)).toEqual(wanted);
      }),
    );
  });

  it('are read without the assets before and after them', async () => {
    const read = reader(Array.from({ length: 100 }, (_, n) => `car-${n}`));
    const seen: string[] = [];
    const { items, next } = await searchAssets(
      { limit: 20, prefix: 'car-5' },
      (after, limit) => {
        const chunk = read(after, limit);
        seen.push(...chunk.assets.map(({ key }) => key));
        return chunk;
      },
      21,
    );
    expect([items.length, next]).toEqual([11, undefined]);
    expect(seen[0]).toBe('car-5');
    expect(seen).toHaveLength(21);
  });
});
