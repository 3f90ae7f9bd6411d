import { isAlive, isGroupAlive, type ProcessIdentity } from './process-identity.js';
import { waitUntil } from './wait-until.js';

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
