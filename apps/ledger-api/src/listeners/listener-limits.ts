/** Limits of both listeners, in milliseconds. */
export interface ListenerLimits {
  /** A request, head and body, has to arrive within this. */
  readonly request: number;
  /** An idle connection is kept for this long. */
  readonly idle: number;
  /** A connection on which no byte moves is ended after this; longer than a commit may take. */
  readonly stall: number;
  /** A TLS handshake has to be done within this. */
  readonly handshake: number;
  /** How often slow connections are looked for. */
  readonly check: number;
  /** What is in flight may finish within this after a stop was asked for. */
  readonly drain: number;
}

export const LISTENER_LIMITS: ListenerLimits = Object.freeze({
  request: 30_000,
  idle: 65_000,
  stall: 150_000,
  handshake: 10_000,
  check: 1_000,
  drain: 10_000,
});
