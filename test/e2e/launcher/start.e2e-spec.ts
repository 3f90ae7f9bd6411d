import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { Program } from '../../support/program.js';
import { until } from '../../support/until.js';

const READY = 'Ctrl-C ends both.';

let directory: string;
let program: Program | undefined;

/** Both programs on free ports, with data of their own. */
function environment(): Record<string, string> {
  return {
    LEDGER_API_PORT: '0',
    LEDGER_API_HTTPS_PORT: '0',
    LEDGER_DATA_DIR: join(directory, 'ledger'),
    PROXY_LISTEN_PORT: '0',
    PROXY_ADMIN_PORT: '0',
    LOG_LEVEL: 'warn',
  };
}

function start(env: Record<string, string> = {}): Program {
  program = new Program({ main: 'src/main.js', env: { ...environment(), ...env }, cwd: directory });
  return program;
}

/** The process ids of the programs that a process has started. */
function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** Whether a process has ended: it is gone, or a zombie (or dead) that nobody has waited for yet. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/** A process that ends closes its files first, so its output may be over a moment before it is. */
async function allEnded(pids: readonly number[]): Promise<void> {
  await until(() => pids.every(hasEnded));
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'launcher-'));
});

afterEach(async () => {
  if (program?.process.exitCode === null) await program.end('SIGTERM');
  program = undefined;
  rmSync(directory, { recursive: true, force: true });
});

describe('npm start', () => {
  it('says once where both programs are, and the curl it shows works, with callers too', async () => {
    const started = start({ LEDGER_AUTH: 'on' });
    await started.printed(READY);
    const [, proxy, ledger] = /curl -x (\S+) (\S+)/.exec(started.stdout) ?? [];
    const { status, body } = await getThroughProxy(proxy!, ledger!);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ status: 'healthy' });
    const stats = (await (await fetch(`${proxy!}/stats`)).json()) as { successful_requests: number };
    expect(stats.successful_requests).toBe(1);
    expect(started.stdout.split(READY)).toHaveLength(2);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends both programs and exits 0 at %s', async (signal) => {
    const started = start();
    await started.printed(READY);
    const pids = children(started.process.pid!);
    expect(pids).toHaveLength(2);
    expect(await started.end(signal)).toEqual({ code: 0, signal: null });
    await allEnded(pids);
  });

  it('exits 0 when a terminal sends Ctrl-C to the launcher and to both programs', async () => {
    const started = start();
    await started.printed(READY);
    const pids = children(started.process.pid!);
    for (const pid of pids) process.kill(pid, 'SIGINT');
    expect(await started.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('starts neither when the port of one is taken, and says which', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const started = start({ PROXY_LISTEN_PORT: String(port) });
    const { code } = await started.ended;
    taken.close();
    expect(code).not.toBe(0);
    expect(started.stdout).not.toContain(READY);
    expect(started.stderr).toContain(`proxy-client ended with code ${code ?? ''} before it was ready.`);
    expect(started.stderr + started.stdout).toContain(String(port));
  });

  it('takes the other program along when one is killed, with its exit code', async () => {
    const started = start();
    await started.printed(READY);
    const [first, second] = children(started.process.pid!);
    process.kill(first!, 'SIGKILL');
    expect(await started.ended).toEqual({ code: 137, signal: null });
    await allEnded([second!]);
  });

  it('ends both programs when the launcher itself is killed', async () => {
    const started = start();
    await started.printed(READY);
    const pids = children(started.process.pid!);
    started.process.kill('SIGKILL');
    await started.ended;
    // The output closes only when nobody holds it any more: both programs are gone.
    await allEnded(pids);
  });

  it('leaves the upstream to a proxy-client.yaml in the working directory', async () => {
    const file = 'upstream: { host: 127.0.0.1, port: 1 }\n';
    writeFileSync(join(directory, 'proxy-client.yaml'), file);
    const started = start();
    await started.printed(READY);
    const [, proxy, ledger] = /curl -x (\S+) (\S+)/.exec(started.stdout) ?? [];
    expect((await getThroughProxy(proxy!, ledger!)).status).toBe(502);
  });
});
