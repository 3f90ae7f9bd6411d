import { execFile, type ExecFileException } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { FabricNetworkError } from './fabric-network.error.js';

/** Far above what any step takes; a command that hangs must not hang us. */
const TIMEOUT_MS = 60_000;

/** A program to run to its end. */
export interface CommandToRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/**
 * Runs a program and gives its standard output.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.COMMAND_FAILED with the line that states why
 */
export async function runCommand(options: CommandToRun): Promise<string> {
  const { command, args, env, cwd, signal, timeoutMs = TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const settings = { env, cwd, timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' as const, signal };
    execFile(command, args, settings, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout);
        return;
      }
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      reject(commandFailed(command, args, error, `${stdout}\n${stderr}`));
    });
  });
}

/** Returns the line of a Fabric program's output that states the error: the last one about an error, or the last. */
export function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => line !== '' && !line.startsWith('Usage:') && !line.startsWith('-'));
  return lines.findLast((line) => /\b(error|panic|fatal|failed)\b/i.test(line)) ?? lines.at(-1) ?? 'it said nothing';
}

function commandFailed(
  command: string,
  args: readonly string[],
  error: ExecFileException,
  output: string,
): FabricNetworkError {
  const shown = [basename(command), ...args.slice(0, 3)].join(' ');
  const how = error.killed === true ? 'did not end in time' : `failed (${error.code ?? error.signal ?? 'unknown'})`;
  return new FabricNetworkError('FABRIC_NETWORK.COMMAND_FAILED', `${shown} ${how}: ${reasonIn(output)}`, {
    cause: error,
  });
}

const POLL_MS = 50;

/** What a wait is for, how long it may take, and what ends it early. */
export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks again and again until the answer is not undefined.
 * @returns undefined when the time is over
 * @throws the signal's reason when it aborts, and whatever `attempt` throws
 */
export async function waitUntil<T>(
  attempt: () => Promise<T | undefined> | T | undefined,
  { timeoutMs, signal }: WaitOptions,
): Promise<T | undefined> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const answer = await attempt();
    if (answer !== undefined) return answer;
    if (performance.now() >= end) return undefined;
    await delay(POLL_MS);
  }
}

/** Returns the line of a log that best describes the error. */
export function lastLineOf(file: string): string {
  try {
    return reasonIn(readFileSync(file, 'utf8').slice(-8192));
  } catch {
    return '(it cannot be read)';
  }
}
