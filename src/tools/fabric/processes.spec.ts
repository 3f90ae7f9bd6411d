import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identify, isAlive, parseLinuxStat, stopProcess } from './processes.js';

const stat = (command: string, state: string): string =>
  `42 (${command}) ${state} 1 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1000 10 184467 1 1 0`;

describe('parseLinuxStat', () => {
  it.each(['peer', 'a b', 'odd) R 1 (x', '((', ')'])('finds the start time after the command %j', (command) => {
    expect(parseLinuxStat(stat(command, 'S'), 'boot\n')).toBe('linux boot 987654');
  });

  it.each(['Z', 'X'])('knows that state %s has ended', (state) => {
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
