import { execFile, execFileSync, spawn, type ChildProcess, type ExecFileException } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify, stripVTControlCharacters } from 'node:util';

/** Far above the duration of any step. */
const TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** A peer closes its databases within a second or two. */
const GRACE_MS = 10_000;
const IS_LINUX = existsSync('/proc/self/stat');
const execute = promisify(execFile);

/** The kind of failure. */
type FabricNetworkErrorCode =
  | 'BINARY_MISSING'
  | 'RELEASE_FILE_MISSING'
  | 'VERSION_UNSUPPORTED'
  | 'PORT_TAKEN'
  | 'DIRECTORY_IN_USE'
  | 'PLAN_DIFFERS'
  | 'COMMAND_FAILED'
  | 'PROCESS_ENDED'
  | 'NOT_READY'
  | 'INTERRUPTED';

/** A step of `npm run fabric` that failed. Its message is one line that states what to do. */
export class FabricNetworkError extends Error {
  readonly code: FabricNetworkErrorCode;

  constructor(code: FabricNetworkErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FabricNetworkError';
    this.code = code;
  }
}

/** A program, and how to run it. */
export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * Runs a program to its end and returns its standard output.
 * @throws {@link FabricNetworkError} COMMAND_FAILED with the line of its output that states the reason
 */
export async function runCommand(
  { command, args, env, cwd }: Command,
  { timeoutMs: timeout = TIMEOUT_MS, signal }: Partial<WaitOptions> = {},
): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { env, cwd, timeout, maxBuffer: 64 * 1024 * 1024, signal });
    return stdout;
  } catch (cause) {
    signal?.throwIfAborted();
    const { killed, code, signal: by, stdout, stderr } = cause as ExecFileException;
    const shown = [basename(command), ...args.slice(0, 3)].join(' ');
    const how = killed === true ? 'did not exit in time' : `failed (${code ?? by ?? 'unknown'})`;
    const reason = reasonIn(`${stdout ?? ''}\n${stderr ?? ''}`);
    throw new FabricNetworkError('COMMAND_FAILED', `${shown} ${how}: ${reason}`, { cause });
  }
}

/** Returns the line of a Fabric program's output that states the error: the last one about an error, or the last. */
export function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => stripVTControlCharacters(line).trim())
    .filter((line) => line !== '' && !line.startsWith('Usage:') && !line.startsWith('-'));
  return lines.findLast((line) => /\b(error|panic|fatal|failed)\b/i.test(line)) ?? lines.at(-1) ?? 'no output';
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
 * @throws the signal's reason when it aborts; {@link FabricNetworkError} NOT_READY with the text for the last error after
 * the timeout
 */
export async function waitUntilReady(
  attempt: () => Promise<unknown>,
  options: WaitOptions,
  describe: (last: Error) => string,
): Promise<void> {
  let cause: unknown;
  const succeeds = (): Promise<true | undefined> =>
    attempt().then(
      () => true,
      (error: unknown) => void (cause = error),
    );
  if ((await waitUntil(succeeds, options)) !== undefined) return;
  throw new FabricNetworkError('NOT_READY', describe(cause as Error), { cause });
}

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

/** A process of the network that was left running. */
export interface RecordedProcess extends ProcessIdentity {
  readonly name: string;
  /** File that its output is appended to. */
  readonly log: string;
}

/** A process that this program started. */
export interface StartedProcess extends RecordedProcess {
  /** Returns how it ended; undefined while it runs. */
  readonly ending: () => string | undefined;
}

/**
 * Starts a program in its own process group, so that it outlives this one and a Ctrl-C here does not reach it.
 * @throws {@link FabricNetworkError} PROCESS_ENDED if it cannot be started
 */
export async function startProcess(
  { name, log }: Pick<RecordedProcess, 'name' | 'log'>,
  { command, args, env, cwd }: Command,
): Promise<StartedProcess> {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  try {
    const child = spawn(command, args, { env, cwd, detached: true, stdio: ['ignore', output, output] });
    await once(child, 'spawn').catch((cause: unknown) => {
      const message = `the ${name} could not be started (${command}): ${(cause as Error).message}`;
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
  { name, log, ending }: Omit<StartedProcess, keyof ProcessIdentity>,
  when: string,
): FabricNetworkError {
  const output = read(log)?.slice(-8192);
  const reason = output === undefined ? '(it cannot be read)' : reasonIn(output);
  const text = `the ${name} ${ending() ?? 'ended'} ${when}; the last line of ${log}: ${reason}`;
  return new FabricNetworkError('PROCESS_ENDED', text);
}

function endingOf({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `was ended by ${signalCode}`;
  return exitCode === null ? undefined : `ended with code ${exitCode}`;
}

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
