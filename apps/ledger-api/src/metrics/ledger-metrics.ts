import { Counter, Gauge, type Registry } from 'prom-client';
import type { CommitObservation, Ledger } from '#ledger-gateway';
import { DurationHistogram } from './duration-histogram.js';

/** What the ledger tells: height and queue when they are asked for, commits as they happen. */
export class LedgerMetrics {
  readonly #registry: Registry;
  readonly #commitSeconds: (seconds: number) => void;
  readonly #transactions: Counter;
  readonly #blocks: Counter;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#commitSeconds = new DurationHistogram(
      {
        name: 'ledger_commit_duration_seconds',
        help: 'Time from the oldest submit of a block to its acknowledgement.',
        bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      },
      registry,
    ).series({});
    this.#transactions = new Counter({
      name: 'ledger_transactions_total',
      help: 'Transactions committed since the start.',
      registers,
    });
    this.#blocks = new Counter({ name: 'ledger_blocks_total', help: 'Blocks committed since the start.', registers });
  }

  /** Takes a commit's figures; made to be handed to a driver. */
  readonly observe = ({ transactions, seconds }: CommitObservation): void => {
    this.#commitSeconds(seconds);
    this.#transactions.inc(transactions);
    this.#blocks.inc();
  };

  /** Reads height and queue length from a ledger at each scrape; an unreachable ledger leaves the height out. */
  watch(ledger: Ledger): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'ledger_height',
      help: 'Number of blocks of the channel.',
      registers,
      async collect() {
        try {
          this.set((await ledger.channel().chainInfo()).height);
        } catch {
          this.remove();
        }
      },
    });
    new Gauge({
      name: 'ledger_queue_length',
      help: 'Submitted transactions that wait for their commit.',
      registers,
      collect() {
        this.set(ledger.channel().queueLength());
      },
    });
  }
}
