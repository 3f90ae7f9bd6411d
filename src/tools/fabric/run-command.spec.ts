import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import { endedEarly, startProcess, stopProcess } from './processes.js';
import { reasonIn, runCommand, waitUntil } from './run-command.js';

const shell = (script: string, more: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  runCommand({ command: '/bin/sh', args: ['-c', script], env: { A: 'b' }, cwd: '/', ...more });

describe('reasonIn', () => {
  it.each([
    ['one\nError: proposal failed\n\n', 'Error: proposal failed'],
    ['2026 INFO started\n\u001b[31mpanic: no such block\u001b[0m\ngoroutine 1 [running]:\n', 'panic: no such block'],
    ['Error: unknown flag\nUsage:\n  peer channel\n--flag  failed\n', 'Error: unknown flag'],
    ['only this', 'only this'],
    ['\n', 'it said nothing'],
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
    await expect(shell('exec sleep 60', { timeoutMs: 50 })).rejects.toThrow('did not end in time');
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
    startProcess({
      name: 'peer',
      command: '/bin/sh',
      args: ['-c', script],
      env: {},
      cwd: folder,
      log: join(folder, 'logs', 'peer.log'),
    });

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
    const missing = startProcess({
      name: 'peer',
      command: '/no/such/peer',
      args: [],
      env: {},
      cwd: folder,
      log: join(folder, 'peer.log'),
    });
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
