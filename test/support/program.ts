import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What V8 compiled of the bundles, for the next start: it costs 1.17 s of CPU instead of 1.36 s. */
export const COMPILE_CACHE = join(process.cwd(), 'node_modules/.cache/programs');

/** The Node of the programs, if it is not that of the tests: `npm run test:night` also runs them on the oldest one. */
const NODE = process.env['PROGRAM_NODE'] ?? process.execPath;

/** How a built program is started: its file under dist, its arguments, its environment (of this one only PATH). */
export interface ProgramOptions {
  readonly main: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Its standard output instead of a pipe that is read to {@link Program.stdout}: an open descriptor. */
  readonly output?: number;
  /** How many files it may open at once. */
  readonly openFiles?: number;
  /** A program, with its arguments, that runs it. */
  readonly under?: readonly string[];
}

/** How a program ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built program as a process: black box, seen through its output, its exit code and its `ready` message. */
export class Program {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = '';
  stderr = '';
  readonly #ready: Promise<Readonly<Record<string, string>>>;

  constructor(options: ProgramOptions) {
    const { openFiles, under = [] } = options;
    const command = [...under, NODE, join(process.cwd(), 'dist', options.main), ...(options.args ?? [])];
    const limited = ['/bin/sh', '-c', `ulimit -n ${openFiles ?? 0} && exec "$@"`, 'sh', ...command];
    const [file = '', ...args] = openFiles === undefined ? command : limited;
    this.process = spawn(file, args, {
      env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: COMPILE_CACHE, ...options.env },
      cwd: options.cwd ?? process.cwd(),
      stdio: ['ignore', options.output ?? 'pipe', 'pipe', 'ipc'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.process, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    this.#ready = new Promise((resolve) => {
      this.process.on('message', (message: { type?: string; urls?: Record<string, string> }) => {
        if (message.type === 'ready') resolve(message.urls ?? {});
      });
    });
  }

  /** The URLs that the program reports when it is ready; rejects with its output if it exits before. */
  async ready(): Promise<Readonly<Record<string, string>>> {
    const failed = this.ended.then(({ code, signal }) => {
      throw new Error(`ended with ${code ?? signal ?? ''} before it was ready:\n${this.stdout}\n${this.stderr}`);
    });
    return Promise.race([this.#ready, failed]);
  }

  /** Resolves when the standard output holds the text. */
  async printed(text: string): Promise<void> {
    while (!this.stdout.includes(text)) {
      if (this.process.exitCode !== null)
        throw new Error(`ended without printing ${text}:\n${this.stdout}${this.stderr}`);
      await Promise.race([once(this.process.stdout!, 'data'), this.ended]);
    }
  }

  /** Sends the signal (SIGTERM) and waits for the end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.process.kill(signal);
    return this.ended;
  }
}
