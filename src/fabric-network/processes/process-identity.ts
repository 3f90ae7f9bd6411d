import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, as the system tells it: comparable on this machine only. */
  readonly started: string;
}

/** The identity of a running process; undefined when there is none of that number, or it only waits to be reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const started = existsSync('/proc/self/stat') ? startOnLinux(pid) : startByPs(pid);
  return started === undefined ? undefined : { pid, started };
}

/** Whether this very process still runs. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  return identify(pid)?.started === started;
}

/**
 * Reads what Linux tells of a process (proc(5)): its state is field 3, its start in clock ticks since boot field 22.
 * Field 2, the command in brackets, may hold anything, brackets too.
 * @param bootId tells boots apart, since ticks begin anew
 */
export function parseLinuxStat(stat: string, bootId: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const ticks = fields[19];
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  return `linux ${bootId.trim()} ${ticks}`;
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
