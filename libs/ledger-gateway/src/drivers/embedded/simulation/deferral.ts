/**
 * Thrown by the state into the contract when a transaction asks for what the block it would join has not settled yet.
 * It is then simulated again for a later block.
 */
export class Deferral extends Error {
  /** Whether every earlier block must be in the store first; otherwise the next block will do. */
  readonly untilSettled: boolean;

  constructor(untilSettled: boolean) {
    super('the transaction waits for a later block');
    this.name = 'Deferral';
    this.untilSettled = untilSettled;
  }
}
