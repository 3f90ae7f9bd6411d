import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { type CallOptions, type LedgerCall, LedgerError, type SubmitResult } from '#ledger-gateway';
import { CallSlots } from '#threads';
import { BodyLines, LINE_LIMITS } from '#bulk-data';
import { ApiError } from '../http/errors.js';
import { LineUpload } from '../uploads/line-upload.js';
import type { LineAnswer } from '../uploads/upload.dto.js';
import { AssetUpload } from './asset-upload.js';

const lineOf = (id: string): string =>
  `${JSON.stringify({ id, appraisedValue: '1', color: 'c', owner: 'o', size: 's' })}\n`;

/** A ledger that notes its calls; each fails as the test wants, or else succeeds when it is released. */
class SlowLedger {
  readonly channel = 'mychannel';
  readonly calls: (LedgerCall & CallOptions)[] = [];
  readonly failures: (Error | undefined)[] = [];
  hasBatches = true;
  gate: Promise<unknown> = Promise.resolve();

  async submit(call: LedgerCall, options: CallOptions = {}): Promise<SubmitResult> {
    this.calls.push({ ...call, ...options });
    const failure = this.failures.shift();
    await this.gate;
    if (failure !== undefined) throw failure;
    if (!this.hasBatches && call.function === 'CreateAssets') throw new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'none');
    const result = Buffer.from('{"created":1,"refused":[]}');
    return { transactionId: `tx${this.calls.length}`, blockNumber: 1, result };
  }
}

function start(ledger: SlowLedger, options: CallOptions & { readonly check?: () => void } = {}) {
  const body = new PassThrough();
  const assets = {
    create: async ({ id = '' }: { readonly id?: string }, callOptions: CallOptions) => {
      const { transactionId } = await ledger.submit({ function: 'CreateAsset', arguments: [id] }, callOptions);
      return { asset: {} as never, transactionId, isReplay: false };
    },
  };
  const slots = new CallSlots({ limit: 4, queueLimit: Infinity });
  const parts = { channel: ledger.channel, target: new AssetUpload(ledger, assets), slots };
  const upload = new LineUpload(parts, { check: () => undefined, ...options });
  const answers = upload.answers(new BodyLines(body, { ...LINE_LIMITS, batchLines: 2 }));
  return { body, answers };
}

async function all(
  answers: AsyncIterable<readonly LineAnswer[]>,
): Promise<{ answers: LineAnswer[]; failure: unknown }> {
  const found: LineAnswer[] = [];
  try {
    for await (const batch of answers) found.push(...batch);
    return { answers: found, failure: undefined };
  } catch (failure) {
    return { answers: found, failure };
  }
}

