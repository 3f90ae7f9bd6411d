/** Milliseconds for each stage of a call. */
export interface StageLimits {
  readonly evaluate: number;
  readonly endorse: number;
  /** Handing a transaction to the orderers. */
  readonly submit: number;
  /** From there until it stands in a block. */
  readonly commit: number;
}
