import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { CommandEnd } from './bridge.js';
import { sandboxArguments, type Sandbox } from './sandbox.js';

/** The program that runs the command; see bridge.ts. */
export const BRIDGE = fileURLToPath(new URL('./command-bridge.js', import.meta.url));

/** The signals that are passed on to the command. SIGWINCH: the terminal has another size. */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGWINCH'] as const;

/** As of `env` and shells: this program has failed, or the command cannot be started, or is not found. */
export const EXIT = { failed: 125, notStarted: 126, notFound: 127 } as const;
const SIGNALLED = 128;

/** Reports something to the user; standard output belongs to the command. */
export function notify(text: string): void {
  process.stderr.write(`proxy-client: ${text}\n`);
}

/** A command and its only way out. */
export interface ProxiedCommand {
  /** The file and its arguments. */
  readonly command: readonly string[];
  /** The URL of the proxy. In a sandbox the command connects to the proxy's unix socket instead. */
  readonly proxy: string;
  readonly sandbox?: Sandbox | undefined;
}

/**
 * Runs a command with the proxy variables set, and passes signals on to it. It shares the terminal's input and output, but is in a session of
 * its own: a key such as Ctrl-C signals this program, which passes it on once. If this program is killed, the command is killed, too.
 *
 * @returns how it ended; undefined if the sandbox could not be created, which bwrap has explained on standard error
 */
export async function runProxied({ command, proxy, sandbox }: ProxiedCommand): Promise<CommandEnd | undefined> {
  const program = [process.execPath, BRIDGE, proxy, ...command];
  const [file = '', ...args] =
    sandbox === undefined ? program : ['bwrap', ...sandboxArguments(sandbox), '--', ...program];
  const child = spawn(file, args, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], detached: true });
  const bridge = child.stdio[3] as Duplex;
  let report = '';
  bridge.setEncoding('utf8').on('data', (text: string) => (report += text));
  // A bridge that has exited reads no signals.
  bridge.on('error', () => undefined);
  const forward = (signal: NodeJS.Signals): void => {
    bridge.write(`${signal}\n`);
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  const { promise, resolve } = Promise.withResolvers<NodeJS.ErrnoException | undefined>();
  child.on('error', resolve);
  child.on('close', () => {
    resolve(undefined);
  });
  const error = await promise;
  for (const signal of FORWARDED) process.off(signal, forward);
  if (error !== undefined) return { fault: error.code ?? 'unknown error' };
  return report === '' ? undefined : (JSON.parse(report) as CommandEnd);
}

/**
 * Returns the exit code for the end of a command; reports why it could not be started. If a signal has ended it, this program ends by the
 * same signal.
 */
export function exitLike(end: CommandEnd, [file = '']: readonly string[], isInSandbox: boolean): number {
  if ('code' in end) return end.code;
  if ('signal' in end) {
    process.kill(process.pid, end.signal);
    return SIGNALLED + constants.signals[end.signal];
  }
  const where = isInSandbox ? ' in the sandbox; --mount makes further directories visible' : '';
  const isMissing = end.fault === 'ENOENT';
  notify(`${file} ${isMissing ? 'is not found' : `cannot be run (${end.fault})`}${where}.`);
  return isMissing ? EXIT.notFound : EXIT.notStarted;
}
