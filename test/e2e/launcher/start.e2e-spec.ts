import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { Program } from '../../support/program.js';
import { straceWorks } from '../../support/strace.js';
import { until } from '../../support/until.js';

const READY = 'Press Ctrl-C to stop both.';
/** Options of Node with which no program can be started. */
const NO_PROGRAM = '--import=data:text/javascript,process.execPath=`/nowhere`';

const withStrace = straceWorks() ? it : it.skip;

let directory: string;
let program: Program | undefined;

/** Free ports and an own data directory for both programs. */
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

/** Returns the process ids of the children of a process. */
function children(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

/** Returns whether a process has exited; a zombie has. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

/** Waits until the processes have exited: an output that is closed is no proof, because files are closed first. */
async function allEnded(pids: readonly number[]): Promise<void> {
  await until(() => pids.every(hasEnded));
}

/** Expects that a signal for the launcher ends both programs, and that it exits with 0. */
async function endsBoth(started: Program, signal: NodeJS.Signals): Promise<void> {
  const pids = children(started.process.pid!);
  expect(pids).toHaveLength(2);
  expect(await started.end(signal)).toEqual({ code: 0, signal: null });
  await allEnded(pids);
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
  it('ends with 1 when a program cannot be started', async () => {
    const launcher = start({ NODE_OPTIONS: NO_PROGRAM });
    expect(await launcher.ended).toEqual({ code: 1, signal: null });
    expect(launcher.stderr).toContain('proxy-client could not be started: spawn /nowhere ENOENT');
  });

  withStrace('signals no other process when neither program can be started', async () => {
    const calls = join(directory, 'calls');
    program = new Program({
      main: 'src/main.js',
      env: { ...environment(), NODE_OPTIONS: NO_PROGRAM },
      cwd: directory,
      under: ['strace', '-f', '-qq', '-e', 'trace=kill', '-e', 'signal=none', '-o', calls],
    });
    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(readFileSync(calls, 'utf8')).not.toContain('kill(');
  });

  it('lists the addresses of both programs once, its curl command works with callers, and SIGTERM ends both', async () => {
    const started = start({ LEDGER_AUTH: 'on' });
    await started.printed(READY);
    const [, proxy, ledger] = /curl -x (\S+) (\S+)/.exec(started.stdout) ?? [];
    const { status, body } = await getThroughProxy(proxy!, ledger!);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ status: 'healthy' });
    const stats = (await (await fetch(`${proxy!}/stats`)).json()) as { successful_requests: number };
    expect(stats.successful_requests).toBe(1);
    expect(started.stdout.split(READY)).toHaveLength(2);
    await endsBoth(started, 'SIGTERM');
  });

  it('ends both programs and exits with 0 on SIGINT', async () => {
    const started = start();
    await started.printed(READY);
    await endsBoth(started, 'SIGINT');
  });

  it('exits with 0 when a terminal sends SIGINT to the launcher and to both programs', async () => {
    const started = start();
    await started.printed(READY);
    const pids = children(started.process.pid!);
    for (const pid of pids) process.kill(pid, 'SIGINT');
    expect(await started.end('SIGINT')).toEqual({ code: 0, signal: null });
  });

  it('starts neither when a port is in use, and names it', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const started = start({ PROXY_LISTEN_PORT: String(port) });
    const { code } = await started.ended;
    taken.close();
    expect(code).not.toBe(0);
    expect(started.stdout).not.toContain(READY);
    expect(started.stderr).toContain(`proxy-client exited with code ${code ?? ''} before it was ready.`);
    expect(started.stderr + started.stdout).toContain(String(port));
  });

  it('ends the other program when one is killed, and exits with its code', async () => {
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
    await allEnded(pids);
  });

  it('uses the upstream of a proxy-client.yaml in the working directory, and SIGHUP ends both programs', async () => {
    const file = 'upstream: { host: 127.0.0.1, port: 1 }\n';
    writeFileSync(join(directory, 'proxy-client.yaml'), file);
    const started = start();
    await started.printed(READY);
    const [, proxy, ledger] = /curl -x (\S+) (\S+)/.exec(started.stdout) ?? [];
    expect((await getThroughProxy(proxy!, ledger!)).status).toBe(502);
    await endsBoth(started, 'SIGHUP');
  });
});
