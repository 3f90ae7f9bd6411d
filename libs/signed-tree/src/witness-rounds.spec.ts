import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { generateKey, parseCheckpoint, parsePolicy, SignatureType, verifierKeyText, Witness } from '#tlog';
import { consistencyProof, TestLog } from '#tlog/testing';
import type { SignedCheckpoint } from './witnessed-checkpoint.js';
import { WitnessRounds, type RoundTree } from './witness-rounds.js';

const INTERVAL_MS = 10_000;
const UNCHANGED_MS = 600_000;
const log = new TestLog('ledger.example.org/mychannel/lisbon');
const key = generateKey('witness.example.org/bank', SignatureType.COSIGNATURE);
const policy = parsePolicy(`witness bank ${verifierKeyText(key)} http://witness.example.org/\nquorum bank\n`);

let size: number;
let saved: string[];
let requests: number;
let rounds: WitnessRounds;

const signed = (): SignedCheckpoint => {
  const text = log.checkpoint(size);
  return { text, size, root: parseCheckpoint(text).root };
};
const tree: RoundTree = {
  checkpoint: signed,
  requestCheckpoint: () => Promise.resolve(signed()),
  consistencyProof: (from, to) => consistencyProof(log.leaves.slice(0, to), from),
  witnessed: () => (saved.length === 0 ? undefined : { ...signed(), size: parseCheckpoint(saved.at(-1)!).size }),
  saveWitnessed: (text) => saved.push(text),
  reportFork: () => Promise.reject(new Error('a fork')),
  status: () => ({ status: 'signing', size }),
};

/** Lets time pass, and the requests of its rounds end. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await turn();
}

beforeEach(async () => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'Date'] });
  [size, saved, requests] = [5, [], 0];
  const witness = new Witness(key, [log.key], new Map());
  jest.spyOn(globalThis, 'fetch').mockImplementation((_url, init) => {
    requests += 1;
    const { status, body } = witness.addCheckpoint(init?.body as string);
    return Promise.resolve(new Response(body, { status }));
  });
  rounds = new WitnessRounds(tree, policy, INTERVAL_MS, pino({ level: 'silent' }));
  await turn();
});
afterEach(async () => {
  await rounds.close();
  jest.useRealTimers();
  jest.restoreAllMocks();
});

describe('the rounds of the witnesses of a tree', () => {
  it('confirm it at the start, and each interval in which it has grown', async () => {
    expect([requests, saved.length]).toEqual([1, 1]);
    await pass(INTERVAL_MS);
    expect(requests).toBe(1);
    size = 9;
    await pass(INTERVAL_MS);
    expect(parseCheckpoint(saved.at(-1)!).size).toBe(9);
  });

  it('confirm it again every 10 minutes when it does not grow', async () => {
    await pass(UNCHANGED_MS - INTERVAL_MS);
    expect(requests).toBe(1);
    await pass(INTERVAL_MS);
    expect(requests).toBe(2);
    expect(parseCheckpoint(saved.at(-1)!).size).toBe(5);
  });
});
