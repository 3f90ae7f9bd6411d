import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { FabricNetworkError } from './fabric-network.error.js';

/** Far above the duration of any step. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** A program that runs to its end. */
export interface CommandToRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Runs a program and returns its standard output.
 * @throws {@link FabricNetworkError} COMMAND_FAILED with the line of its output that states the reason
 */
export async function runCommand(options: CommandToRun): Promise<string> {
  const { command, args, env, cwd, signal, timeoutMs: timeout = TIMEOUT_MS } = options;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(command, args, { env, cwd, timeout, maxBuffer: 64 * 1024 * 1024, signal }, (error, stdout, stderr) => {
    if (error === null) {
      resolve(stdout);
    } else if (signal?.aborted === true) {
      reject(signal.reason as Error);
    } else {
      const shown = [basename(command), ...args.slice(0, 3)].join(' ');
      const how = error.killed === true ? 'did not end in time' : `failed (${error.code ?? error.signal ?? 'unknown'})`;
      const reason = reasonIn(`${stdout}\n${stderr}`);
      reject(new FabricNetworkError('COMMAND_FAILED', `${shown} ${how}: ${reason}`, { cause: error }));
    }
  });
  return promise;
}

/** Returns the line of a Fabric program's output that states the error: the last one about an error, or the last. */
export function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => line !== '' && !line.startsWith('Usage:') && !line.startsWith('-'));
  return lines.findLast((line) => /\b(error|panic|fatal|failed)\b/i.test(line)) ?? lines.at(-1) ?? 'it said nothing';
}

/** Returns the line of a log that states the error. */
export function lastLineOf(file: string): string {
  try {
    return reasonIn(readFileSync(file, 'utf8').slice(-8192));
  } catch {
    return '(it cannot be read)';
  }
}

/** The longest duration of a wait, and the signal that aborts it. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Polls until the result is not undefined.
 * @returns undefined after the timeout
 * @throws the signal's reason when it aborts, and the errors of `attempt`
 */
export async function waitUntil<T>(
  attempt: () => Promise<T | undefined> | T | undefined,
  { timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const result = await attempt();
    if (result !== undefined || performance.now() >= end) return result;
    await delay(POLL_MS);
  }
}

/**
 * Repeats an attempt until it succeeds.
 * @throws the signal's reason when it aborts, and the result of `failure` for the last error after the timeout
 */
export async function retry<T>(
  attempt: () => Promise<T>,
  options: WaitOptions,
  failure: (last: unknown) => Error,
): Promise<T> {
  let last: unknown;
  const attemptOnce = (): Promise<T | undefined> =>
    attempt().catch((error: unknown) => {
      last = error;
      return undefined;
    });
  const result = await waitUntil(attemptOnce, options);
  if (result === undefined) throw failure(last);
  return result;
}
