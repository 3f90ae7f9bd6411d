import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ChainInfo, CommitObservation } from '#ledger-gateway';

/** The parts of a ledger that are read at each scrape. */
export interface WatchedLedger {
  chainInfo(): Promise<ChainInfo>;
  queueLength(): number;
}

/** The metrics of the ledger: height and queue, read at each scrape, and commits as they happen. */
@Injectable()
export class LedgerMetrics {
  readonly #registry: Registry;
  readonly #commitSeconds: Histogram;
  readonly #transactions: Counter;
  readonly #blocks: Counter;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#commitSeconds = new Histogram({
      name: 'ledger_commit_duration_seconds',
      help: 'Time from the oldest submit of a block to its acknowledgement.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    this.#transactions = new Counter({
      name: 'ledger_transactions_total',
      help: 'Transactions committed since the start.',
      registers,
    });
    this.#blocks = new Counter({ name: 'ledger_blocks_total', help: 'Blocks committed since the start.', registers });
  }

  /** Records a commit; passed to the driver. */
  readonly observe = ({ transactions, seconds }: CommitObservation): void => {
    this.#commitSeconds.observe(seconds);
    this.#transactions.inc(transactions);
    this.#blocks.inc();
  };

  /** Reads height and queue length from a ledger at each scrape; an unreachable ledger leaves the height out. */
  watch(ledger: WatchedLedger): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'ledger_height',
      help: 'Number of blocks of the channel.',
      registers,
      async collect() {
        try {
          this.set((await ledger.chainInfo()).height);
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
        this.set(ledger.queueLength());
      },
    });
  }
}
