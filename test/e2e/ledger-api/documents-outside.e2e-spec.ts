import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventReader } from '../../support/event-reader.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';

const CANARY = 'canary-93d1e7';
const PATIENT = {
  payload: 'outside',
  mode: 'mutable',
  schema: {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name'],
    additionalProperties: { type: 'boolean' },
  },
  indexes: ['name'],
};
const NDJSON = 'application/x-ndjson';

interface Outside {
  readonly digest: string;
  readonly state: string;
  readonly salt: string | null;
}
interface Stored {
  readonly id: string;
  readonly document: unknown;
  readonly outside?: Outside;
  readonly transactionId: string;
}

let api: LedgerApi;
const keys = new Map<string, string>();

beforeAll(async () => {
  api = await LedgerApi.start({ LEDGER_AUTH: 'on', LOG_LEVEL: 'debug' });
  for (const role of ['reader', 'writer', 'admin']) {
    keys.set(role, await changeCallers(api, () => addCaller(api.dataDir, `${role}-1`, '--role', role)));
  }
  expect(await as('admin', 'PUT', '/record-types/patient', PATIENT)).toMatchObject({ status: 200 });
  expect(await as('admin', 'PUT', '/record-types/note', { payload: 'outside' })).toMatchObject({ status: 200 });
  expect(await as('admin', 'PUT', '/record-types/login', {})).toMatchObject({ status: 200 });
});
afterAll(async () => {
  expect(await api.stop()).toEqual({ code: 0, signal: null });
});

function as(
  role: string,
  method: string,
  path: string,
  body?: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return api.api(method, path, {
    ...(body !== undefined && { body }),
    headers: { 'x-api-key': keys.get(role) ?? '', ...headers },
  });
}
const get = (path: string, accept?: string) => as('reader', 'GET', path, undefined, accept ? { accept } : {});
const upload = (type: string, lines: string, headers = {}) =>
  as('writer', 'POST', `/records/${type}`, lines, { 'content-type': NDJSON, ...headers });
const dataOf = ({ json }: Answer) => (json as { data: Stored }).data;

async function lastBlock(): Promise<number> {
  return ((await get('/blockchain/height')).json as { data: { height: number } }).data.height - 1;
}

/** Creates a record and returns the answer. */
async function create(type: string, id: string, document: object): Promise<Stored & { readonly outside: Outside }> {
  const created = await as('writer', 'POST', `/records/${type}?id=${id}`, document);
  expect(created).toMatchObject({ status: 201 });
  return dataOf(created) as Stored & { readonly outside: Outside };
}

describe('a purge', () => {
  it.each(['', '/channels/mychannel'])('is refused to readers and writers, and erases nothing: %s', async (prefix) => {
    const id = `roles${prefix.length}`;
    const { outside } = await create('patient', id, { name: 'ana' });
    for (const role of ['reader', 'writer']) {
      const refused = await as(role, 'DELETE', `${prefix}/records/patient/${id}?purge=true`);
      expect(refused).toMatchObject({ status: 403, headers: { 'x-error-code': 'API.ROLE_NEEDED' } });
      expect(refused.json).toMatchObject({ message: expect.stringContaining('admin') });
      const purge = { function: 'Purge', arguments: ['patient', id, JSON.stringify([outside.digest]), ''] };
      expect(await as(role, 'POST', `${prefix}/contracts/records/submit`, purge)).toMatchObject({ status: 403 });
    }
    expect(dataOf(await get(`/records/patient/${id}`))).toMatchObject({ document: { name: 'ana' }, outside });
    const purged = await as('admin', 'DELETE', `${prefix}/records/patient/${id}?purge=true`);
    expect(purged).toMatchObject({ status: 200, json: { message: 'Record erased.' } });
  });

  it('does nothing for a record that has changed since it was read', async () => {
    await create('patient', 'tagged', { name: 'ana' });
    const tag = String((await get('/records/patient/tagged')).headers['etag']);
    await as('writer', 'PUT', '/records/patient/tagged', { name: 'bob' });
    const path = '/records/patient/tagged?purge=true';
    expect(await as('admin', 'DELETE', path, undefined, { 'if-match': tag })).toMatchObject({ status: 412 });
    expect(dataOf(await get('/records/patient/tagged'))).toMatchObject({ outside: { state: 'stored' } });
  });

  it('is repeated by its Idempotency-Key', async () => {
    await create('note', 'repeated', { a: 1 });
    const purge = () =>
      as('admin', 'DELETE', '/records/note/repeated?purge=true', undefined, { 'idempotency-key': 'purge' });
    const [first, again] = [await purge(), await purge()];
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(dataOf(again)).toEqual(dataOf(first));
  });
});

