/** Milliseconds for each stage of a call. */
export interface StageLimits {
  readonly evaluate: number;
  readonly endorse: number;
  /** Handing a transaction to the orderers. */
  readonly submit: number;
  /** From there until it stands in a block. */
  readonly commit: number;
}

/** Milliseconds between the looks that a ledger takes of its own accord. */
export interface Pace {
  /** For how long the answer to whether calls work holds, and how often it is asked for while they do not. */
  readonly state: number;
  /** Files of identities and certificates are looked at again when they are asked for after this time. */
  readonly files: number;
  /** Longest wait for a connection, and before the next try to make one. */
  readonly connect: number;
  /** What failed in a younger connection to the network fails in the next one too, so that it is not replaced. */
  readonly replace: number;
}

/** The pace in production. */
export const PACE: Pace = { state: 1000, files: 1000, connect: 1500, replace: 2000 };
