import { setTimeout as delay } from 'node:timers/promises';

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
