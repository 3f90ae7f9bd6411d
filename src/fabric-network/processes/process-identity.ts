import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const LINUX_SELF = '/proc/self/stat';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system tells it: comparable on this machine only. */
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
 * Reads what Linux tells of a process (proc(5)): its state is field 3, its start in clock ticks since boot field 22.
 * Field 2, the command in brackets, may hold anything, brackets too.
 * @param bootId tells boots apart, since ticks begin anew
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
