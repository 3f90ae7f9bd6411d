const SECOND = 1000;

/**
 * Prints a duration as Go's `time.Duration` does, in whole seconds: `0s`, `59s`, `1m0s`, `2h30m15s`.
 * A unit that is not the largest is printed even when it is zero; days are never split off (`49h0m0s`).
 *
 * @param milliseconds - what to print; a part of a second is cut off, a negative value counts as none
 */
export function durationText(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / SECOND));
  const seconds = total % 60;
  const minutes = Math.floor(total / 60) % 60;
  const hours = Math.floor(total / 3600);
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

/**
 * The share of requests that succeeded, as a percentage with two decimals; 100 before the first request has ended.
 *
 * @param succeeded - requests that succeeded
 * @param failed - requests that failed
 */
export function successRate(succeeded: number, failed: number): number {
  const ended = succeeded + failed;
  return ended === 0 ? 100 : Math.round((succeeded / ended) * 10_000) / 100;
}
