import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canariesIn, canary } from '../../support/canary.js';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { EventReader } from '../../support/event-reader.js';
import { call as request, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { OtlpCollector } from '../../support/otlp-collector.js';
import { until } from '../../support/until.js';

const PATIENT = {
  payload: 'outside',
  mode: 'mutable',
  schema: {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 60 },
      kind: { enum: ['a', 'b'] },
      age: { type: 'integer', maximum: 150 },
      code: { type: 'string', pattern: '^[0-9]+$' },
      mail: { type: 'string', format: 'email' },
      tags: { type: 'array', uniqueItems: true, maxItems: 3 },
      fixed: { const: 1 },
    },
    required: ['name'],
    additionalProperties: false,
  },
  indexes: ['name'],
};

/** Documents that the schema or the contract refuses. Names of members are private too. */
const REFUSED: Readonly<Record<string, string>> = {
  'a number': JSON.stringify({ name: 5, code: canary('type') }),
  'an enumeration': JSON.stringify({ name: 'x', kind: canary('enum') }),
  'a text in place of a number': JSON.stringify({ name: 'x', age: canary('age') }),
  'a pattern': JSON.stringify({ name: 'x', code: canary('pattern') }),
  'a format': JSON.stringify({ name: 'x', mail: canary('format') }),
  'a length': JSON.stringify({ name: canary('length').repeat(4) }),
  'a repeated item': JSON.stringify({ name: 'x', tags: [canary('item'), canary('item')] }),
  'a constant': JSON.stringify({ name: 'x', fixed: canary('const') }),
  'no object': JSON.stringify(canary('whole')),
  'JSON that is cut': `{"name": "${canary('cut').slice(0, 20)}`,
  'JSON that ends too late': `{"name": "x"} ${canary('late')}`,
  'a number that a double changes': `{"name":${JSON.stringify(canary('double'))},"age":9007199254740993}`,
  'a lone surrogate': String.raw`{"name":${JSON.stringify(canary('surrogate'))},"code":"\ud800"}`,
  'too many bytes': JSON.stringify({ name: canary('bytes'), code: '1'.repeat(70_000) }),
};
const REFUSED_NAMES: Readonly<Record<string, string>> = {
  'an unknown member': JSON.stringify({ name: 'x', [canary('member')]: 1 }),
  'a member that appears twice': `{"name":"x",${JSON.stringify(canary('twice'))}:1,${JSON.stringify(canary('twice'))}:2}`,
};

describe('the search for canaries', () => {
  const text = canary('control');
  const bytes = Buffer.from(text);
  const big = Buffer.from(text, 'utf16le').swap16();
  it.each([
    ['plain', text],
    ['JSON', JSON.stringify(text)],
    ...['', 'a', 'ab'].map((before) => ['base64', Buffer.from(`${before}${text}`).toString('base64')] as const),
    ['base64url', bytes.toString('base64url')],
    ['hexadecimal', bytes.toString('hex')],
    ['UTF-16', Buffer.from(text, 'utf16le').toString('latin1')],
    ['UTF-16 in network order', big.toString('latin1')],
    ['percent', Array.from(bytes, (byte) => `%${byte.toString(16)}`).join('')],
    ['escaped JSON', Array.from(bytes, (byte) => String.raw`\u00${byte.toString(16)}`).join('')],
    ['bytes', JSON.stringify(bytes)],
  ])('finds them as %s', (_, content) => {
    expect(canariesIn({ content: `before ${content} after` })).not.toEqual([]);
  });
});

