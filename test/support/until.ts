import { setTimeout as delay } from 'node:timers/promises';

/** What comes within this many turns of the event loop is seen in its turn; what takes longer is asked for every few ms. */
const TURNS = 100;
const LOOK_EVERY_MS = 5;

/**
 * Polls for a change that is announced by no event.
 * @param limitMs - far beyond what it can take on a busy machine: it only ends a wait for what never comes
 * @throws when it has not come by then, naming the condition
 */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 120_000): Promise<void> {
  const end = performance.now() + limitMs;
  for (let looks = 0; !(await condition()); looks++) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain until ${String(condition)}`);
    await (looks < TURNS ? new Promise(setImmediate) : delay(LOOK_EVERY_MS));
  }
}
