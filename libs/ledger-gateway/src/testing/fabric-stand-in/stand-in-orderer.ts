import type { StandInChain } from './stand-in-chain.js';

const MOST_IN_A_BLOCK = 10;
/** How long a block waits for more transactions, as an orderer's BatchTimeout; conflicts need two in one block. */
const BATCH_MS = 5;

/** An ordering service: it gathers envelopes into blocks. */
export class StandInOrderer {
  readonly #chain: StandInChain;
  #pending: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(chain: StandInChain) {
    this.#chain = chain;
  }

  order(envelope: Uint8Array): void {
    this.#pending.push(envelope);
    if (this.#pending.length >= MOST_IN_A_BLOCK) this.#cut();
    else
      this.#timer ??= setTimeout(() => {
        this.#cut();
      }, BATCH_MS);
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const envelopes = this.#pending;
    this.#pending = [];
    this.#chain.append(envelopes);
  }
}
