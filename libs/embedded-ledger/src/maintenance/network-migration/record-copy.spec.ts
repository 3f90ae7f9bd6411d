import { type Ledger, LedgerError } from '#ledger-gateway';
import { migrateLedger, verifyLedger } from '../../index.js';
import { beforeCalls } from '../../testing/before-calls.js';
import { createAsset, failureOf, openLedger, TemporaryDirectory } from '../../testing/temporary-ledger.js';

const RECORDS = 1100;
const NUMBERED = { type: 'object', required: ['n'] };
const LOGIN = { type: 'object', properties: { user: { type: 'string' } } };

function records(ledger: Ledger, name: string, ...args: readonly string[]) {
  return ledger.submit({ chaincode: 'records', function: name, arguments: args });
}

/** Returns what a function returns. */
async function read(ledger: Ledger, name: string, ...args: readonly string[]): Promise<string> {
  const bytes = await ledger.evaluate({ chaincode: 'records', function: name, arguments: args });
  return Buffer.from(bytes).toString();
}

async function all(ledger: Ledger, type: string): Promise<string[]> {
  const pages: string[] = [];
  for (let bookmark: string | undefined = ''; bookmark !== undefined;) {
    const page = await read(ledger, 'List', type, '1000', bookmark);
    pages.push(page);
    ({ bookmark } = JSON.parse(page) as { bookmark: string | undefined });
    if (bookmark === '') bookmark = undefined;
  }
  return pages;
}

