import { createHash, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { decodeEnvelope } from '#fabric-codec';
import type { LedgerError, LedgerErrorCode } from '../errors/ledger.errors.js';
import type { Ledger, LedgerCall, SubmitResult } from '../ports/ledger.port.js';

/** Number of concurrent copies of a write. */
const COPIES = 50;

/** The tests for keyed writes that every driver must pass. */
export function keyedConformance(ledger: () => Ledger): void {
  const submit = (
    call: LedgerCall,
    { key, owner }: { key: string; owner?: string | undefined },
  ): Promise<SubmitResult> => ledger().submit(call, { caller: owner, idempotencyKey: key });
  const codeOf = (call: Promise<unknown>): Promise<LedgerErrorCode | undefined> =>
    call.then(
      () => undefined,
      (error: unknown) => (error as LedgerError).code,
    );

  it('returns the result of the first call to each repeat, and records nothing more', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    const first = await submit(create(id), { key });
    expect(first.isReplay ?? false).toBe(false);
    const { height } = await ledger().chainInfo();
    for (let repeat = 0; repeat < 3; repeat++) {
      expect(await submit(create(id), { key })).toEqual({ ...first, isReplay: true });
    }
    expect((await ledger().chainInfo()).height).toBe(height);
    expect(json(first.result)).toEqual(asset(id));
  });

  it('derives the nonce from channel, caller, key and attempt, and the id from nonce and creator', async () => {
    for (const owner of [undefined, 'alice']) {
      const key = `!"#~${randomUUID()}`;
      const { transactionId } = await submit(create(randomUUID()), { key, owner });
      const { envelope } = (await ledger().transactionById(transactionId))!;
      const { nonce, creatorBytes } = decodeEnvelope(envelope);
      const words = ['ledger-gateway/idempotency-key/1', ledger().channel, owner ?? null, key, 0];
      expect(Buffer.from(nonce).toString('hex')).toBe(sha256(JSON.stringify(words)));
      expect(sha256(nonce, creatorBytes)).toBe(transactionId);
    }
  });

  it('refuses another write with the key, and lets each caller use the key for its own write', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    await submit(create(id), { key });
    const others: LedgerCall[] = [
      create(randomUUID()),
      { function: 'CreateAsset', arguments: [id, 'blue', '6', 'Tomoko', '300'] },
      { function: 'UpdateAsset', arguments: create(id).arguments },
      { function: 'TransferAsset', arguments: [id, 'Ann'] },
    ];
    for (const other of others) expect(await codeOf(submit(other, { key }))).toBe('LEDGER.KEY_REUSED');
    expect(await read(ledger(), id)).toEqual(asset(id));
    for (const owner of ['alice', 'bob']) {
      expect((await submit(create(randomUUID()), { key, owner })).isReplay ?? false).toBe(false);
    }
  });

  it('evaluates a refused write again each time', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    const transfer = { function: 'TransferAsset', arguments: [id, 'Ann'] };
    expect(await codeOf(submit(transfer, { key }))).toBe('LEDGER.ASSET_NOT_FOUND');
    await ledger().submit(create(id));
    expect(json((await submit(transfer, { key })).result)).toEqual({ ...asset(id), owner: 'Ann' });
    await ledger().submit({ function: 'DeleteAsset', arguments: [id] });
    expect(await submit(transfer, { key })).toMatchObject({ isReplay: true });
    expect(await codeOf(submit(create(id), { key: `${key}-2` }))).toBeUndefined();
    expect(await codeOf(submit(create(id), { key: `${key}-3` }))).toBe('LEDGER.ASSET_EXISTS');
  });

  it('answers a repeat with the asset that the first call wrote', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    await ledger().submit(create(id));
    const transfer = { function: 'TransferAsset', arguments: [id, 'Ann'] };
    const first = await submit(transfer, { key });
    await ledger().submit({ function: 'UpdateAsset', arguments: [id, 'red', '6', 'Bob', '301'] });
    const repeated = await submit(transfer, { key });
    expect(json(repeated.result)).toEqual({ ...asset(id), owner: 'Ann' });
    expect(repeated.transactionId).toBe(first.transactionId);
    expect(await read(ledger(), id)).toMatchObject({ owner: 'Bob' });
  });

  it('makes one transaction for many concurrent copies, and answers them all alike', async () => {
    const [key, id] = [randomUUID(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: COPIES }, () => submit(create(id), { key })));
    expect(new Set(answers.map(({ transactionId }) => transactionId)).size).toBe(1);
    expect(answers.filter(({ isReplay = false }) => !isReplay)).toHaveLength(1);
    for (const { result } of answers) expect(json(result)).toEqual(asset(id));
  });

  it('executes one of many different concurrent writes with one key', async () => {
    const key = randomUUID();
    const ids = Array.from({ length: COPIES }, () => randomUUID());
    const codes = await Promise.all(ids.map((id) => codeOf(submit(create(id), { key }))));
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set([undefined, 'LEDGER.KEY_REUSED']));
    const winner = codes.indexOf(undefined);
    for (const [index, id] of ids.entries()) {
      expect(await codeOf(read(ledger(), id))).toBe(index === winner ? undefined : 'LEDGER.ASSET_NOT_FOUND');
    }
  });
}

const create = (id: string): LedgerCall => ({
  function: 'CreateAsset',
  arguments: [id, 'blue', '5', 'Tomoko', '300'],
});

const asset = (ID: string) => ({ ID, color: 'blue', size: '5', owner: 'Tomoko', appraisedValue: '300' });

async function read(ledger: Ledger, id: string): Promise<unknown> {
  return json(await ledger.evaluate({ function: 'ReadAsset', arguments: [id] }));
}

function json(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
