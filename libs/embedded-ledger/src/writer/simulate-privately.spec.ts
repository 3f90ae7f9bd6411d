import { ContractError, defineContract, type DecidingCall, prepared } from '#contract-kit';
import { hashedKey, sha256 } from '#fabric-codec/encode';
import { StateReaders } from '../store/namespace-reader.js';
import { openForReading } from '../store/open-store.js';
import { StoreReader } from '../store/store-reader.js';
import { openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { OpenBlock } from './open-block.js';
import { simulate } from './simulate.js';

/** Writes a document privately and its hash publicly. */
const CONTRACT = defineContract(
  'Documents',
  [],
  [
    prepared('Put', ['id', 'hash'], ([id, hash], { transient }): DecidingCall => {
      const value = transient?.get('document');
      if (value === undefined) throw new ContractError('INVALID_ARGUMENT', 'the document is missing');
      const privateWrites = [
        { collection: 'notes', key: id, value: undefined, isPurge: true },
        { collection: 'documents', key: id, value },
      ];
      return {
        reads: [id],
        decide: () => ({ writes: [{ key: id, value: Buffer.from(hash) }], privateWrites, payload: Buffer.from('') }),
      };
    }),
  ],
);

describe('a contract of the ledger with private data', () => {
  let directory: TemporaryDirectory;
  let states: StateReaders;
  let close: () => void;
  beforeAll(async () => {
    directory = new TemporaryDirectory();
    await (await openLedger(directory.path)).close();
    const db = openForReading(directory.file('channels', 'mychannel', 'ledger.db'));
    states = new StateReaders(db, new StoreReader(db));
    close = () => {
      db.close();
    };
  });
  afterAll(() => {
    close();
    directory.remove();
  });

  it('writes hashed sets, collections in byte order', () => {
    const document = Buffer.from('{"secret":1}');
    const transaction = { transactionId: '0'.repeat(64), timestamp: '', transient: new Map([['document', document]]) };
    const call = { function: 'Put', arguments: ['one', 'hash'] };
    const simulated = simulate(CONTRACT, { call, transaction }, states.of('records'), new OpenBlock());
    expect(simulated).toMatchObject({ payload: Buffer.from('') });
    const { readWriteSets } = simulated as Exclude<typeof simulated, string>;
    expect([...readWriteSets.keys()]).toEqual(['records', 'records\0documents', 'records\0notes']);
    expect(readWriteSets.get('records\0documents')!.writes).toEqual([
      { key: hashedKey('one'), value: sha256(document) },
    ]);
    expect(readWriteSets.get('records\0notes')!.writes).toEqual([
      { key: hashedKey('one'), value: undefined, isPurge: true },
    ]);
  });

  it('is refused without its transient data', () => {
    const transaction = { transactionId: '0'.repeat(64), timestamp: '' };
    const call = { function: 'Put', arguments: ['one', 'hash'] };
    expect(() => simulate(CONTRACT, { call, transaction }, states.of('records'), new OpenBlock())).toThrow('missing');
  });
});
