import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { ChainInfo, LedgerChannel } from '#ledger-gateway';
import { KnownHeight } from './known-height.js';
import { LedgerMetrics } from './metrics.module.js';

const infoOf = (height: number): ChainInfo => {
  return { channel: 'mychannel', height, currentBlockHash: 'ab', previousBlockHash: '' };
};

/** A clock that is set by the test, and a channel whose answers are. */
function controlled() {
  const clock = { now: 0 };
  let next: Promise<ChainInfo> = Promise.resolve(infoOf(7));
  let reads = 0;
  const channel = {
    chainInfo: () => {
      reads += 1;
      return next;
    },
  };
  return {
    clock,
    channel,
    reads: () => reads,
    answer: (value: Promise<ChainInfo>) => {
      next = value;
    },
    known: new KnownHeight(channel, () => clock.now),
  };
}

describe('the known height of a channel', () => {
  it('is the last one while the next is being read, with its age, and reads once at a time', async () => {
    const { clock, known, answer, reads } = controlled();
    await known.read();
    const { promise, resolve } = Promise.withResolvers<ChainInfo>();
    answer(promise);
    const reading = known.read();
    clock.now = 20_000;
    expect([known.value, known.age]).toEqual([7, 20]);
    void known.read();
    expect(reads()).toBe(2);
    resolve(infoOf(9));
    await reading;
    expect([known.value, known.age]).toEqual([9, 0]);
  });

  it('is unknown when the ledger has not answered for half a minute, and its age grows', async () => {
    const { clock, known, answer } = controlled();
    await known.read();
    answer(new Promise(() => undefined));
    void known.read();
    clock.now = 31_000;
    expect([known.value, known.age]).toEqual([undefined, 31]);
  });

  it('is unknown at once when the ledger refuses', async () => {
    const { known, answer, clock } = controlled();
    await known.read();
    clock.now = 1000;
    answer(Promise.reject(new Error('unreachable')));
    await known.read();
    expect([known.value, known.age]).toEqual([undefined, 1]);
  });
});

describe('LedgerMetrics', () => {
  it('defect: a scrape waited for a channel that does not answer, so that every series disappeared', async () => {
    const registry = new Registry();
    const channelOf = (channel: string, chainInfo: LedgerChannel['chainInfo']) => {
      return { channel, chainInfo, queueLength: () => 3 } as LedgerChannel;
    };
    const channels = new Map([
      ['a', channelOf('a', () => Promise.resolve(infoOf(7)))],
      ['b', channelOf('b', () => new Promise(() => undefined))],
    ]);
    new LedgerMetrics(registry).watch({ channel: 'a', channels });
    const text = await registry.metrics();
    expect(text).toMatch(/^ledger_height 7$/m);
    expect(text).not.toContain('ledger_height{channel="b"}');
    expect(text).toMatch(/^ledger_height_age_seconds\{channel="b"\} 0\.\d+$/m);
    expect(text).toMatch(/^ledger_queue_length 3$/m);
  });
});
