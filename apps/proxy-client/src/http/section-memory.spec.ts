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
    for (const each of made) each.retain(8 * KIB);
    expect([memory.used, evicted]).toEqual([0, []]);
  });

  it('evicts the accounts that hold the most, and no others', () => {
    const memory = new SectionMemory(16_000 * KIB);
    const { made, evicted } = accounts(memory, 600);
    made[0]?.retain(3000 * KIB);
    made[1]?.retain(2000 * KIB);
    for (const each of made.slice(2)) each.retain(20 * KIB);
    expect(evicted).toEqual([0]);
    expect(memory.used).toBe((2000 + 598 * 20) * KIB);
  });

  it('evicts the newest of accounts that hold the same', () => {
    const memory = new SectionMemory(10_000 * KIB);
    const { made, evicted } = accounts(memory, 403);
    for (const each of made.slice(0, 3)) each.retain(1000 * KIB);
    for (const each of made.slice(3)) each.retain(20 * KIB);
    expect(evicted).toEqual([2]);
  });

  it('starts a collection when many bytes of large sections were released', () => {
    let collections = 0;
    const memory = new SectionMemory(1000 * KIB, () => (collections += 1));
    const [account] = accounts(memory, 1).made;
    const release = (bytes: number) => {
      account?.retain(bytes);
      account?.releaseRetained();
    };
    for (let count = 0; count < 100; count += 1) release(500 * KIB);
    for (let count = 0; count < 10_000; count += 1) release(10 * KIB);
    expect(collections).toBe(1);
  });

  it('lets no more bytes be held when half of the budget is used', () => {
    const memory = new SectionMemory(100 * KIB);
    expect([memory.hold(40 * KIB), memory.hold(20 * KIB)]).toEqual([true, false]);
    memory.releaseHeld(30 * KIB);
    expect([memory.hold(10 * KIB), memory.used]).toEqual([true, 40 * KIB]);
  });

  it('refuses a large account that asks for more, and leaves memory to usual ones', () => {
    const memory = new SectionMemory(16_000 * KIB);
    const { made, evicted } = accounts(memory, 8);
    for (const each of made.slice(0, 6)) each.reserve(2000 * KIB);
    expect(() => {
      for (let count = 0; count < 2000; count += 20) made[6]?.reserve(20 * KIB);
    }).toThrow('no memory left for a header of that size');
    made[7]?.retain(50 * KIB);
    expect([evicted, memory.used]).toEqual([[], 12_050 * KIB]);
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
