import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cosignedAt, parseCheckpoint, parseVerifierKey, verifierKeyText } from '#tlog';
import { TestLog } from '#tlog/testing';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

const MAIN = 'apps/ledger-api/bundle/lib/ledger-tool.js';
const log = new TestLog();

let directory: string;
let running: Program[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'witness-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((program) => program.end('SIGKILL')));
  await rm(directory, { recursive: true });
});

function run(...args: readonly string[]): Program {
  const program = new Program({ main: MAIN, args: ['witness', ...args, '--directory', directory] });
  running.push(program);
  return program;
}

async function init(): Promise<string> {
  const program = run('init', 'lisbon', 'witness.example.org');
  expect((await program.ended).code).toBe(0);
  return program.stdout.trim();
}

async function serve(): Promise<{ readonly program: Program; readonly url: string }> {
  const program = run('serve', 'lisbon', '--log', verifierKeyText(log.key), '--port', '0');
  await program.printed('\n');
  const [url = ''] = /http:[^;\s]+/.exec(program.stderr) ?? [];
  return { program, url };
}

const add = (url: string, body: string) => fetch(`${url}/add-checkpoint`, { method: 'POST', body });

describe('ledger witness', () => {
  it.each(['', 'h h', 'a+b', 'h/'])('is not created with the host "%s", and states why in one line', async (host) => {
    const program = run('init', 'lisbon', host);
    expect((await program.ended).code).toBe(2);
    expect(program.stderr).toMatch(/^ledger-tool: .*Use a host such as witness\.example\.org.*\n$/);
    expect(await readdir(directory)).toEqual([]);
  });

  it('states in one line that its port is in use', async () => {
    await init();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const program = run('serve', 'lisbon', '--log', verifierKeyText(log.key), '--port', String(port));
    expect((await program.ended).code).toBe(1);
    expect(program.stderr).toBe(
      `ledger-tool: listen 127.0.0.1:${port} failed: address already in use (EADDRINUSE). Use another port.\n`,
    );
    server.close();
  });

  it('is created with one command and served with another, and confirms a log as it grows', async () => {
    const vkey = await init();
    const { program, url } = await serve();
    expect(program.stdout.trim()).toBe(vkey);
    const answer = await add(url, log.request(0, 5));
    const line = await answer.text();
    expect(answer.status).toBe(200);
    const time = cosignedAt(parseCheckpoint(log.checkpoint(5) + line), parseVerifierKey(vkey));
    expect(Math.abs(Number(time) - Date.now() / 1000)).toBeLessThan(240);
    const hash = createHash('sha256').update(log.key.name).digest('hex');
    const shown = await fetch(`${url}/${hash}/checkpoint`);
    expect(await shown.text()).toBe(log.checkpoint(5) + line);
    expect((await program.end()).code).toBe(0);
  });

  it('remembers each confirmed checkpoint over a kill, so that it never confirms a second history', async () => {
    await init();
    const fork = new TestLog(log.key.name, 'another history');
    let size = 0;
    for (let round = 1; round <= 5; round++) {
      const { program, url } = await serve();
      for (let step = 1; step <= 4; step++, size += 7)
        expect((await add(url, log.request(size, size + 7))).status).toBe(200);
      await program.end('SIGKILL');
    }
    const { url } = await serve();
    const root = parseCheckpoint(fork.checkpoint(size)).root;
    const forked = await add(url, log.request(size, size, log.checkpoint(size, { root })));
    expect(forked.status).toBe(422);
    const older = await add(url, log.request(0, 9));
    expect([older.status, older.headers.get('content-type'), await older.text()]).toEqual([
      409,
      'text/x.tlog.size',
      `${size}\n`,
    ]);
  });

  it('does not start without its state, with a damaged one, or twice', async () => {
    await init();
    const { program } = await serve();
    const second = run('serve', 'lisbon', '--log', verifierKeyText(log.key), '--port', '0');
    expect((await second.ended).code).toBe(1);
    expect(second.stderr).toContain('Another process serves');
    await program.end();
    const state = join(directory, 'lisbon/state.json');
    for (const content of ['', '{}', '{"version":1,"logs":{"a":{"size":-0.5}}}', undefined]) {
      await (content === undefined ? rm(state) : writeFile(state, content));
      const refused = run('serve', 'lisbon', '--log', verifierKeyText(log.key), '--port', '0');
      expect((await refused.ended).code).toBe(1);
      expect(refused.stderr).toContain('state.json cannot be used');
    }
  });

  it('never replaces a key', async () => {
    await init();
    const key = await readFile(join(directory, 'lisbon/key'), 'utf8');
    const again = run('init', 'lisbon', 'witness.example.org');
    expect((await again.ended).code).toBe(1);
    expect(await readFile(join(directory, 'lisbon/key'), 'utf8')).toBe(key);
  });

  it.each([
    [['init', '../up', 'host'], 'lower-case letters'],
    [['init', 'lisbon', 'a host'], 'white space'],
    [['serve', 'lisbon'], '--log'],
    [['serve', 'lisbon', '--log', 'key'], 'Ed25519'],
    [['serve', 'lisbon', '--log', verifierKeyText(log.key), '--port', '70000'], '65535'],
  ])('refuses the command line %j', async (args, text) => {
    const program = run(...args);
    expect((await program.ended).code).not.toBe(0);
    expect(program.stderr).toContain(text);
  });

  it('answers wrong requests with one status each, and is not stopped by slow or long ones', async () => {
    await init();
    const { url, program } = await serve();
    const statuses = async (...requests: readonly (readonly [string, RequestInit?])[]) =>
      Promise.all(requests.map(async ([path, options]) => (await fetch(url + path, options)).status));
    const silent = connect(Number(new URL(url).port), '127.0.0.1');
    silent.write('POST /add-checkpoint HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n');
    expect(
      await statuses(
        ['/'],
        ['//'],
        ['/add-checkpoint'],
        ['/add-checkpoint', { method: 'POST' }],
        ['/add-checkpoint', { method: 'POST', body: 'x'.repeat(200_000) }],
        ['/add-checkpoint', { method: 'POST', body: '\n'.repeat(100_000) }],
        [`/${'0'.repeat(64)}/checkpoint`],
        [`/${'0'.repeat(64)}/checkpoint`, { method: 'DELETE' }],
      ),
    ).toEqual([404, 400, 405, 400, 413, 400, 404, 405]);
    silent.destroy();
    expect((await add(url, log.request(0, 1))).status).toBe(200);
    expect(program.stderr).not.toContain('A request failed');
    // A state that cannot be written confirms nothing.
    await rm(join(directory, 'lisbon'), { recursive: true });
    await writeFile(join(directory, 'lisbon'), '');
    expect((await add(url, log.request(1, 2))).status).toBe(500);
    await until(() => program.stderr.includes('A request failed'));
  });
});
