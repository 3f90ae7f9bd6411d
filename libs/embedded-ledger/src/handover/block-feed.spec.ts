import { BlockFeed } from './block-feed.js';

describe('BlockFeed', () => {
  it('yields one block per turn of the event loop, so that other work runs between them', async () => {
    const feed = new BlockFeed((number) => ({ number, hash: '', bytes: new Uint8Array() }));
    const stop = new AbortController();
    const turns: number[] = [];
    let turn = 0;
    let ticking = setImmediate(function tick() {
      turn += 1;
      ticking = setImmediate(tick);
    });
    for await (const { number } of feed.from(0, 50, stop.signal)) {
      turns.push(turn);
      if (number === 49) stop.abort();
    }
    clearImmediate(ticking);
    expect(turns).toHaveLength(50);
    expect(new Set(turns).size).toBe(50);
  });
});