describe('a record outside the blocks', () => {
  it('is answered with its members in the order in which they are stored', async () => {
    const created = await create('patient', 'order', { name: 'ana', age: 5 });
    const read = await get('/records/patient/order');
    expect(JSON.stringify(created.document)).toBe('{"age":5,"name":"ana"}');
    expect(JSON.stringify(dataOf(read).document)).toBe('{"age":5,"name":"ana"}');
  });

  it('is in tables with its digest, state and salt', async () => {
    await as('admin', 'PUT', '/record-types/named', {
      payload: 'outside',
      schema: { properties: { name: {}, 'outside.state': {}, document: {} } },
    });
    const { outside } = await create('named', 'n1', { name: '=1+1', 'outside.state': 'own' });
    const { digest, salt } = outside;
    const { text } = await get('/records/named', 'text/csv');
    expect(text).toBe(
      'id,version,outside.state,outside.digest,outside.salt,document,name,document.outside.state\r\n' +
        `n1,1,stored,${digest},${salt ?? ''},,'=1+1,own\r\n`,
    );
    const note = await create('note', 't1', { 'a,b': [1] });
    const table = await get('/records/note', 'text/csv');
    expect(table.text).toBe(
      'id,version,outside.state,outside.digest,outside.salt,document\r\n' +
        `t1,1,stored,${note.outside.digest},${note.outside.salt ?? ''},"{""a,b"":[1]}"\r\n`,
    );
    const lines = await get('/records/note', NDJSON);
    expect(lines.text).toBe(
      `${JSON.stringify({ id: 't1', version: 1, document: { 'a,b': [1] }, outside: note.outside })}\n`,
    );
    expect((await get('/records/login', 'text/csv')).text).toBe('id,version,document\r\n');
  });

  it('is counted and listed by conditions, and read as it was after a block until it is erased', async () => {
    await create('patient', 'past', { name: 'zoe' });
    const { headers } = await get('/records/patient?where.name=zoe&count=true');
    expect(headers['x-total-count']).toBe('1');
    const block = await lastBlock();
    await as('writer', 'PUT', '/records/patient/past', { name: 'eva' });
    expect((await get('/records/patient?where.name=zoe&count=true')).headers['x-total-count']).toBe('0');
    const past = `/records/patient/past?at=${block}`;
    expect(dataOf(await get(past))).toMatchObject({ document: { name: 'zoe' }, outside: { state: 'stored' } });
    await as('admin', 'DELETE', '/records/patient/past?purge=true');
    expect(dataOf(await get(past))).toMatchObject({ document: null, outside: { state: 'erased', salt: null } });
    expect((await get('/records/patient?where.name=eva&count=true')).headers['x-total-count']).toBe('0');
    expect(await get('/records/patient/past')).toMatchObject({ status: 404 });
  });
});

