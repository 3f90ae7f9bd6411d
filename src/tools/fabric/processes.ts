import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import { lastLineOf, waitUntil } from './run-command.js';

const LINUX_SELF = '/proc/self/stat';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Its start time as the system reports it, comparable on this machine only. */
  readonly started: string;
}

/** The identity of a running process; undefined when there is none of that number, or it only waits to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = existsSync(LINUX_SELF) ? startOnLinux(pid) : startByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether this very process still runs. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

/** Whether anything still runs in the process group; on Linux those that only wait to be reaped do not count. */
export function isGroupAlive(group: number): boolean {
  if (existsSync(LINUX_SELF)) {
    const numbers = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
    return numbers.some((pid) => groupOf(read(`/proc/${pid}/stat`) ?? '') === group);
  }
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/**
 * Reads a process's state from Linux (proc(5)): its state is field 3, its start in clock ticks since boot field 22.
 * Field 2, the command in brackets, may hold anything, brackets too.
 * @param bootId - distinguishes boots, because ticks restart
 */
export function parseLinuxStat(stat: string, bootId: string): string | undefined {
  const ticks = runningFields(stat)?.[19];
  return ticks === undefined ? undefined : `linux ${bootId.trim()} ${ticks}`;
}

function groupOf(stat: string): number | undefined {
  const group = runningFields(stat)?.[2];
  return group === undefined ? undefined : Number(group);
}

/** The fields from the third on, of a process that has not ended. */
function runningFields(stat: string): string[] | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
}

function startOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseLinuxStat(stat, read('/proc/sys/kernel/random/boot_id') ?? '');
}

function startByPs(pid: number): string | undefined {
  try {
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
    return started === '' ? undefined : `ps ${started}`;
  } catch {
    // ps ends with 1 when there is no such process.
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

/** A peer closes its databases within a second or two. */
const GRACE_MS = 10_000;

/**
 * Ends a process that this program started, with all in its group: asks first, and kills what still runs after ten
 * seconds. Does nothing when the process has gone, also when its number belongs to another one now.
 * @returns whether it was running
 */
export async function stopProcess(identity: ProcessIdentity): Promise<boolean> {
  if (!isAlive(identity)) return false;
  signalGroup(identity.pid, 'SIGTERM');
  // A frozen process takes no SIGTERM until it goes on.
  signalGroup(identity.pid, 'SIGCONT');
  if (!(await hasGone(identity.pid))) {
    signalGroup(identity.pid, 'SIGKILL');
    await hasGone(identity.pid);
  }
  return true;
}

async function hasGone(group: number): Promise<boolean> {
  const gone = await waitUntil(() => !isGroupAlive(group) || undefined, { timeoutMs: GRACE_MS });
  return gone === true;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    // Each process was started as the leader of its own group.
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
