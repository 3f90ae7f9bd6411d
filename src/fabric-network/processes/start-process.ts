import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { FabricNetworkError } from '../errors/fabric-network.error.js';
import { lastLineOf } from './last-line-of.js';
import { identify, type ProcessIdentity } from './process-identity.js';

/** A program to leave running. */
export interface ProcessToStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that its output is added to. */
  readonly log: string;
}

/** A program that was started here. */
export interface StartedProcess extends ProcessIdentity {
  readonly name: string;
  readonly log: string;
  /** How it ended, as long as this program watches; undefined while it runs. */
  readonly ending: () => string | undefined;
}

/**
 * Starts a program in a process group of its own, so that it outlives this one and a Ctrl-C here does not reach it.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.PROCESS_ENDED when it cannot be started
 */
export async function startProcess(options: ProcessToStart): Promise<StartedProcess> {
  const { name, command, args, env, cwd, log } = options;
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  try {
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', output, output] });
    await spawned(child, name, command);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined) {
      if (endingOf(child) === undefined) await once(child, 'exit');
      throw endedEarly({ name, log, ending: () => endingOf(child) }, 'at once');
    }
    child.unref();
    return { ...identity, name, log, ending: () => endingOf(child) };
  } finally {
    closeSync(output);
  }
}

/** The failure of a process that ended before it was of use, with what it said last. */
export function endedEarly(
  { name, log, ending }: Pick<StartedProcess, 'name' | 'log' | 'ending'>,
  when: string,
): FabricNetworkError {
  return new FabricNetworkError(
    'FABRIC_NETWORK.PROCESS_ENDED',
    `the ${name} ${ending() ?? 'ended'} ${when}; the last line of ${log}: ${lastLineOf(log)}`,
  );
}

async function spawned(child: ChildProcess, name: string, command: string): Promise<void> {
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.PROCESS_ENDED',
      `the ${name} could not be started (${command}): ${(cause as Error).message}`,
      { cause },
    );
  }
}

function endingOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `was ended by ${signalCode}`;
  return exitCode === null ? undefined : `ended with code ${exitCode}`;
}