describe('the migration of records', () => {
  const source = new TemporaryDirectory();
  let to: TemporaryDirectory;
  let target: Ledger;
  let made: string;

  beforeAll(async () => {
    const ledger = await openLedger(source.path);
    await ledger.submit(createAsset('a1'));
    await records(ledger, 'DefineType', 'login', JSON.stringify({ indexes: ['user'] }));
    const { result } = await records(ledger, 'Create', 'login', '', '"of the first version"');
    ({ id: made } = JSON.parse(Buffer.from(result).toString()) as { id: string });
    await records(ledger, 'DefineType', 'login', JSON.stringify({ indexes: ['user'], schema: LOGIN }));
    const many = Array.from({ length: RECORDS }, (_, n) => ({ id: `l/${n}`, document: { user: `u${n % 7}`, n } }));
    for (let from = 0; from < RECORDS; from += 500) {
      await records(ledger, 'CreateMany', 'login', JSON.stringify(many.slice(from, from + 500)));
    }
    await records(ledger, 'DefineType', 'login', JSON.stringify({ indexes: ['user'], schema: NUMBERED }));
    await records(ledger, 'Create', 'login', 'ü %', '{"n":1}');
    await records(ledger, 'DefineType', 'note', JSON.stringify({ mode: 'mutable' }));
    await records(ledger, 'Create', 'note', 'n1', '1');
    await records(ledger, 'Update', 'note', 'n1', '2', '');
    await records(ledger, 'Create', 'note', 'n2', '1');
    await records(ledger, 'Delete', 'note', 'n2', '');
    await records(ledger, 'DefineType', 'empty', '{}');
    await ledger.close();
  });
  beforeEach(async () => {
    to = new TemporaryDirectory();
    target = await openLedger(to.path);
  });
  afterEach(async () => {
    await target.close();
    to.remove();
  });
  afterAll(() => {
    source.remove();
  });

  const migrate = (ledger = target, options = {}) =>
    migrateLedger({ dataDir: source.path, target: ledger, ...options });
  const expectSame = async (): Promise<void> => {
    const original = await openLedger(source.path, { readOnly: true });
    for (const type of ['login', 'note', 'empty']) expect(await all(target, type)).toEqual(await all(original, type));
    expect(await read(target, 'ListTypes', '100', '')).toBe(await read(original, 'ListTypes', '100', ''));
    await original.close();
  };

  it('copies each version of a type, and the records with their ids and versions', async () => {
    const report = await migrate();
    const copied = { created: RECORDS + 3, compared: RECORDS + 3 };
    expect(report).toMatchObject({ created: 1, records: copied, differing: 0, otherChaincodes: [] });
    await expectSame();
    expect(JSON.parse(await read(target, 'Get', 'login', made))).toEqual({ d: 'of the first version', v: 1 });
    expect(JSON.parse(await read(target, 'Get', 'login', 'ü %'))).toEqual({ d: { n: 1 }, v: 3 });
    // They are found by their indexed fields.
    const found = { type: 'login', where: [{ field: 'user', value: 'u1' }], limit: 1000 };
    expect((await target.lists.records!(found)).items).toHaveLength(Math.ceil((RECORDS - 1) / 7));
    await target.close();
    expect((await verifyLedger({ path: to.path })).findings).toEqual([]);
    target = await openLedger(to.path);
  });

  it('continues after an interruption at any write, and creates nothing twice', async () => {
    let end = '';
    for (let last = 1; end !== 'done'; last++) {
      const stopped = beforeCalls(target, (name, call) => {
        if (name === 'submit' && call > last) throw new LedgerError('LEDGER.MISCONFIGURED', 'stopped');
      });
      end = await migrate(stopped).then(
        ({ differing }) => (differing === 0 ? 'done' : 'different'),
        (error: unknown) => (error as LedgerError).message,
      );
      expect(['stopped', 'done']).toContain(end);
    }
    await expectSame();
    const created = (await target.lists.transactions({ limit: 100, function: 'CreateMany' })).items;
    expect(created.length).toBeLessThanOrEqual(7);
  });

  it('repeats calls while the target is unavailable', async () => {
    const failures = ['LEDGER.UNAVAILABLE', 'LEDGER.OUTCOME_UNKNOWN'] as const;
    const flaky = beforeCalls(target, (name, call, chaincode) => {
      const code = chaincode === 'records' && name === 'submit' ? failures[call % 3] : undefined;
      if (code !== undefined) throw new LedgerError(code, 'not now');
    });
    expect(await migrate(flaky)).toMatchObject({ differing: 0 });
  });

  it('writes nothing to a target with other types or records', async () => {
    await records(target, 'DefineType', 'login', JSON.stringify({ indexes: ['user'] }));
    await records(target, 'Create', 'login', 'l/5', '{"other":1}');
    await records(target, 'Create', 'login', 'more', '1');
    await records(target, 'DefineType', 'note', JSON.stringify({ schema: { type: 'object' } }));
    await records(target, 'DefineType', 'own', '{}');
    const { height } = await target.chainInfo();
    const { code, message } = await failureOf(migrate());
    expect(code).toBe('LEDGER.MISCONFIGURED');
    expect(message).toContain('4 assets or records');
    expect(message).toContain('"record-types/own" is additional');
    expect((await target.chainInfo()).height).toBe(height);
  });

  it('lists what differs in the end, with the reason of a refusal', async () => {
    const changed = beforeCalls(target, (name, call, chaincode) => {
      if (name === 'submit' && chaincode === 'records' && call === 5)
        void records(target, 'Create', 'login', 'l/7', '[]');
    });
    const { differing, differences } = await migrate(changed);
    expect([differing, differences]).toEqual([1, [{ id: 'records/login/l/7', kind: 'different', reason: undefined }]]);
  });

  it('requires a chaincode for records only if the ledger has records', async () => {
    const without = beforeCalls(target, (_name, _call, chaincode) => {
      if (chaincode === 'records') throw new LedgerError('LEDGER.CHAINCODE_UNKNOWN', 'no such chaincode');
    });
    const { code, message } = await failureOf(migrate(without));
    expect([code, message]).toEqual(['LEDGER.MISCONFIGURED', expect.stringContaining('install the records chaincode')]);
    const plain = new TemporaryDirectory();
    const ledger = await openLedger(plain.path);
    await ledger.submit(createAsset('a1'));
    await ledger.close();
    const report = await migrateLedger({ dataDir: plain.path, target: without });
    expect(report).toMatchObject({ created: 1, records: { created: 0, compared: 0 }, differing: 0 });
    plain.remove();
  });
});
