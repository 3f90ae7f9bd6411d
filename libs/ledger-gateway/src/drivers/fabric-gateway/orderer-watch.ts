/** For how long a transaction that an orderer took shows that there is one. */
const HOLDS_MS = 30_000;

/**
 * What is known of the orderers, which only the peer can reach. Asking costs them a line in their logs, so they are not
 * asked while transactions are taken, and not more often than twice a minute while nothing is written; after a
 * transaction that none took they are asked each time until one answers.
 */
export class OrdererWatch {
  #isKnownUntil = 0;

  /** An orderer took something, or answered. */
  answered(): void {
    this.#isKnownUntil = Date.now() + HOLDS_MS;
  }

  /** A transaction was not taken, or it is not known whether it was. */
  failed(): void {
    this.#isKnownUntil = 0;
  }

  /** Asks when nothing recent is known. */
  async require(ask: () => Promise<unknown>): Promise<void> {
    if (Date.now() < this.#isKnownUntil) return;
    await ask();
    this.answered();
  }
}
