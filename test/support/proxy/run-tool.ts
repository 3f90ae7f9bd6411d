import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ToolOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
}

export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program of somebody else's to its end; of the environment it gets PATH, HOME in `cwd` and what is named. */
export async function runTool(file: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  const { cwd, env = {}, input } = options;
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd ?? '/nonexistent', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined).end(input);
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

/** A program of somebody else's that runs until the test is over. */
export class StartedTool {
  readonly #child: ChildProcess;

  constructor(file: string, args: readonly string[], cwd: string) {
    this.#child = spawn(file, args, { cwd, env: { PATH: process.env['PATH'], HOME: cwd }, stdio: 'ignore' });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}
