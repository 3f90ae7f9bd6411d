import { createSubscriber } from 'svelte/reactivity';

const EVERY_MS = 1000;

/** Ticks while something shows it. */
const follow = createSubscriber((update) => {
  const timer = setInterval(update, EVERY_MS);
  return () => {
    clearInterval(timer);
  };
});

/** The time, which whatever is shown from it follows second by second. */
export function now(): number {
  follow();
  return Date.now();
}
