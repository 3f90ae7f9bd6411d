import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { ReadWriteSet } from '#fabric-codec/encode';
import type { LedgerError } from '#ledger-gateway';
import { IdentityStore } from '../store/identity-store.js';
import { DerivedTables } from '../store/derived-tables.js';
import { createDerivedTables } from '../store/schema.js';
import { StateReaders } from '../store/namespace-reader.js';
import { StoreReader } from '../store/store-reader.js';
import { NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { BlockForge } from './block-forge.js';
import { BlockPipeline, type PipelineHost } from './block-pipeline.js';
import type { SealedBlock, WriteRequest } from './open-block.js';

/** Errors of SQLite in the form of node:sqlite. */
const sqliteError = (errcode: number, text: string) => Object.assign(new Error(text), { errcode });
const FAILED_SYNC = sqliteError(1034, 'disk I/O error');
const DISK_FULL = sqliteError(13, 'database or disk is full');

describe('BlockPipeline', () => {
  const directory = new TemporaryDirectory();
  let forge: BlockForge;
  beforeAll(async () => {
    const store = new IdentityStore(directory.file('identities'), NAMES.mspId);
    await store.create();
    forge = new BlockForge({ ...NAMES, identities: await store.load() });
  });
  afterAll(async () => {
    await forge.close();
    directory.remove();
  });

  /** Creates a pipeline on an empty store with the given commit function, and logs its results in order. */
  function pipelineWith(
    commit: (block: SealedBlock) => void,
    storeValues: PipelineHost['storeValues'] = () => undefined,
  ) {
    const db = new DatabaseSync(':memory:');
    createDerivedTables(db);
    const derived = new DerivedTables(db, NAMES.chaincode);
    const states = new StateReaders(db, new StoreReader(db));
    const log: string[] = [];
    const pipeline = new BlockPipeline(
      forge,
      {
        assets: NAMES.chaincode,
        states,
        storeValues,
        beginReading: () => undefined,
        commit: (block) => {
          commit(block);
          derived.add(block.number, block.writes, []);
        },
        committed: ({ number, transactions }) => {
          log.push(`block ${number}: ${transactions.map(({ request }) => request.transactionId).join(' ')}`);
        },
        refused: ({ transactionId }, error) => {
          log.push(`${transactionId}: ${(error as LedgerError).code}`);
        },
        stale: ({ transactionId }, keys) => {
          log.push(`${transactionId}: stale by ${keys.join(', ')}`);
        },
        failed: () => {
          log.push('failed');
        },
      },
      {
        header: { number: 0, previousHash: new Uint8Array(), dataHash: randomBytes(32) },
        hash: randomBytes(32),
        commitHash: new Uint8Array(),
      },
    );
    return { pipeline, log };
  }

  const create = (number: number, id = `asset-${number}`): WriteRequest => ({
    chaincode: NAMES.chaincode,
    function: 'CreateAsset',
    arguments: [id, 'blue', '5', 'Tomoko', '300'],
    signer: 0,
    nonce: randomBytes(24).toString('hex'),
    transactionId: String(number),
  });

  it('seals the writes that arrived together, and assembles the next block meanwhile', async () => {
    const { pipeline, log } = pipelineWith(() => undefined);
    pipeline.submit([create(1), create(2)]);
    pipeline.submit([create(3)]);
    await pipeline.drain();
    expect(log).toEqual(['block 1: 1 2 3']);
    pipeline.submit([create(4)]);
    await pipeline.drain();
    expect(log).toEqual(['block 1: 1 2 3', 'block 2: 4']);
  });

  it('reports a refusal only after the block on which it depends', async () => {
    const { pipeline, log } = pipelineWith(() => undefined);
    pipeline.submit([create(1, 'same'), create(2, 'same'), create(3)]);
    await pipeline.drain();
    expect(log).toEqual(['block 1: 1 3', '2: LEDGER.ASSET_EXISTS']);
  });

  it('reports a refusal that depends on no block at once', async () => {
    const { pipeline, log } = pipelineWith(() => undefined);
    pipeline.submit([create(1), { ...create(2), function: 'NoSuchFunction' }]);
    await pipeline.drain();
    expect(log).toEqual(['2: LEDGER.FUNCTION_UNKNOWN', 'block 1: 1']);
  });

  it.each([
    ['calls what a failed fsync may have kept unknown', FAILED_SYNC, 'LEDGER.OUTCOME_UNKNOWN'],
    ['refuses for good what a full disk has not taken', DISK_FULL, 'LEDGER.READ_ONLY'],
    ['refuses what it could not even make', new TypeError('x is not a function'), 'LEDGER.READ_ONLY'],
  ])('%s, and all queued and later ones', async (_, error, code) => {
    const { pipeline, log } = pipelineWith(({ number }) => {
      if (number === 2) throw error;
    });
    pipeline.submit([create(1)]);
    await pipeline.drain();
    pipeline.submit([create(2, 'same'), create(3, 'same'), create(4)]);
    await pipeline.drain();
    // Write 3 would have been refused because of write 2, which was not stored: it gets the actual error.
    expect(log.slice(0, 4)).toEqual(['block 1: 1', 'failed', `2: ${code}`, `4: ${code}`]);
    expect(log.slice(4)).toEqual(['3: LEDGER.READ_ONLY']);
    pipeline.submit([create(5)]);
    await pipeline.drain();
    expect(log.at(-1)).toBe('5: LEDGER.READ_ONLY');
  });

  it('completes any number of writes of one key', async () => {
    const { pipeline, log } = pipelineWith(() => undefined);
    pipeline.submit(Array.from({ length: 250 }, (_, n) => create(n, 'same')));
    await pipeline.drain();
    expect(log[0]).toBe('block 1: 0');
    const ends = log.flatMap((line) => (line.startsWith('block') ? (line.split(': ')[1]?.split(' ') ?? []) : [line]));
    expect(ends).toHaveLength(250);
  });

  describe('with finished simulations', () => {
    const VALUE = Buffer.from('value');
    /** The simulation of a call that reads and writes keys of the chaincode "cars", on a snapshot of that many blocks. */
    const finished = (number: number, height: number, set: Partial<ReadWriteSet>): WriteRequest => ({
      ...create(number),
      finished: {
        ...{ height, timestamp: 0, payload: VALUE, response: VALUE },
        proposal: { channelHeader: VALUE, signatureHeader: VALUE, chaincodePayload: VALUE },
        readWriteSets: new Map([['cars', { reads: [], writes: [], ...set }]]),
      },
    });
    const writes = [{ key: 'k', value: VALUE }];
    const version = { blockNumber: 1, transactionNumber: 0 };
    const whole = { startKey: '', endKey: '', exhausted: true };
    const run = async (...requests: readonly (readonly WriteRequest[])[]): Promise<string[]> => {
      const { pipeline, log } = pipelineWith(() => undefined);
      for (const batch of requests) {
        pipeline.submit(batch);
        await pipeline.drain();
      }
      return log;
    };

    it('commits those that read what is committed, also of a key that the ledger’s own contract has too', async () => {
      const reads = [{ key: 'k', version }];
      const absent = [{ key: 'asset-3', version: undefined }];
      const log = await run(
        [finished(1, 1, { writes })],
        [create(2)],
        [create(3), finished(4, 2, { reads })],
        [finished(5, 2, { reads: absent, rangeReads: [{ ...whole, reads }] })],
      );
      expect(log).toEqual(['block 1: 1', 'block 2: 2', 'block 3: 3 4', 'block 4: 5']);
    });

    it.each<[string, Partial<ReadWriteSet>, string]>([
      ['a key that was absent', { reads: [{ key: 'k', version: undefined }] }, 'cars/k'],
      ['another version', { reads: [{ key: 'k', version: { blockNumber: 1, transactionNumber: 1 } }] }, 'cars/k'],
      ['a key that is deleted', { reads: [{ key: 'gone', version }] }, 'cars/gone'],
      ['a range without a new key', { rangeReads: [{ ...whole, reads: [] }] }, '["cars","",""], cars/k'],
      [
        'a range with a deleted key',
        { rangeReads: [{ startKey: 'a', endKey: 'gone', exhausted: false, reads: [{ key: 'gone', version }] }] },
        '["cars","a","gone"], cars/gone',
      ],
    ])('reports one as stale that read %s', async (_, set, keys) => {
      const log = await run([finished(1, 1, { writes })], [finished(2, 1, { ...set, writes })]);
      expect(log).toEqual(['block 1: 1', `2: stale by ${keys}`]);
    });

    it.each<[string, Partial<ReadWriteSet>]>([
      ['key', { reads: [{ key: 'k', version: undefined }] }],
      ['range', { rangeReads: [{ ...whole, reads: [] }] }],
    ])(
      'waits for the open block before it reports one as stale that read a %s which this block writes',
      async (_, set) => {
        const log = await run([finished(1, 1, { writes }), finished(2, 1, { ...set, writes }), create(3)]);
        expect(log[0]).toBe('block 1: 1 3');
        expect(log[1]).toMatch(/^2: stale by .*cars\/k$/);
      },
    );

    it('commits two that write the same key without reading it, in their order', async () => {
      expect(await run([finished(1, 1, { writes }), finished(2, 1, { writes })])).toEqual(['block 1: 1 2']);
    });

    describe('of private values', () => {
      const privately = (number: number): WriteRequest => {
        const value = { space: 'cars\0notes', key: 'k', value: VALUE, isListed: true };
        const privateWrites = { values: [value], otherKeys: [], isPurge: false };
        const request = finished(number, 1, { writes });
        return { ...request, finished: { ...request.finished!, privateWrites } };
      };

      it('commits them when the values are stored', async () => {
        const stored = Promise.withResolvers<undefined>();
        const { pipeline, log } = pipelineWith(
          () => log.push('commit'),
          (transactions) => {
            log.push(`store ${transactions.map(({ request }) => request.transactionId).join(' ')}`);
            return stored.promise;
          },
        );
        pipeline.submit([create(1), privately(2)]);
        await forge.envelopes([], false);
        log.push('stored');
        stored.resolve(undefined);
        await pipeline.drain();
        expect(log).toEqual(['store 1 2', 'stored', 'commit', 'block 1: 1 2']);
      });

      it('refuses them alone when the values could not be stored, and continues those that waited for them', async () => {
        const { pipeline, log } = pipelineWith(
          () => undefined,
          async (transactions) => {
            await Promise.resolve();
            if (transactions.some(({ privateWrites }) => privateWrites !== undefined)) throw DISK_FULL;
          },
        );
        pipeline.submit([privately(1), finished(2, 1, { reads: [{ key: 'k', version: undefined }] })]);
        await pipeline.drain();
        expect(log).toEqual(['1: LEDGER.UNAVAILABLE', 'block 1: 2']);
        pipeline.submit([create(3), privately(4)]);
        await pipeline.drain();
        expect(log.slice(2)).toEqual(['4: LEDGER.UNAVAILABLE', 'block 2: 3']);
      });
    });
  });
});
