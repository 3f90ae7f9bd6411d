import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { verifyLedger } from '#embedded-ledger';
import { FIELDS, LedgerApi, type Answer } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { lastAnswer, RawConnection } from '../../support/raw-http.js';

const NDJSON = 'application/x-ndjson';

interface LineAnswer {
  readonly line?: number;
  readonly id?: string;
  readonly status: number;
  readonly transactionId?: string;
  readonly replayed?: boolean;
  readonly code?: string;
}

interface Report {
  readonly lines: number;
  readonly created: number;
  readonly replayed: number;
  readonly refused: number;
  readonly refusals: readonly { readonly line: number; readonly id?: string; readonly code: string }[];
}

const lineOf = (id: string, fields: object = {}): string =>
  JSON.stringify({ id, appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5', ...fields });
const linesOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => lineOf(`${name}-${n}`));

async function upload(
  api: LedgerApi,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return api.api('POST', '/assets', { body, headers: { 'content-type': NDJSON, ...headers } });
}

function reportOf({ json }: Answer): Report {
  return (json as { readonly data: Report }).data;
}

function answersOf({ text }: Answer): LineAnswer[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LineAnswer);
}

/** An upload whose lines are sent and whose answers are read one by one. */
class OpenUpload {
  readonly #request: ClientRequest;
  #answers: AsyncIterator<string> | undefined;

  constructor(api: LedgerApi, headers: Record<string, string> = {}) {
    const all = { 'content-type': NDJSON, accept: NDJSON, ...headers };
    this.#request = request(`${api.origin}/api/v1/assets`, { method: 'POST', headers: all, agent: false });
    this.#request.on('error', () => undefined);
  }

  send(lines: readonly string[]): void {
    this.#request.write(lines.map((line) => `${line}\n`).join(''));
  }

