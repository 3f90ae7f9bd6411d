import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import type { Ledger, LedgerError } from '#ledger-gateway';
import { codeOf, createAsset, failureOf, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

describe('a ledger whose writer thread dies', () => {
  const logged: { readonly facts: object; readonly message: string }[] = [];
  const logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (facts: object, message: string) => logged.push({ facts, message }),
  };
  let directory: TemporaryDirectory;
  let ledger: Ledger;
  let writer: Worker;

  const takeWriter = (message: unknown): void => {
    ({ worker: writer } = message as { worker: Worker });
  };
  beforeEach(async () => {
    logged.length = 0;
    directory = new TemporaryDirectory();
    subscribe('worker_threads', takeWriter);
    ledger = await openLedger(directory.path, { logger });
    unsubscribe('worker_threads', takeWriter);
    await ledger.submit(createAsset('before'));
  });
  afterEach(async () => {
    await ledger.close();
    directory.remove();
  });

  it('reports the outcome of in-flight writes as unknown, each with its transaction id', async () => {
    const ids = Array.from({ length: 500 }, (_, n) => `asset-${n}`);
    const writes = ids.map((id) => ledger.submit(createAsset(id)));
    const died = writer.terminate();
    const ends = await Promise.allSettled(writes);
    await died;
    // On a busy machine some are recorded before the thread ends.
    const failures = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as LedgerError] : []));
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['LEDGER.OUTCOME_UNKNOWN']));
    expect(new Set(failures.map(({ transactionId }) => transactionId)).size).toBe(failures.length);
  });

  it('serves reads and refuses writes with a reason', async () => {
    await writer.terminate();
    expect(await ledger.connectionState()).toEqual({
      status: 'read-only',
      reason: 'The writer thread has ended. Restart the ledger.',
    });
    const failure = await failureOf(ledger.submit(createAsset('after')));
    expect(failure.code).toBe('LEDGER.READ_ONLY');
    expect(failure.message).toContain('The writer thread has ended. Restart the ledger.');
    await ledger.evaluate({ function: 'ReadAsset', arguments: ['before'] });
    expect(logged.map(({ message }) => message)).toEqual(['the ledger accepts no writes until it is restarted']);
  });

  it('logs an unexpected failure of the thread', async () => {
    const exited = new Promise((resolve) => writer.once('exit', resolve));
    writer.postMessage({ method: 'submit', parameters: [null] });
    await exited;
    expect(logged).toMatchObject([
      { facts: { err: { name: 'TypeError' } }, message: 'unexpected failure in the writer thread' },
      { message: 'the ledger accepts no writes until it is restarted' },
    ]);
    expect(await codeOf(ledger.submit(createAsset('after')))).toBe('LEDGER.READ_ONLY');
  });

  it('works again after a restart, with all acknowledged writes', async () => {
    await writer.terminate();
    await ledger.close();
    ledger = await openLedger(directory.path);
    await ledger.evaluate({ function: 'ReadAsset', arguments: ['before'] });
    await ledger.submit(createAsset('after'));
  });
});
