import { randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import type { LedgerError } from '../../../errors/ledger.errors.js';
import { IdentityStore } from '../store/identity-store.js';
import { DerivedTables } from '../store/derived-tables.js';
import { createDerivedTables } from '../store/schema.js';
import { NamespaceReader } from '../store/namespace-reader.js';
import { NAMES, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { BlockForge } from './block-forge.js';
import { BlockPipeline } from './block-pipeline.js';
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
  function pipelineWith(commit: (block: SealedBlock) => void) {
    const db = new DatabaseSync(':memory:');
    createDerivedTables(db);
    const derived = new DerivedTables(db, NAMES.chaincode);
    const log: string[] = [];
    const pipeline = new BlockPipeline(
      forge,
      {
        state: new NamespaceReader(db, NAMES.chaincode),
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
  ])('%s, and all that waits or comes later', async (_, error, code) => {
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
});