  /** Reads a number of answers, or all up to the end of the connection. */
  async read(count = Infinity): Promise<LineAnswer[]> {
    if (this.#answers === undefined) {
      const [response] = (await once(this.#request, 'response')) as [IncomingMessage];
      response.on('error', () => undefined);
      this.#answers = createInterface({ input: response })[Symbol.asyncIterator]();
    }
    const answers: LineAnswer[] = [];
    while (answers.length < count) {
      // The end of the connection is the end of the answers.
      const next = await this.#answers.next().catch(() => undefined);
      if (next === undefined || next.done === true) break;
      answers.push(JSON.parse(next.value) as LineAnswer);
    }
    return answers;
  }

  end(): void {
    this.#request.end();
  }

  cut(): void {
    this.#request.destroy();
  }
}

describe('an upload of many assets', () => {
  let api: LedgerApi;
  beforeAll(async () => {
    api = await LedgerApi.start();
  });
  afterAll(async () => {
    await api.stop();
  });

  const count = async (prefix: string): Promise<number> => {
    const { text } = await api.api('GET', `/assets?prefix=${prefix}`, { headers: { accept: 'text/csv' } });
    return text.trimEnd().split('\r\n').length - 1;
  };

  it('is answered with its counts and each refused line, which refuses no other', async () => {
    const lines = [
      lineOf('first'),
      '',
      lineOf('first', { owner: 'Eve' }),
      'not json',
      lineOf('no-owner', { owner: undefined }),
      lineOf('number', { size: 5 }),
      lineOf('unknown', { more: 'x' }),
      '[]',
      '{"id":"twice","id":"twice","appraisedValue":"1","color":"c","owner":"o","size":"s"}',
      lineOf('..'),
      lineOf('carriage-return') + '\r',
      '\r',
      `{"id":"long","color":"${'x'.repeat(128 * 1024)}"}`,
      lineOf('last-without-line-feed'),
    ];
    const answer = await upload(api, lines.join('\n'));
    expect(answer.status).toBe(200);
    const { refusals, ...counts } = reportOf(answer);
    expect(counts).toEqual({ lines: 14, created: 3, replayed: 0, refused: 11 });
    expect(refusals.map(({ line, id, code }) => `${line} ${id ?? ''} ${code}`)).toEqual([
      '2  API.INVALID_REQUEST',
      '3 first LEDGER.ASSET_EXISTS',
      '4  API.INVALID_REQUEST',
      '5  API.INVALID_REQUEST',
      '6  API.INVALID_REQUEST',
      '7  API.INVALID_REQUEST',
      '8  API.INVALID_REQUEST',
      '9  API.INVALID_REQUEST',
      '10  API.INVALID_REQUEST',
      '12  API.INVALID_REQUEST',
      '13  API.BODY_TOO_LARGE',
    ]);
    const { json } = await api.api('GET', '/assets/first');
    expect(json).toMatchObject({ data: { owner: 'Tomoko' } });
  });

  it('refuses a line that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from(lineOf('after-bytes'))]);
    expect(reportOf(await upload(api, bytes))).toMatchObject({ created: 1, refusals: [{ line: 1 }] });
  });

  it('lists the first 1000 refused lines, and counts all', async () => {
    const { refusals, ...counts } = reportOf(await upload(api, '\n'.repeat(1200)));
    expect(counts).toMatchObject({ lines: 1200, created: 0, refused: 1200 });
    expect(refusals).toHaveLength(1000);
  });

  it.each([
    ['is cut', 'Content-Length: 999', (lines: string) => lines],
    [
      'continues with a malformed chunk',
      'Transfer-Encoding: chunked',
      (lines: string) => `${lines.length.toString(16)}\r\n${lines}\r\nno chunk\r\n`,
    ],
  ])('states how far it came when it %s', async (what, framing, encode) => {
    const lines = linesOf(what.replaceAll(' ', '-'), 3)
      .map((line) => `${line}\n`)
      .join('');
    const connection = await RawConnection.open(api.origin);
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${NDJSON}\r\n${framing}\r\n\r\n`;
    const answer = lastAnswer(await connection.write(head + encode(lines)).half().closed);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        message: expect.stringContaining('3 of the first 3 lines were created, then the upload stopped.') as unknown,
      },
    });
    expect(answer.head).toMatch(/connection: close/i);
  });

  it('is logged when its client resets the connection', async () => {
    const lines = linesOf('reset', 3)
      .map((line) => `${line}\n`)
      .join('');
    const connection = await RawConnection.open(api.origin);
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${NDJSON}\r\nContent-Length: 9999\r\n\r\n`;
    connection.write(head + lines);
    await until(async () => (await api.api('GET', '/assets/reset-2')).status === 200);
    const before = api.program.stdout.length;
    connection.socket.resetAndDestroy();
    await until(() => /"created":3\b.*"msg":"upload"/.test(api.program.stdout.slice(before)));
  });

  it('of nothing is answered', async () => {
    expect(reportOf(await upload(api, ''))).toMatchObject({ lines: 0, created: 0, refused: 0 });
  });

  it('is answered line by line in order, up to 500 assets by a transaction', async () => {
    const answer = await upload(api, linesOf('streamed', 1200).join('\n'), { accept: NDJSON });
    expect(answer.headers['content-type']).toBe(NDJSON);
    const answers = answersOf(answer);
    expect(answers.map(({ line, id, status }) => `${line} ${id} ${status}`)).toEqual(
      Array.from({ length: 1200 }, (_, n) => `${n + 1} streamed-${n} 201`),
    );
    const transactions = [...new Set(answers.map(({ transactionId = '' }) => transactionId))];
    expect(transactions.length).toBeLessThan(12);
    const { json } = await api.api('GET', `/transactions/${transactions[0]}`);
    expect(json).toMatchObject({ data: { function: 'CreateAssets' } });
  });

  it('without a key answers a line when no other is waiting', async () => {
    const open = new OpenUpload(api);
    for (const id of ['waits-1', 'waits-2']) {
      open.send([lineOf(id)]);
      expect(await open.read(1)).toMatchObject([{ id, status: 201 }]);
    }
    open.end();
    expect(await open.read()).toEqual([]);
  });

  it('with a key continues after it was cut, and creates nothing twice', async () => {
    const lines = linesOf('cut', 1300).map((line, n) => (n % 100 === 7 ? line.replace(/"id":"[^"]*",/, '') : line));
    const headers = { 'idempotency-key': 'cut', accept: NDJSON };
    const open = new OpenUpload(api, headers);
    open.send(lines.slice(0, 700));
    const before = await open.read(500);
    open.cut();
    const answers = answersOf(await upload(api, lines.join('\n'), headers));
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(answers.slice(0, 500)).toEqual(before.map((answer) => ({ ...answer, replayed: true })));
    // The last 200 lines were no complete batch, so that they had not been written.
    expect(answers.filter(({ replayed }) => replayed === true)).toHaveLength(500);
    expect(await count('cut-')).toBe(1300 - 13);
    const again = reportOf(await upload(api, lines.join('\n'), { 'idempotency-key': 'cut' }));
    expect(again).toMatchObject({ created: 1300, replayed: 1300, refused: 0 });
  });

  it('stops when its key belongs to other lines, and reports its progress', async () => {
    const headers = { 'idempotency-key': 'other' };
    const lines = linesOf('other', 600);
    await upload(api, lines.join('\n'), headers);
    const changed = [...lines.slice(0, 500), ...linesOf('changed', 100)];
    const answer = await upload(api, changed.join('\n'), headers);
    expect(answer).toMatchObject({ status: 422, headers: { 'x-error-code': 'LEDGER.KEY_REUSED' } });
    expect(answer.json).toMatchObject({ message: expect.stringContaining('500 of the first 600 lines') as string });
    const answers = answersOf(await upload(api, changed.join('\n'), { ...headers, accept: NDJSON }));
    expect(answers).toHaveLength(601);
    expect(answers.at(-1)).toMatchObject({ status: 422, code: 'LEDGER.KEY_REUSED' });
  });

  it('has other keys than single writes, as documented', async () => {
    const headers = { 'idempotency-key': 'shared' };
    const created = await api.api('POST', '/assets', { body: { id: 'shared-single', ...FIELDS }, headers });
    expect(created.status).toBe(201);
    expect(reportOf(await upload(api, lineOf('shared-line'), headers))).toMatchObject({ created: 1, replayed: 0 });
  });

  it('is refused as any other body where it has another encoding, and elsewhere altogether', async () => {
    const body = lineOf('encoded');
    expect((await upload(api, body, { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await upload(api, body, { 'content-type': `${NDJSON}; charset=latin1` })).status).toBe(415);
    expect((await upload(api, body, { 'content-type': `${NDJSON.toUpperCase()}; charset=UTF-8` })).status).toBe(200);
    const transfer = { body, headers: { 'content-type': NDJSON } };
    expect((await api.api('PUT', '/assets/first/transfer', transfer)).status).toBe(415);
    expect((await upload(api, body, { 'if-match': '*' })).status).toBe(412);
    expect((await upload(api, body, { 'idempotency-key': 'a b' })).status).toBe(400);
  });
});

describe('an upload by a caller', () => {
  let api: LedgerApi;
  const keys = { writer: '', reader: '' };
  beforeAll(async () => {
    api = await LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_RATE_LIMIT: '3' });
    keys.reader = await changeCallers(api, () => addCaller(api.dataDir, 'ben', '--role', 'reader'));
    keys.writer = await changeCallers(api, () => addCaller(api.dataDir, 'ana', '--role', 'writer'));
  });
  afterAll(async () => {
    await api.stop();
  });

  it('needs the role of a create, and is one request of the limit', async () => {
    expect((await upload(api, lineOf('a'))).status).toBe(401);
    expect((await upload(api, lineOf('a'), { 'x-api-key': keys.reader })).status).toBe(403);
    const answer = await upload(api, linesOf('many', 1000).join('\n'), { 'x-api-key': keys.writer });
    expect(reportOf(answer)).toMatchObject({ created: 1000 });
    expect(answer.headers['ratelimit']).toContain('r=2');
    await api.program.printed('"msg":"upload"');
    expect(api.program.stdout).toMatch(/"caller":"ana",[^\n]*"lines":1000,"created":1000,[^\n]*"msg":"upload"/);
  });

  it('is not how a table is counted, which is one request for all its pages', async () => {
    const csv = { accept: 'text/csv' };
    const anonymous = await api.api('GET', '/transactions', { headers: csv });
    expect([anonymous.status, anonymous.headers['x-error-code']]).toEqual([401, 'API.LOGIN_NEEDED']);
    const table = await api.api('GET', '/assets', { headers: { ...csv, 'x-api-key': keys.reader } });
    expect(table).toMatchObject({ status: 200, headers: { 'ratelimit-policy': '"requests";q=3;w=1' } });
    expect(table.text.trimEnd().split('\r\n')).toHaveLength(1001);
  });

  it('ends when the caller is revoked', async () => {
    const open = new OpenUpload(api, { 'x-api-key': keys.writer });
    open.send([lineOf('before')]);
    expect(await open.read(1)).toMatchObject([{ id: 'before', status: 201 }]);
    await changeCallers(api, () => ledgerTool(api.dataDir, 'callers', 'revoke', 'ana'));
    open.send([lineOf('after')]);
    expect(await open.read()).toMatchObject([
      { line: 2, status: 401, code: 'API.LOGIN_REFUSED' },
      { status: 401, code: 'API.LOGIN_REFUSED' },
    ]);
  });
});

describe('an upload to a server that is killed', () => {
  it('loses no line that was answered, and creates none twice when it is sent again', async () => {
    const lines = linesOf('killed', 3000);
    const headers = { 'idempotency-key': 'killed' };
    let api = await LedgerApi.start();
    const answered: LineAnswer[] = [];
    for (const wanted of [1, 1600]) {
      const open = new OpenUpload(api, headers);
      open.send(lines);
      open.end();
      const answers = await open.read(wanted);
      await api.program.end('SIGKILL');
      answers.push(...(await open.read()));
      answered.splice(0, Math.max(answered.length, answers.length), ...answers.concat(answered.slice(answers.length)));
      api = await LedgerApi.start({}, api.dataDir);
    }
    const answer = await upload(api, lines.join('\n'), { ...headers, accept: NDJSON });
    const answers = answersOf(answer);
    expect(answers.map(({ id, status }) => `${id} ${status}`)).toEqual(lines.map((_, n) => `killed-${n} 201`));
    for (const [index, { transactionId }] of answered.entries())
      expect(answers[index]?.transactionId).toBe(transactionId);
    expect(new Set(answers.map(({ transactionId }) => transactionId)).size).toBe(6);
    await api.program.end();
    expect(await verifyLedger({ path: api.dataDir })).toMatchObject({ findings: [], transactions: 7 });
    await api.stop();
  });
});
