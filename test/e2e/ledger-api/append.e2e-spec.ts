import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmbeddedLedger, exportLedger, verifyLedger } from '#embedded-ledger';
import { freePort } from '../../support/free-port.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';

let home: string;
let directory: string;
const running: ChildProcessWithoutNullStreams[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ledger-append-'));
  directory = join(home, 'audit');
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
  rmSync(home, { recursive: true });
});

/** A running `ledger-tool append`. */
class Append {
  readonly #child: ChildProcessWithoutNullStreams;
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor(...args: readonly string[]) {
    const tool = 'dist/apps/ledger-api/bundle/lib/ledger-tool.js';
    this.#child = spawn(process.execPath, [tool, 'append', ...args]);
    running.push(this.#child);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#child.stdin.on('error', () => undefined);
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  end(): void {
    this.#child.stdin.end();
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}

async function run(input: string, ...args: readonly string[]) {
  const append = new Append(...args);
  append.write(input);
  append.end();
  const code = await append.ended;
  return { code, stdout: append.stdout, stderr: append.stderr };
}

/** The documents of a type in a directory. */
async function documents(type: string): Promise<readonly unknown[]> {
  const names = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' };
  const ledger = await createEmbeddedLedger({ dataDir: directory, ...names });
  const call = { chaincode: 'records', function: 'List', arguments: [type, '1000', ''] };
  const { records } = JSON.parse(Buffer.from(await ledger.evaluate(call)).toString()) as {
    records: { id: string; record: { d: unknown } }[];
  };
  await ledger.close();
  return records.map(({ record }) => record.d);
}

describe('ledger-tool append into a directory', () => {
  it('creates the ledger and the type, and refuses single lines with their numbers', async () => {
    const lines = [
      '{"user":"ana"}',
      '{"n":9007199254740993}',
      '',
      'nonsense',
      '{"user":"bob"}',
      `"${'x'.repeat(200_000)}"`,
    ];
    const { code, stdout, stderr } = await run(lines.join('\n'), directory, '--type', 'login');
    expect(stdout).toBe('6 lines: 2 appended, 4 refused.\n');
    expect(stderr).toMatch(/line 2: LEDGER.RECORD_INVALID: .*\/n has a number that a double cannot represent/);
    for (const line of [3, 4, 6]) expect(stderr).toContain(`line ${line}: LEDGER.RECORD_INVALID: `);
    expect(code).toBe(1);
    expect(await documents('login')).toEqual([{ user: 'ana' }, { user: 'bob' }]);
    expect((await verifyLedger({ path: directory })).findings).toEqual([]);
  });

  it('continues with --key after it was killed, and creates nothing twice', async () => {
    const lines = Array.from({ length: 3000 }, (_, n) => `${JSON.stringify({ no: `n${n}`, n })}\n`);
    const first = new Append(directory, '--type', 'event', '--key', 'no');
    first.write(lines.slice(0, 1500).join(''));
    // Killed while it appends, or waits for more lines.
    await until(async () => (await verifyLedger({ path: directory }).catch(() => undefined))?.height !== undefined);
    first.kill('SIGKILL');
    await first.ended;
    const second = await run(lines.join(''), directory, '--type', 'event', '--key', 'no');
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(second.stdout).toMatch(/^3000 lines: \d+ appended(, \d+ existed)?, 0 refused\.\n$/);
    expect((await run(lines.join(''), directory, '--type', 'event', '--key', 'no')).stdout).toBe(
      '3000 lines: 0 appended, 3000 existed, 0 refused.\n',
    );
    const { code, stderr } = await run('{"n":1}\n', directory, '--type', 'event', '--key', 'no');
    expect(stderr).toContain('line 1: LEDGER.RECORD_INVALID: The member "no" of the document must be a string');
    expect(code).toBe(1);
  });

  it('appends what it has read when it is interrupted, and states where to continue', async () => {
    const append = new Append(directory, '--type', 'event');
    append.write('{"n":1}\n{"n":2}\n{"n":');
    await until(async () => {
      const report = await verifyLedger({ path: directory }).catch(() => undefined);
      return (report?.height ?? 0) >= 3;
    });
    append.kill('SIGINT');
    expect(await append.ended).toBe(1);
    expect(append.stdout).toBe('2 lines: 2 appended, 0 refused.\n');
    expect(append.stderr).toContain('The first 2 lines are processed and durable. Continue after line 2.');
    expect(await documents('event')).toHaveLength(2);
  });

  it('names the process that has the directory open, and refuses a directory together with a URL', async () => {
    const append = new Append(directory, '--type', 'event');
    append.write('1\n');
    await until(async () => ((await verifyLedger({ path: directory }).catch(() => undefined))?.height ?? 0) >= 2);
    const second = await run('2\n', directory, '--type', 'event');
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(/^ledger-tool: Another process \(\d+\) uses the data directory/);
    append.end();
    expect(await append.ended).toBe(0);
    expect(await run('', directory, '--type', 'event', '--url', 'http://127.0.0.1:1')).toMatchObject({ code: 2 });
    expect((await run('1\n', directory, '--type', 'not a name')).stderr).toContain('type must be 1 to 64 letters');
  });
});

describe('ledger-tool append with documents outside the blocks', () => {
  const definition = JSON.stringify({
    payload: 'outside',
    schema: { type: 'object', additionalProperties: { type: 'integer' } },
  });
  const lines = '{"a":1}\n{"canary":"x"}\n{"a":2}\n';
  const refused = 'line 2: LEDGER.RECORD_INVALID: The document is refused: /canary must be integer.\n';
  const ended = { code: 1, stdout: '3 lines: 2 appended, 1 refused.\n' };

  it('stores them into a directory, with the faults of refused lines in no block', async () => {
    const ledger = await createEmbeddedLedger({
      dataDir: directory,
      channel: 'mychannel',
      chaincode: 'basic',
      mspId: 'Org1MSP',
    });
    await ledger.submit({ chaincode: 'records', function: 'DefineType', arguments: ['event', definition] });
    await ledger.close();
    const result = await run(lines, directory, '--type', 'event');
    expect(result).toMatchObject({ ...ended, stderr: expect.stringContaining('/canary must be integer') });
    const blocks = join(home, 'blocks');
    await exportLedger({ dataDir: directory, target: blocks });
    const texts = readdirSync(blocks).map((name) => readFileSync(join(blocks, name), 'latin1'));
    expect(texts.join()).toContain('CreateMany');
    expect(texts.join()).not.toContain('canary');
  });

  it('stores them by the API', async () => {
    const api = await LedgerApi.start({}, directory);
    try {
      await api.api('PUT', '/record-types/event', { body: JSON.parse(definition) as object });
      expect(await run(lines, '--type', 'event', '--url', api.origin)).toMatchObject({
        ...ended,
        stderr: expect.stringContaining(refused),
      });
      const { json } = await api.api('GET', '/records/event');
      expect(json).toMatchObject({
        data: { records: [{ document: { a: 1 }, outside: { state: 'stored' } }, { document: { a: 2 } }] },
      });
    } finally {
      await api.program.end();
    }
  });
});

describe('ledger-tool append by the API', () => {
  it('appends the line of a slow program at once, and continues when the API was killed and started again', async () => {
    const env = { LEDGER_API_PORT: String(await freePort()) };
    let api = await LedgerApi.start(env, directory);
    const ids = async () => {
      const { json } = await api.api('GET', '/records/event?limit=1000');
      return (json as { data?: { records: { document: { n: number } }[] } }).data?.records.map(
        ({ document }) => document.n,
      );
    };
    try {
      await api.api('PUT', '/record-types/event', { body: {} });
      const append = new Append('--type', 'event', '--url', api.origin);
      append.write('{"n":0}\n');
      await until(async () => (await ids())?.length === 1);
      await api.program.end('SIGKILL');
      append.write('{"n":1}\n{"n":2}\n');
      await until(() => append.stderr.includes('Trying again'));
      api = await LedgerApi.start(env, directory);
      append.write('{"n":3}\n');
      append.end();
      expect(await append.ended).toBe(0);
      expect(append.stdout).toBe('4 lines: 4 appended, 0 refused.\n');
      expect(await ids()).toEqual([0, 1, 2, 3]);
      const wrong = await run('{}\n', '--type', 'evnt', '--url', api.origin);
      expect(wrong.code).toBe(1);
      expect(wrong.stderr).toContain('The record type evnt is not defined. Did you mean "event"?');
    } finally {
      await api.program.end();
    }
  });
});
