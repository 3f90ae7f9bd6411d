import type { UpstreamStatus } from './api.ts';

/** How many times the latency of the others an upstream must have to be slow. */
const SLOW_FACTOR = 3;
/** Shorter latencies are never slow: that of a server on the same machine varies by more than the factor. */
const MIN_SLOW_MS = 30;
/** The share of connections that could not be opened from which it is marked, and the number of them. */
const FAILED_SHARE = 0.2;
const MIN_FAILED = 10;

/** Returns whether the latency of an upstream is more than three times the median of the others. */
export function isSlow(upstream: UpstreamStatus, all: readonly UpstreamStatus[]): boolean {
  const { latency_ms: own } = upstream;
  const others = all.filter(({ name }) => name !== upstream.name).flatMap(({ latency_ms: ms }) => ms ?? []);
  const median = others.toSorted((one, other) => one - other)[Math.floor(others.length / 2)];
  return own !== null && median !== undefined && own >= MIN_SLOW_MS && own > SLOW_FACTOR * median;
}

/** Returns the share of connections through an upstream that could not be opened; undefined if it is not abnormal. */
export function failedShare(upstream: UpstreamStatus): number | undefined {
  const { connections_opened: opened, connections_failed: failed } = upstream;
  const share = failed / (opened + failed);
  return failed >= MIN_FAILED && share >= FAILED_SHARE ? share : undefined;
}
