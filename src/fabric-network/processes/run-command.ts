import { execFile, type ExecFileException } from 'node:child_process';
import { basename } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FabricNetworkError } from '../errors/fabric-network.error.js';

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
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.COMMAND_FAILED with the line that tells why
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

/** The line of a Fabric program's output that tells what went wrong: the last one that speaks of an error, or the last. */
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
