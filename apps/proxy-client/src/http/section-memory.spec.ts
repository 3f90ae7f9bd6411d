import { SectionAccount, SectionMemory } from './section-memory.js';

const KIB = 1024;

function accounts(memory: SectionMemory, count: number) {
  const evicted: number[] = [];
  const made = Array.from({ length: count }, (_, index) => new SectionAccount(memory, () => evicted.push(index)));
  return { evicted, made };
}

describe('SectionMemory', () => {
  it('does not count accounts of a few KiB', () => {
    const memory = new SectionMemory(0);
    const { made, evicted } = accounts(memory, 100);
    for (const each of made) each.retain(4 * KIB);
    expect([memory.used, evicted]).toEqual([0, []]);
  });

  it('evicts the accounts that hold the most, and no others', () => {
    const memory = new SectionMemory(160 * KIB);
    const { made, evicted } = accounts(memory, 6);
    for (const [index, each] of made.slice(0, 5).entries()) each.retain((index + 1) * 10 * KIB);
    made[5]?.reserve(20 * KIB);
    expect(evicted).toEqual([4]);
    expect(memory.used).toBe(120 * KIB);
  });

  it('refuses the account itself if it holds the most', () => {
    const memory = new SectionMemory(100 * KIB);
    const { made, evicted } = accounts(memory, 2);
    made[0]?.reserve(50 * KIB);
    expect(() => made[1]?.retain(60 * KIB)).toThrow('no memory left for a header of that size');
    expect([evicted, memory.used]).toEqual([[], 50 * KIB]);
  });

  it('is charged for incomplete and complete sections until they are released', () => {
    const memory = new SectionMemory(1000 * KIB);
    const [account] = accounts(memory, 1).made;
    account?.reserve(10 * KIB);
    account?.retain(20 * KIB);
    account?.release(10 * KIB);
    expect(memory.used).toBe(20 * KIB);
    account?.releaseRetained();
    expect(memory.used).toBe(0);
  });
});