describe('AssetUpload', () => {
  it('makes transactions of complete batches under keys that their first lines determine', async () => {
    const keysOf = async (first: number): Promise<unknown[]> => {
      const ledger = new SlowLedger();
      const { body, answers } = start(ledger, { idempotencyKey: 'k', caller: 'ana' });
      body.write(['a', 'b', 'c', 'd', 'e'].slice(0, first).map(lineOf).join(''));
      setImmediate(() => body.end(['a', 'b', 'c', 'd', 'e'].slice(first).map(lineOf).join('')));
      await all(answers);
      return ledger.calls.map(({ idempotencyKey, arguments: [batch], caller }) => [idempotencyKey, batch, caller]);
    };
    const keys = await keysOf(0);
    expect(keys).toHaveLength(3);
    expect(new Set(keys.map((call) => JSON.stringify(call))).size).toBe(3);
    for (const first of [1, 2, 3, 4, 5]) expect(await keysOf(first)).toEqual(keys);
  });

  it('processes at most three batches, and no further ones while their answers are not read', async () => {
    const ledger = new SlowLedger();
    const { body, answers } = start(ledger);
    body.end(Array.from({ length: 40 }, (_, n) => lineOf(`a${n}`)).join(''));
    await answers.next();
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(ledger.calls.length).toBeLessThanOrEqual(4);
    await all(answers);
    expect(ledger.calls).toHaveLength(20);
  });

  it('writes an incomplete batch only without a key, and only when nothing is being written', async () => {
    const ledger = new SlowLedger();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ledger.gate = promise;
    const { body, answers } = start(ledger);
    const first = answers.next();
    body.write(lineOf('a'));
    while (ledger.calls.length === 0) await new Promise(setImmediate);
    body.write(lineOf('b'));
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(ledger.calls).toHaveLength(1);
    resolve(undefined);
    expect((await first).value).toMatchObject([{ line: 1, status: 201 }]);
    expect((await answers.next()).value).toMatchObject([{ line: 2, status: 201 }]);
    body.end();
  });

  it('creates the assets of chaincode without batches singly, each under its own key, equal ids in order', async () => {
    const ledger = new SlowLedger();
    ledger.hasBatches = false;
    const { body, answers } = start(ledger, { idempotencyKey: 'k' });
    body.end(['a', 'a', 'b', 'c'].map(lineOf).join(''));
    expect((await all(answers)).answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const singles = ledger.calls.filter(({ function: name }) => name === 'CreateAsset');
    expect(singles.map(({ arguments: [id] }) => id)).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    expect(singles).toHaveLength(4);
    expect(new Set(ledger.calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(ledger.calls.length);
  });

  it('lets a batch wait only for an earlier one with one of its ids', async () => {
    const ledger = new SlowLedger();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ledger.gate = promise;
    const { body, answers } = start(ledger);
    body.end(['a', 'b', 'c', 'd', 'e', 'a'].map(lineOf).join(''));
    const found = all(answers);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    expect(ledger.calls).toHaveLength(2);
    resolve(undefined);
    await found;
    expect(ledger.calls).toHaveLength(3);
  });

  it('repeats a batch that failed for a reason that may pass', async () => {
    const ledger = new SlowLedger();
    ledger.failures.push(new LedgerError('LEDGER.OVERLOADED', 'too many'));
    const { body, answers } = start(ledger);
    body.end(lineOf('a'));
    expect(await all(answers)).toMatchObject({ answers: [{ status: 201 }], failure: undefined });
    expect(ledger.calls).toHaveLength(2);
  });

  it('ends with a failure of the ledger, after the answers to the lines that were being written', async () => {
    const ledger = new SlowLedger();
    ledger.failures.push(undefined, new LedgerError('LEDGER.READ_ONLY', 'full disk'), undefined);
    const { body, answers } = start(ledger);
    body.write(Array.from({ length: 6 }, (_, n) => lineOf(`a${n}`)).join(''));
    const { answers: found, failure } = await all(answers);
    expect(found.slice(0, 4).map(({ code = '' }) => code)).toEqual(['', '', 'LEDGER.READ_ONLY', 'LEDGER.READ_ONLY']);
    expect(failure).toMatchObject({ code: 'LEDGER.READ_ONLY' });
  });

  it('checks the caller before each batch', async () => {
    const ledger = new SlowLedger();
    let checks = 0;
    const check = (): void => {
      if (++checks > 1) throw new ApiError('API.LOGIN_REFUSED', 'revoked');
    };
    const { body, answers } = start(ledger, { check });
    body.end(Array.from({ length: 4 }, (_, n) => lineOf(`a${n}`)).join(''));
    const { answers: found, failure } = await all(answers);
    expect(found.map(({ status }) => status)).toEqual([201, 201, 401, 401]);
    expect(failure).toMatchObject({ code: 'API.LOGIN_REFUSED' });
    expect(ledger.calls).toHaveLength(1);
  });

  it('ends with the failure of the body, and does not write the incomplete batch before it', async () => {
    const ledger = new SlowLedger();
    const { body, answers } = start(ledger, { idempotencyKey: 'k' });
    body.write(['a', 'b', 'c'].map(lineOf).join(''));
    const first = await answers.next();
    expect(first.value).toHaveLength(2);
    body.destroy(new Error('aborted'));
    expect(await all(answers)).toMatchObject({ answers: [], failure: { message: 'aborted' } });
    expect(ledger.calls).toHaveLength(1);
  });
});
