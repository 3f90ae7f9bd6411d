import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Whether strace is here and may attach to another process. */
export function straceWorks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  return spawnSync('strace', ['-o', '/dev/null', '-e', 'inject=fsync:delay_enter=1', 'true']).status === 0;
}

/** strace on a running process: tampers with its system calls and writes down, in their order, those that it was asked for. */
export class Strace {
  readonly #process: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, log: string) {
    this.#process = child;
    this.#log = log;
  }

  /**
   * @param inject - what happens to each fsync and fdatasync, as in strace(1)
   * @param path - the one file whose calls are meant; without it, those of all files
   */
  static async attach(pid: number, options: Readonly<{ log: string; inject: string; path?: string }>): Promise<Strace> {
    const child = spawn(
      'strace',
      [
        ...['-f', '-s', '200', '-o', options.log, '-e', 'trace=write,fsync,fdatasync'],
        ...['-e', `inject=fsync,fdatasync:${options.inject}`, '-p', String(pid)],
        ...(options.path === undefined ? [] : ['-P', options.path]),
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let output = '';
    child.stderr.setEncoding('utf8');
    while (!output.includes(' attached')) output += String((await once(child.stderr, 'data'))[0]);
    return new Strace(child, options.log);
  }

  /** Detaches from the process and returns the lines of the log. */
  async detach(): Promise<string[]> {
    const ended = once(this.#process, 'close');
    this.#process.kill('SIGINT');
    await ended;
    return readFileSync(this.#log, 'utf8').trim().split('\n');
  }
}

/** strace on the main thread of a running process, which counts its system calls by name. */
export class CallCount {
  readonly #process: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, log: string) {
    this.#process = child;
    this.#log = log;
  }

  static async attach(pid: number, log: string): Promise<CallCount> {
    const child = spawn('strace', ['-c', '-o', log, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr.setEncoding('utf8');
    while (!output.includes(' attached')) output += String((await once(child.stderr, 'data'))[0]);
    return new CallCount(child, log);
  }

  /** Detaches from the process and returns the number of its calls. */
  async detach(): Promise<ReadonlyMap<string, number>> {
    const ended = once(this.#process, 'close');
    this.#process.kill('SIGINT');
    await ended;
    const rows = readFileSync(this.#log, 'utf8').matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$/gm);
    return new Map(
      Array.from(rows, ([, calls, name = '']) => [name, Number(calls)] as const).filter(([name]) => name !== 'total'),
    );
  }
}
