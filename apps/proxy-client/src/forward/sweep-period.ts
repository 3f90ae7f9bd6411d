/** A limit is looked at this many times before it ends, so that it is kept to about a quarter. */
const LOOKS = 4;
const MIN_PERIOD = 20;
const MAX_PERIOD = 1000;

/** How often one timer has to look so that these limits (milliseconds; 0 is none) are kept. */
export function sweepPeriod(limits: readonly number[]): number {
  const shortest = Math.min(...limits.map((limit) => limit || Infinity));
  return Math.max(MIN_PERIOD, Math.min(MAX_PERIOD, shortest / LOOKS));
}
