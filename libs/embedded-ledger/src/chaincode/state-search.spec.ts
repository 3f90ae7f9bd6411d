import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QuerySource } from '#chaincode-host';
import { decodeActions, decodeEnvelope, decodeReadWriteSets } from '#fabric-codec';
import type { Ledger, LedgerCall } from '#ledger-gateway';
import { openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';
import { TestChaincodes, type TestFunction } from '../testing/test-chaincodes.js';

const KEYS = Array.from({ length: 250 }, (_, at) => `k${String(at).padStart(3, '0')}`);

describe('the state in which a query searches', () => {
  let source: QuerySource | undefined;
  const keysOf = (entries: Iterable<{ readonly key: string }>): string[] => Array.from(entries, ({ key }) => key);
  const functions: Readonly<Record<string, TestFunction>> = {
    Put: (stub, ...keys) => {
      for (const key of keys) stub.put(key, `value of ${key}`);
      return '';
    },
    Delete: (stub, key = '') => {
      stub.delete(key);
      return '';
    },
    Keys: (stub, after = '') => keysOf(stub.state.getQueryResult('cars', false).entries(after)).join(),
    Record: (stub) => {
      const search = stub.state.getQueryResult('cars', false);
      for (const { key } of search.entries('k100')) if (key.endsWith('7')) search.recordRead(key);
      search.value('k000');
      search.recordRead('k000');
      stub.put('found', 'yes');
      return '';
    },
    Leak: (stub) => {
      source = stub.state.getQueryResult('cars', false);
      return '';
    },
    ReadTwice: (stub) => {
      for (let time = 0; time < 2; time++) keysOf(stub.state.getQueryResult('cars', false).entries(''));
      return '';
    },
    PageThenPut: (stub) => {
      stub.state.getQueryResult('cars', true);
      stub.put('a', '1');
      return '';
    },
    PutThenPage: (stub) => {
      stub.put('a', '1');
      stub.state.getQueryResult('cars', true);
      return '';
    },
  };
  const directory = new TemporaryDirectory();
  let ledger: Ledger;
  const host = new TestChaincodes({ cars: functions, other: functions });
  beforeAll(async () => {
    ledger = await openLedger(directory.path, { chaincodes: host });
    await ledger.submit(call('Put', ...KEYS));
    await ledger.submit({ ...call('Put', 'of another chaincode'), chaincode: 'other' });
  });
  afterAll(async () => {
    await ledger.close();
    directory.remove();
  });
  const call = (name: string, ...args: readonly string[]): LedgerCall => ({
    chaincode: 'cars',
    function: name,
    arguments: args,
  });
  const evaluate = async (name: string, ...args: readonly string[]) =>
    Buffer.from(await ledger.evaluate(call(name, ...args))).toString();

  it('has the present keys of the chaincode, after one', async () => {
    expect(await evaluate('Keys')).toBe(KEYS.join());
    await ledger.submit(call('Delete', 'k150'));
    expect(await evaluate('Keys', 'k148')).toBe(
      KEYS.slice(149)
        .filter((key) => key !== 'k150')
        .join(),
    );
    expect(await evaluate('Keys', 'k249')).toBe('');
  });

  it('records the results as read, with their versions', async () => {
    const { transactionId } = await ledger.submit(call('Record'));
    const transaction = await ledger.transactionById(transactionId);
    const [action] = decodeActions(decodeEnvelope(transaction!.envelope).data);
    const [set] = decodeReadWriteSets(action!.results);
    expect(set!.rangeQueriesInfo).toEqual([]);
    expect(set!.reads.map(({ key }) => key)).toEqual(['k000', ...KEYS.slice(101).filter((key) => key.endsWith('7'))]);
    expect(new Set(set!.reads.map(({ version }) => version?.blockNumber))).toEqual(new Set([1]));
  });

  it.each([
    ['PageThenPut', 'Transaction has already performed a paginated query. Writes are not allowed'],
    ['PutThenPage', 'Paginated queries are supported only in a read-only transaction'],
    ['ReadTwice', 'the transaction reads more than 400 keys'],
  ])('refuses %s', async (name, text) => {
    host.limits = { ...host.limits, keysRead: 400 };
    await expect(ledger.submit(call(name))).rejects.toThrow(text);
  });

  it('is not read after the end of the simulation, when another one uses its connection', async () => {
    await evaluate('Leak');
    expect(() => keysOf(source!.entries(''))).toThrow('the transaction has ended');
    expect(() => source!.value('k000')).toThrow('the transaction has ended');
  });
});
