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
