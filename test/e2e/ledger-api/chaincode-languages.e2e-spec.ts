import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChaincodeFolder, runs } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';

const STEP_MS = 300_000;
const isConfined = runs('bwrap', '--unshare-net', '--unshare-user', '--ro-bind', '/', '/', 'true');
const isRecentPython = runs('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))');

/** The same chaincode in a language. */
interface Language {
  readonly name: string;
  readonly isHere: boolean;
  readonly open: () => ChaincodeFolder;
  /** The file of the code, a text in it and its replacement, which is used by {@link Functions.Get}. */
  readonly edit: readonly [file: string, text: string, other: string];
  /** Whether it has no network. */
  readonly isOffline: boolean;
}

const LANGUAGES: readonly Language[] = [
  {
    ...{ name: 'low', isHere: true, open: () => ChaincodeFolder.node('notes-low'), isOffline: false },
    edit: ['notes.js', 'there is no', 'there never was'],
  },
  {
    ...{
      name: 'go',
      isHere: runs('go', 'version'),
      open: () => new ChaincodeFolder('notes-go'),
      isOffline: isConfined,
    },
    edit: ['main.go', 'there is no', 'there never was'],
  },
  {
    ...{ name: 'python', isHere: isRecentPython, open: () => ChaincodeFolder.python('notes-python') },
    ...{ isOffline: isConfined, edit: ['main.py', 'there is no', 'there never was'] },
  },
];

describe.each(LANGUAGES)('a chaincode in a folder ($name)', ({ name, isHere, open, edit, isOffline }) => {
  const test = isHere ? it : it.skip;
  let folder: ChaincodeFolder;
  let api: LedgerApi;
  beforeAll(async () => {
    if (!isHere) return;
    folder = open();
    api = await LedgerApi.start({
      LEDGER_CHAINCODES: `${name}=${folder.path}`,
      LEDGER_CHAINCODE_WATCH: 'on',
      LEDGER_CHAINCODE_QUERIES: 'on',
      LEDGER_CHAINCODE_TIMEOUT_MS: '10000',
    });
    await api.program.printed('is ready.');
  }, STEP_MS);
  afterAll(async () => {
    if (!isHere) return;
    expect(await api.stop()).toEqual({ code: 0, signal: null });
    folder.remove();
  });
  const call = (kind: 'evaluate' | 'submit', fn: string, ...args: readonly string[]): Promise<Answer> =>
    api.api('POST', `/contracts/${name}/${kind}`, { body: { function: fn, arguments: args } });

  test('writes state and an event, reads it, and refuses with its own text', async () => {
    const written = await call('submit', 'Put', 'a', 'ä 1');
    expect(written).toMatchObject({ status: 200, json: { data: { blockNumber: 1 } } });
    const transaction = await api.api(
      'GET',
      `/transactions/${String(written.headers['x-transaction-id'])}?envelope=true`,
    );
    expect(transaction.text).toContain('"Put"');
    expect(await call('evaluate', 'Get', 'a')).toMatchObject({ status: 200, json: { data: { payload: 'ä 1' } } });
    const refused = await call('submit', 'Get', 'none');
    expect(refused).toMatchObject({ status: 422, headers: { 'x-error-code': 'API.CHAINCODE_REFUSED' } });
    expect(refused.text).toContain('there is no none');
  });

  test('finds keys by a query of CouchDB', async () => {
    for (const number of [1, 2, 3]) await call('submit', 'Put', `n${number}`, JSON.stringify({ number }));
    const query = '{"selector": {"number": {"$gt": 1}}}';
    expect(await call('evaluate', 'Find', query)).toMatchObject({ status: 200, json: { data: { payload: 'n2,n3' } } });
    // The shim of Python takes the error for a result, and fails.
    const text = name === 'python' ? 'Error parsing message' : 'Invalid operator: $foo';
    const refused = await call('evaluate', 'Find', '{"selector": {"$foo": 1}}');
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(text)]);
  });

  // The low interface has no metadata; Go and Python have no names in theirs.
  const testMetadata = name === 'low' ? it.skip : test;
  testMetadata('is called by the functions of its metadata, with an array', async () => {
    const post = (fn: string, args: object) => api.api('POST', `/contracts/${name}/functions/${fn}`, { body: args });
    expect(await post('Put', ['typed', 'b'])).toMatchObject({
      status: 200,
      json: { message: 'Transaction recorded.' },
    });
    const read = await post('Get?evaluate=true', ['typed']);
    expect(read).toMatchObject({ status: 200, json: { message: 'Function evaluated.', data: { payload: 'b' } } });
    const document = await api.api('GET', `/contracts/${name}/openapi.json`);
    const { paths } = document.json as { readonly paths: object };
    expect(Object.keys(paths)).toContain(`/contracts/${name}/functions/Get`);
  });

  test('cannot read the data of the ledger, and reaches no network where that is possible', async () => {
    const identities = join(api.dataDir, 'identities', 'client.pem');
    const files = [identities, join(api.dataDir, 'chain'), '/root/.bashrc', '/etc/shadow'].filter((file) =>
      existsSync(file),
    );
    for (const file of isConfined || name === 'low' ? files : []) {
      expect((await call('evaluate', 'Read', file)).status).toBe(422);
    }
    expect((await call('evaluate', 'Read', folder.file(edit[0]))).status).toBe(200);
    if (isOffline) expect((await call('evaluate', 'Connect', new URL(api.origin).host)).status).toBe(422);
  });

  test(
    'runs its edited code',
    async () => {
      const [file, text, other] = edit;
      const code = readFileSync(folder.file(file), 'utf8');
      writeFileSync(folder.file(file), code.replace(text, other));
      await api.program.printed('runs its edited code');
      expect((await call('evaluate', 'Get', 'none')).text).toContain('there never was none');
    },
    STEP_MS,
  );

  test('ends only its own call when it dies', async () => {
    expect(await call('submit', 'Exit')).toMatchObject({ headers: { 'x-error-code': 'LEDGER.UNAVAILABLE' } });
    expect(await call('evaluate', 'Get', 'a')).toMatchObject({ status: 200, json: { data: { payload: 'ä 1' } } });
  });

  test('leaves a ledger that passes verification', async () => {
    expect(await ledgerTool(api.dataDir, 'verify')).toMatchObject({ code: 0 });
  });
});