describe('nothing of a document outside the blocks', () => {
  /** Returns each answer that shows blocks and transactions. */
  async function views(transactionId: string): Promise<string> {
    const paths = [
      '/blocks?limit=100',
      '/transactions?limit=100',
      `/transactions/${transactionId}`,
      `/transactions/${transactionId}/receipt`,
      `/search?text=${CANARY}`,
      '/contracts/records',
    ];
    const answers = await Promise.all(paths.map((path) => get(path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    return answers.map(({ text }) => text).join('\n');
  }

  /** Returns the events of all blocks. */
  async function events(): Promise<string> {
    const headers = { 'x-api-key': keys.get('reader') ?? '' };
    const last = await lastBlock();
    const parts: string[] = [];
    for (const path of ['/events?from=0', '/contracts/records/events?from=0']) {
      const reader = await EventReader.open(`${api.origin}/api/v1${path}`, { headers });
      await until(() => reader.lastId.startsWith(`${last}:end:`));
      await reader.close();
      parts.push(JSON.stringify(reader.messages));
    }
    return parts.join('\n');
  }

  /** Returns the bytes of all blocks. */
  async function blocks(): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), 'ledger-blocks-'));
    const target = join(directory, 'blocks');
    expect(await ledgerTool(api.dataDir, 'export', target)).toMatchObject({ code: 0 });
    const files = readdirSync(target).map((name) => readFileSync(join(target, name), 'latin1'));
    rmSync(directory, { recursive: true });
    return files.join('\n');
  }

  it('is in a block, an event or another view, also of what was refused, and of names of members', async () => {
    const { transactionId, outside } = await create('patient', 'c1', { name: `${CANARY}-1`, [`${CANARY}-2`]: true });
    const changed = await as('writer', 'PUT', '/records/patient/c1', { name: `${CANARY}-3` });
    expect(changed).toMatchObject({ status: 200 });
    const refused = await as('writer', 'POST', '/records/patient', { name: 'x', [`${CANARY}-4`]: 1 });
    expect(refused).toMatchObject({ status: 400, json: { message: expect.stringContaining(`/${CANARY}-4 must be`) } });
    const lines = [{ name: `${CANARY}-5` }, { name: 'x', [`${CANARY}-6`]: 1 }, { name: 5, [`${CANARY}-7`]: true }];
    const report = await upload('patient', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    // The sender sees why a line was refused.
    expect(report).toMatchObject({
      status: 200,
      json: {
        data: {
          created: 1,
          refused: 2,
          refusals: [
            { line: 2, message: `The document is refused: /${CANARY}-6 must be boolean.` },
            { line: 3, message: 'The document is refused: /name must be string.' },
          ],
        },
      },
    });
    const invalid = await as('admin', 'POST', '/contracts/records/submit', {
      function: 'Create',
      arguments: ['patient', 'inside', JSON.stringify({ name: `${CANARY}-8` })],
    });
    expect(invalid).toMatchObject({ status: 422, json: { message: expect.stringContaining('outside the blocks') } });
    const seen = [await views(transactionId), await events(), await blocks()];
    for (const text of seen) expect(text.replaceAll(`text=${CANARY}`, '')).not.toContain(CANARY);
    expect(seen[0]).toContain(outside.digest);
    expect(seen[1]).toContain('"UpdateRecord"');
    expect(seen[2]).toContain(outside.digest);
    expect(api.program.stdout).not.toContain(CANARY);
  });

  it('is in the recorded answer of an upload, which a repeat has with the faults of its lines', async () => {
    const lines = `{"name":"kim"}\n{"name":"kim","${CANARY}":1}\n`;
    const headers = { 'idempotency-key': 'upload', accept: NDJSON };
    const [first, again] = [await upload('patient', lines, headers), await upload('patient', lines, headers)];
    const [, refusal] = first.text.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as object)));
    expect(refusal).toMatchObject({ message: `The document is refused: /${CANARY} must be boolean.` });
    expect(again.text.split('\n')[1]).toBe(first.text.split('\n')[1]);
  });
});

describe('a receipt of a record outside the blocks', () => {
  let elsewhere: string;
  beforeAll(() => {
    elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  });
  afterAll(() => {
    rmSync(elsewhere, { recursive: true });
  });
  const put = (name: string, text: string): string => {
    writeFileSync(join(elsewhere, name), text);
    return join(elsewhere, name);
  };
  const verify = async (...args: readonly string[]) => {
    const root = `Org1MSP=${join(api.dataDir, 'identities/ca.pem')}`;
    return await ledgerTool(elsewhere, 'verify-receipt', '--root', root, ...args);
  };

  it('proves the document and its salt, also after they were erased in the ledger', async () => {
    const { outside, transactionId } = await create('patient', 'proof', { name: 'ana', age: 7 });
    const salt = outside.salt ?? '';
    const receipt = put('receipt.json', (await get(`/transactions/${transactionId}/receipt`)).text);
    const document = put('document.json', '{ "name": "ana",\n "age": 7.0 }\n');
    const plain = await verify(receipt);
    expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining('give --document FILE --salt HEX') });
    await as('admin', 'DELETE', '/records/patient/proof?purge=true');
    const proven = await verify(receipt, '--document', document, '--salt', salt);
    expect(proven).toMatchObject({ code: 0, stderr: '' });
    expect(proven.stdout).toContain(
      `ok     DOCUMENT: the document of the record "proof" of "patient": salt and document have the digest ${outside.digest}\n`,
    );
    expect(proven.stdout).not.toContain('--document');
    const other = await verify(receipt, '--document', put('other.json', '{"name":"bob"}'), '--salt', salt);
    expect(other).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('FAILED DOCUMENT: salt and document have'),
    });
    expect(other.stdout).toContain('REFUSED: the receipt proves nothing.');
    const json = await verify(receipt, '--document', document, '--salt', salt, '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: 'valid',
      steps: expect.arrayContaining([expect.objectContaining({ check: 'DOCUMENT', result: 'passed' })]),
    });
  });

  it.each([
    [['--document', 'none.json'], 2, 'use --document and --salt together'],
    [['--salt', 'ab'.repeat(32)], 2, 'use --document and --salt together'],
    [['--document', 'none.json', '--salt', 'ab'], 1, 'none.json cannot be read'],
    [['--document', 'large.json', '--salt', 'ab'], 1, 'large.json is not a document: it has more than 64 KiB.'],
  ])('is not compared with what is no document: %j', async (options, code, message) => {
    put('large.json', ' '.repeat(65_537));
    const paths = options.map((option) => (option.endsWith('.json') ? join(elsewhere, option) : option));
    const result = await verify(join(elsewhere, 'receipt.json'), ...paths);
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
