import { afterEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../../support/program.js';
import { freePort } from '../../support/free-port.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { lastAnswer, RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const CLEAN = { code: 0, signal: null };
const running: LedgerApi[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (api) => api.stop()));
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<LedgerApi> {
  const api = await LedgerApi.start(env);
  running.push(api);
  return api;
}

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  it('finishes a request whose body is still on its way, refuses new connections, ends silent ones, exits 0; at once when idle', async () => {
    const api = await start({ LEDGER_API_HTTPS_PORT: String(await freePort()) });
    const body = JSON.stringify({ id: 'late', ...FIELDS });
    const head = `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const [busy, secure, silent, half] = await Promise.all([
      RawConnection.open(api.origin),
      RawConnection.open(api.secureOrigin!),
      RawConnection.open(api.origin),
      RawConnection.open(api.secureOrigin!),
    ]);
    // The server has read a request when it answers what was asked for behind it with 100.
    await busy.write(`${head}Expect: 100-continue\r\n\r\n`).until('100 Continue');
    await secure
      .write(`${head.replace('Host', 'X-Late: yes\r\nHost')}Expect: 100-continue\r\n\r\n`)
      .until('100 Continue');
    half.write('POST /api/v1/assets HTTP/1.1\r\nHost:');
    const ended = api.program.end(signal);
    // The silent connection closes only after the drain; that the listener is closed is seen by a refused connection.
    await refused(api.origin);
    api.program.process.kill(signal);
    busy.write(body);
    const answer = lastAnswer(await busy.closed);
    expect(answer.status).toBe(201);
    expect(answer.head).toMatch(/connection: close/i);
    secure.write(body.replace('late', 'too!'));
    expect(lastAnswer(await secure.closed).status).toBe(201);
    expect([await silent.closed, await half.closed]).toEqual(['', '']);
    expect(await ended).toEqual(CLEAN);
    expect(stops(api)).toEqual([signal]);
    const again = await LedgerApi.start({}, api.dataDir);
    running[0] = again;
    expect(await again.api('GET', '/assets/late')).toMatchObject({ status: 200 });
    expect(await again.api('GET', '/assets/too!')).toMatchObject({ status: 200 });
    // No request is in flight now.
    expect(await again.program.end(signal)).toEqual(CLEAN);
  });
});

it.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGXCPU'] as const)(
  'defect: %s while the ledger was being opened ended the program without a log line',
  async (signal) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-api-start-'));
    const env = { LEDGER_DATA_DIR: dataDir, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0' };
    const program = new Program({ main: 'apps/ledger-api/bundle/lib/ledger-api.js', env });
    // The first file of the ledger.
    await until(() => existsSync(join(dataDir, 'lock.pid')));
    expect(await program.end(signal)).toEqual(CLEAN);
    expect(program.stdout).toContain(`"reason":"${signal}","msg":"stopping: `);
    expect([program.stdout.includes('ledger-api is ready'), program.stderr]).toEqual([false, '']);
    // What it had begun is complete.
    const again = await LedgerApi.start({}, dataDir);
    running.push(again);
    expect(await again.create('later')).toMatchObject({ status: 201 });
  },
);

it('opened the debugger of Node on SIGUSR1', async () => {
  const api = await start();
  api.program.process.kill('SIGUSR1');
  expect(await api.api('GET', '/health')).toMatchObject({ status: 200 });
  expect(await api.program.end('SIGTERM')).toEqual(CLEAN);
  expect(api.program.stderr).not.toContain('Debugger');
});

/** Node has no names for them, and sends them by their numbers. */
const REAL_TIME_SIGNALS = Array.from({ length: 31 }, (_, index) => 34 + index);

it('defect: signals that mean nothing exited the program without a log line', async () => {
  const api = await start();
  for (const signal of [
    'SIGUSR2',
    'SIGALRM',
    'SIGVTALRM',
    'SIGIO',
    'SIGPIPE',
    'SIGPWR',
    'SIGSTKFLT',
    'SIGXFSZ',
    'SIGPROF',
    ...REAL_TIME_SIGNALS,
  ] as const) {
    process.kill(api.program.process.pid!, signal);
    expect(await api.api('GET', '/health')).toMatchObject({ status: 200 });
  }
  expect(await api.program.end('SIGTERM')).toEqual(CLEAN);
  expect(stops(api)).toEqual(['SIGTERM']);
});

it.each(['SIGQUIT', 'SIGXCPU'] as const)('defect: %s exited the program without a log line', async (signal) => {
  const api = await start();
  expect(await api.program.end(signal)).toEqual(CLEAN);
  expect(stops(api)).toEqual([signal]);
});

/** The logged reasons of a stop. */
function stops({ program }: LedgerApi): unknown[] {
  const lines = program.stdout.split('\n').filter((line) => line.startsWith('{'));
  const logged = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly reason?: string });
  return logged.filter(({ msg }) => msg.startsWith('stopping: ')).map(({ reason }) => reason);
}

/** Resolves when no server accepts there any more. */
async function refused(origin: string): Promise<void> {
  await until(async () => {
    const connection = await RawConnection.open(origin).catch(() => undefined);
    connection?.socket.destroy();
    return connection === undefined;
  });
}

describe('SIGTERM with a body that does not arrive', () => {
  it('ends with 0 when the time for requests is over', async () => {
    const api = await start();
    const connection = await RawConnection.open(api.origin);
    const head =
      'POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n';
    await connection.write(`${head}Expect: 100-continue\r\n\r\n{`).until('100 Continue');
    expect(await api.program.end('SIGTERM')).toEqual(CLEAN);
    expect(api.program.stdout).not.toMatch(/"level":(50|60)/);
  });
});

describe('SIGTERM with in-flight writes', () => {
  it('keeps every write that it acknowledged', async () => {
    const api = await start();
    const acknowledged: string[] = [];
    let count = 0;
    const writer = async () => {
      for (;;) {
        const id = `w-${count++}`;
        const answer = await api.create(id).catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 201) acknowledged.push(id);
      }
    };
    const writers = Array.from({ length: 16 }, writer);
    while (acknowledged.length < 100) await api.create(`f-${count++}`);
    expect(await api.program.end()).toEqual(CLEAN);
    await Promise.all(writers);
    const again = await LedgerApi.start({}, api.dataDir);
    running[0] = again;
    const { data } = (await again.api('GET', '/assets')).json as { data: { ID: string }[] };
    const stored = new Set(data.map(({ ID }) => ID));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });
});
