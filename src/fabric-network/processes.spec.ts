import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  endedEarly,
  FabricNetworkError,
  identify,
  isAlive,
  parseLinuxStat,
  reasonIn,
  runCommand,
  startProcess,
  stopProcess,
  waitUntil,
} from './processes.js';

const stat = (command: string, state: string): string =>
  `42 (${command}) ${state} 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1000 10 184467 1 1 0`;

describe('parseLinuxStat', () => {
  it.each(['peer', 'a b', 'odd) R 1 (x', '((', ')'])('finds the start time after the command %j', (command) => {
    expect(parseLinuxStat(stat(command, 'S'), 'boot\n')).toBe('linux boot 987654');
  });

  it.each(['Z', 'X'])('treats state %s as ended', (state) => {
    expect(parseLinuxStat(stat('peer', state), 'boot')).toBeUndefined();
  });

  it.each(['', '42', '42 (peer', '42 (peer) S 1'])('does not treat %j as a process', (text) => {
    expect(parseLinuxStat(text, 'boot')).toBeUndefined();
  });
});

describe('a process', () => {
  it('is this one, and not one with the same number that started at another time', () => {
    const self = identify(process.pid);
    expect(self?.pid).toBe(process.pid);
    expect(isAlive(self!)).toBe(true);
    expect(isAlive({ pid: process.pid, started: 'linux boot 1' })).toBe(false);
  });

  it('is undefined when there is none', () => {
    expect(identify(2 ** 22 + 1)).toBeUndefined();
  });
});

describe('stopProcess', () => {
  it('ends a process with all in its group', async () => {
    // The one below takes its time; the shell ends at once.
    const slow = 'trap "sleep 0.2; exit" TERM; while :; do sleep 0.01; done';
    const child = spawn('sh', ['-c', `(${slow}) & echo $!; wait`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const below = identify(Number(line.toString()));
    const ended = once(child, 'exit');
    expect(await stopProcess(identify(child.pid!)!)).toBe(true);
    await ended;
    expect(isAlive(below!)).toBe(false);
  });

  it('ends a frozen one too', async () => {
    const child = spawn('sleep', ['60'], { detached: true });
    await once(child, 'spawn');
    const ended = once(child, 'exit');
    const identity = identify(child.pid!)!;
    child.kill('SIGSTOP');
    expect(await stopProcess(identity)).toBe(true);
    expect(await ended).toEqual([null, 'SIGTERM']);
  });

  it('leaves a process alone that only has the number', async () => {
    const child = spawn('sleep', ['60'], { detached: true });
    await once(child, 'spawn');
    expect(await stopProcess({ pid: child.pid!, started: 'linux boot 1' })).toBe(false);
    expect(isAlive(identify(child.pid!)!)).toBe(true);
    child.kill();
    await once(child, 'exit');
  });
});

const shell = (script: string, more: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  runCommand({ command: '/bin/sh', args: ['-c', script], env: { A: 'b' }, cwd: '/' }, more);

describe('reasonIn', () => {
  it.each([
    ['one\nError: proposal failed\n\n', 'Error: proposal failed'],
    ['2026 INFO started\n\u001b[31mpanic: no such block\u001b[0m\ngoroutine 1 [running]:\n', 'panic: no such block'],
    ['Error: unknown flag\nUsage:\n  peer channel\n--flag  failed\n', 'Error: unknown flag'],
    ['only this', 'only this'],
    ['\n', 'no output'],
  ])('finds in %j', (output, reason) => {
    expect(reasonIn(output)).toBe(reason);
  });
});

describe('runCommand', () => {
  it('returns the output and passes only the named part of the environment', async () => {
    expect(await shell('echo "$A $HOME"; pwd')).toBe('b \n/\n');
  });

  it('reports in one line which command failed and why', async () => {
    const failure = shell('echo noise; echo "Error: no peers" >&2; exit 3');
    await expect(failure).rejects.toBeInstanceOf(FabricNetworkError);
    await expect(failure).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      message: 'sh -c echo noise; echo "Error: no peers" >&2; exit 3 failed (3): Error: no peers',
    });
  });

  it('fails after its timeout', async () => {
    await expect(shell('exec sleep 60', { timeoutMs: 50 })).rejects.toThrow('did not exit in time');
  });

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController();
    const running = shell('exec sleep 60', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  it('reports a missing program', async () => {
    const missing = runCommand({ command: '/no/such/peer', args: ['version'], env: {}, cwd: '/' });
    await expect(missing).rejects.toThrow('peer version failed (ENOENT)');
  });
});

describe('startProcess', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'process-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const start = (script: string) =>
    startProcess(
      { name: 'peer', log: join(folder, 'logs', 'peer.log') },
      { command: '/bin/sh', args: ['-c', script], env: {}, cwd: folder },
    );

  it('keeps its output, and reports how it exited', async () => {
    const running = await start('echo said; exec sleep 60');
    const text = await waitUntil(() => readFileSync(running.log, 'utf8') || undefined, { timeoutMs: 60_000 });
    expect(text).toBe('said\n');
    expect(running.ending()).toBeUndefined();
    expect(await stopProcess(running)).toBe(true);
    const ending = await waitUntil(() => running.ending(), { timeoutMs: 60_000 });
    expect(ending).toBe('was ended by SIGTERM');
    expect(endedEarly(running, 'before it listened').message).toBe(
      `the peer was ended by SIGTERM before it listened; the last line of ${running.log}: said`,
    );
  });

  it('cannot start what is not there', async () => {
    const missing = startProcess(
      { name: 'peer', log: join(folder, 'peer.log') },
      { command: '/no/such/peer', args: [], env: {}, cwd: folder },
    );
    await expect(missing).rejects.toThrow('the peer could not be started (/no/such/peer): spawn /no/such/peer ENOENT');
  });
});

describe('waitUntil', () => {
  const nothing = (): string | undefined => undefined;

  it('returns nothing after the timeout', async () => {
    expect(await waitUntil(nothing, { timeoutMs: 0 })).toBeUndefined();
  });

  it('asks again until there is an answer', async () => {
    let asked = 0;
    expect(await waitUntil(() => (++asked === 3 ? 'yes' : undefined), { timeoutMs: 60_000 })).toBe('yes');
  });

  it('ends with the signal', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(waitUntil(nothing, { timeoutMs: 60_000, signal })).rejects.toThrow('enough');
  });
});