describe('private values', () => {
  let folder: ChaincodeFolder;
  let collector: OtlpCollector;
  let api: LedgerApi;
  let copies: string;
  /** What answered a request that failed. */
  const errors: Record<string, string> = {};
  beforeAll(async () => {
    folder = ChaincodeFolder.node('private-notes');
    collector = await OtlpCollector.start();
    copies = mkdtempSync(join(tmpdir(), 'canary-'));
    api = await LedgerApi.start({
      LEDGER_CHAINCODES: `notes=${folder.path}`,
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      LEDGER_TREE: 'on',
      LEDGER_TREE_ORIGIN: 'example.com/canary',
    });
  });
  afterAll(async () => {
    await api.stop();
    await collector.stop();
    folder.remove();
    rmSync(copies, { recursive: true });
  });

  const JSON_TYPE = { 'content-type': 'application/json' };
  const send = (method: string, path: string, body: string, headers = {}): Promise<Answer> =>
    api.api(method, path, { body, headers: { ...JSON_TYPE, ...headers } });
  const put = (id: string, name: string, headers = {}): Promise<Answer> =>
    send('PUT', `/records/patient/${id}`, JSON.stringify({ name }), headers);
  const create = (id: string, name: string, headers = {}): Promise<Answer> =>
    send('POST', `/records/patient?id=${id}`, JSON.stringify({ name }), headers);
  /** Stores the answer to a request that must fail. */
  const fails = async (label: string, answer: Promise<Answer>, status: number): Promise<void> => {
    const { status: got, text, headers } = await answer;
    errors[label] = `${text}${JSON.stringify(headers)}`;
    expect([label, got]).toEqual([label, status]);
  };
  const note = (name: string, key: string, text?: string, way = 'submit'): Promise<Answer> => {
    const transient = text === undefined ? {} : { transient: { text: Buffer.from(text).toString('base64') } };
    const body = JSON.stringify({ function: name, arguments: ['notes', key], ...transient });
    return send('POST', `/contracts/notes/${way}`, body);
  };
  /** Returns the files of a directory by their paths. */
  const filesIn = (directory: string): Record<string, string> => {
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => statSync(join(directory, name)).isFile());
    return Object.fromEntries(files.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
  };
  const outputs = (): Record<string, string> => ({
    stdout: api.program.stdout,
    stderr: api.program.stderr,
    ...Object.fromEntries(collector.bodies.map((body, index) => [`trace ${index}`, body])),
  });

  it('reach the data directory, and readers that ask for them', async () => {
    expect(await send('PUT', '/record-types/patient', JSON.stringify(PATIENT))).toMatchObject({ status: 200 });
    const reader = await EventReader.open(`${api.origin}/api/v1/events`);
    expect(await create('p1', canary('first'), { 'idempotency-key': 'first' })).toMatchObject({ status: 201 });
    expect(await put('p1', canary('second'))).toMatchObject({ status: 200 });
    const lines = `${JSON.stringify({ name: canary('line') })}\n${REFUSED_NAMES['an unknown member']}\n`;
    const upload = await send('POST', '/records/patient', lines, { 'content-type': 'application/x-ndjson' });
    expect(upload).toMatchObject({ status: 200, json: { data: { created: 1, refused: 1 } } });
    const filter = `/records/patient?where.name=${encodeURIComponent(canary('second'))}`;
    const { json, text } = await api.api('GET', filter);
    expect(json).toMatchObject({ data: { records: [{ id: 'p1' }] } });
    // The search itself works, so that what it does not find elsewhere is not there.
    expect(canariesIn({ answer: text })).not.toEqual([]);
    expect(await note('Put', 'one', canary('note'))).toMatchObject({ status: 200 });
    expect(await note('Get', 'one', undefined, 'evaluate')).toMatchObject({ status: 200 });
    await until(() => reader.messages.length >= 4);
    expect(canariesIn({ events: JSON.stringify(reader.messages) })).toEqual([]);
    await reader.close();
    expect(Object.keys(filesIn(api.dataDir)).filter((name) => name.startsWith(`private${sep}`))).not.toEqual([]);
  });

  it.each(Object.entries(REFUSED))('are not repeated by the refusal of %s', async (label, document) => {
    const status = label === 'too many bytes' ? [400, 413] : [400, 400];
    const created = await send('POST', '/records/patient', document);
    errors[`create: ${label}`] = created.text;
    expect(status).toContain(created.status);
    const changed = await send('PUT', '/records/patient/p1', document);
    errors[`update: ${label}`] = changed.text;
    expect(status).toContain(changed.status);
    const line = await send('POST', '/records/patient', `${document}\n`, { 'content-type': 'application/x-ndjson' });
    errors[`upload: ${label}`] = line.text;
    expect(line).toMatchObject({ json: { data: { created: 0, refused: 1 } } });
  });

  it.each(Object.entries(REFUSED_NAMES))('are not logged when %s is refused', async (_, document) => {
    expect(await send('POST', '/records/patient', document)).toMatchObject({ status: 400 });
    expect(await send('PUT', '/records/patient/p1', document)).toMatchObject({ status: 400 });
  });

  it('are not repeated by other errors', async () => {
    await fails('exists', create('p1', canary('exists')), 409);
    await fails('changed', put('p1', canary('changed'), { 'if-match': '"other"' }), 412);
    await fails('unknown', put('none', canary('unknown')), 404);
    await fails('key', create('p9', canary('key'), { 'idempotency-key': 'first' }), 422);
    const text = JSON.stringify({ name: canary('media') });
    await fails(
      'media type',
      api.api('POST', '/records/patient', { body: text, headers: { 'content-type': 'text/x' } }),
      415,
    );
    const large = JSON.stringify({ name: canary('large'), code: 'x'.repeat(1_100_000) });
    await fails('too large', send('POST', '/records/patient', large), 413);
    await fails('unknown type', send('POST', '/records/none', JSON.stringify({ name: canary('type') })), 404);
    const transient = (value: unknown): string =>
      JSON.stringify({ function: 'Put', arguments: ['notes', 'x'], transient: { text: value } });
    const submit = (body: string): Promise<Answer> => send('POST', '/contracts/notes/submit', body);
    await fails('no base64', submit(transient(canary('base64'))), 400);
    await fails('no text', submit(transient({ value: canary('object') })), 400);
    await fails('cut', submit(transient(canary('cut')).slice(0, -9)), 400);
    const base64 = Buffer.from(canary('records')).toString('base64');
    const call = {
      function: 'Create',
      arguments: ['patient', '', '0'.repeat(64)],
      transient: { ['0'.repeat(64)]: base64 },
    };
    const direct = await send('POST', '/contracts/records/submit', JSON.stringify(call));
    errors['direct'] = direct.text;
    expect(direct.status).toBeGreaterThanOrEqual(400);
    const leak = await note('Leak', 'one');
    errors['leak'] = leak.text;
    expect(leak.status).toBe(422);
    const crash = await note('Crash', 'one');
    errors['crash'] = crash.text;
    expect(crash.status).toBe(500);
    const unnamed = await api.api('GET', `/records/patient?where.other=${encodeURIComponent(canary('where'))}`);
    expect(unnamed.status).toBe(400);
    errors['not indexed'] = unnamed.text;
    expect(canariesIn(errors)).toEqual([]);
  });

  it('are in no block, receipt, list, search or metric', async () => {
    const contents: Record<string, string> = {};
    for (let number = 0; ; number++) {
      const block = await api.api('GET', `/blocks/${number}`);
      if (block.status !== 200) break;
      contents[`block ${number}`] = block.text;
      contents[`raw block ${number}`] = (await api.api('GET', `/blocks/${number}?raw=true`)).text;
    }
    const { text } = await api.api('GET', '/transactions?limit=100');
    contents['transactions'] = text;
    for (const [, id = ''] of text.matchAll(/"transactionId":"([0-9a-f]{64})"/g)) {
      for (const part of ['', '?envelope=true', '/receipt']) {
        contents[`transaction ${id}${part}`] = (await api.api('GET', `/transactions/${id}${part}`)).text;
      }
    }
    for (const path of ['/blocks', '/contracts', '/record-types', '/search?q=zq', '/channels']) {
      contents[path] = (await api.api('GET', path)).text;
    }
    contents['metrics'] = (await request(api.origin, 'GET', '/metrics')).text;
    contents['document'] = (await request(api.origin, 'GET', '/docs-json')).text;
    expect(Object.keys(contents).length).toBeGreaterThan(20);
    expect(canariesIn(contents)).toEqual([]);
  });

  it('are in no file but that of private values, and in no export', async () => {
    const own = Object.entries(filesIn(api.dataDir)).filter(([name]) => !name.startsWith(`private${sep}`));
    expect(canariesIn(Object.fromEntries(own))).toEqual([]);
    const [backup, exported] = ['backup', 'export'].map((name) => join(copies, name)) as [string, string];
    expect(await ledgerTool(api.dataDir, 'backup', backup)).toMatchObject({ code: 0 });
    const other = Object.entries(filesIn(backup)).filter(([name]) => !name.startsWith(`private${sep}`));
    expect(canariesIn(Object.fromEntries(other))).toEqual([]);
    expect(await ledgerTool(backup, 'export', exported)).toMatchObject({ code: 0 });
    expect(canariesIn(filesIn(exported))).toEqual([]);
  });

  it('are gone from the data directory after their purge, and from backups after it', async () => {
    const { json } = await api.api('GET', '/records/patient?limit=100');
    for (const { id } of (json as { data: { records: { id: string }[] } }).data.records) {
      expect(await api.api('DELETE', `/records/patient/${id}?purge=true`)).toMatchObject({ status: 200 });
    }
    expect(await note('Purge', 'one')).toMatchObject({ status: 200 });
    expect(canariesIn(filesIn(api.dataDir))).toEqual([]);
    const backup = join(copies, 'later');
    expect(await ledgerTool(api.dataDir, 'backup', backup)).toMatchObject({ code: 0 });
    expect(canariesIn(filesIn(backup))).toEqual([]);
  });

  it('are in no log and no trace', async () => {
    await collector.span('DELETE /api/v1/records/:type/:id');
    expect(await api.program.end()).toEqual({ code: 0, signal: null });
    for (const text of ['"operation":"POST /api/v1/records/:type"', 'is withheld, because it repeats']) {
      expect(api.program.stdout + api.program.stderr).toContain(text);
    }
    expect(canariesIn(outputs())).toEqual([]);
    expect(canariesIn(filesIn(api.dataDir))).toEqual([]);
  });
});
