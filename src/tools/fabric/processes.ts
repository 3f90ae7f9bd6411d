import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import { lastLineOf, waitUntil } from './run-command.js';

const IS_LINUX = existsSync('/proc/self/stat');

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start time as the system reports it, comparable on this machine only. */
  readonly started: string;
}

/** Returns the identity of a running process; undefined if there is none with that number, or only a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = IS_LINUX ? read(`/proc/${pid}/stat`) : undefined;
  const boot = (): string => read('/proc/sys/kernel/random/boot_id') ?? '';
  const started = IS_LINUX ? stat && parseLinuxStat(stat, boot()) : startByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Returns whether this very process still runs. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

/**
 * Parses a process's state of Linux (proc(5)): its start in clock ticks since boot is field 22.
 * @param bootId - distinguishes boots, because ticks restart
 */
export function parseLinuxStat(stat: string, bootId: string): string | undefined {
  const ticks = fieldsOfRunning(stat)?.[19];
  return ticks === undefined ? undefined : `linux ${bootId.trim()} ${ticks}`;
}

/** Returns the fields from the third on, the state. The second, the command in brackets, may contain anything. */
function fieldsOfRunning(stat: string): string[] | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
}

function startByPs(pid: number): string | undefined {
  try {
    const output = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' });
    return output.trim() === '' ? undefined : `ps ${output.trim()}`;
  } catch {
    // ps exits with 1 if there is no such process.
    return undefined;
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** A program to leave running. */
export interface ProcessToStart {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** File that its output is appended to. */
  readonly log: string;
}

/** A program that this one started. */
export interface StartedProcess extends ProcessIdentity {
  readonly name: string;
  readonly log: string;
  /** Returns how it ended; undefined while it runs. */
  readonly ending: () => string | undefined;
}

/**
 * Starts a program in its own process group, so that it outlives this one and a Ctrl-C here does not reach it.
 * @throws {@link FabricNetworkError} PROCESS_ENDED if it cannot be started
 */
export async function startProcess({ name, log, ...start }: ProcessToStart): Promise<StartedProcess> {
  const { command, args, env, cwd } = start;
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  try {
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', output, output] });
    await once(child, 'spawn').catch((cause: unknown) => {
      const reason = (cause as Error).message;
      const message = `the ${name} could not be started (${command}): ${reason}`;
      throw new FabricNetworkError('PROCESS_ENDED', message, { cause });
    });
    const ending = (): string | undefined => endingOf(child);
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity === undefined) {
      if (ending() === undefined) await once(child, 'exit');
      throw endedEarly({ name, log, ending }, 'at once');
    }
    child.unref();
    return { ...identity, name, log, ending };
  } finally {
    closeSync(output);
  }
}

/** Returns the failure of a process that ended too early, with the reason from its log. */
export function endedEarly(
  { name, log, ending }: Pick<StartedProcess, 'name' | 'log' | 'ending'>,
  when: string,
): FabricNetworkError {
  const reason = lastLineOf(log);
  return new FabricNetworkError(
    'PROCESS_ENDED',
    `the ${name} ${ending() ?? 'ended'} ${when}; the last line of ${log}: ${reason}`,
  );
}

function endingOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `was ended by ${signalCode}`;
  return exitCode === null ? undefined : `ended with code ${exitCode}`;
}

/** A peer closes its databases within a second or two. */
const GRACE_MS = 10_000;

/**
 * Stops a process that this program started, with its whole group: SIGTERM first, SIGKILL after ten seconds. Does
 * nothing if the process has ended, even if another one has its number now.
 * @returns whether it was running
 */
export async function stopProcess(identity: ProcessIdentity): Promise<boolean> {
  if (!isAlive(identity)) return false;
  signalGroup(identity.pid, 'SIGTERM');
  // A stopped process handles SIGTERM after SIGCONT only.
  signalGroup(identity.pid, 'SIGCONT');
  if (!(await hasEnded(identity.pid))) {
    signalGroup(identity.pid, 'SIGKILL');
    await hasEnded(identity.pid);
  }
  return true;
}

async function hasEnded(group: number): Promise<boolean> {
  return (await waitUntil(() => !isGroupAlive(group) || undefined, { timeoutMs: GRACE_MS })) === true;
}

/** Returns whether a process of the group runs; on Linux, zombies do not count. */
function isGroupAlive(group: number): boolean {
  if (!IS_LINUX) return signalGroup(group, 0);
  const stats = readdirSync('/proc').map((name) => (/^[0-9]+$/.test(name) ? read(`/proc/${name}/stat`) : undefined));
  return stats.some((stat) => stat !== undefined && fieldsOfRunning(stat)?.[2] === String(group));
}

/** Signals a group, which has the number of the process that was started. Returns false if there is none. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
