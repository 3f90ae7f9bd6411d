import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { CutReason } from './event-stream.js';

/** What is told of those who follow the events. */
@Injectable()
export class EventMetrics {
  readonly #registry: Registry;
  readonly #sent: Counter;
  readonly #cut: Counter<'reason'>;

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#sent = new Counter({
      name: 'ledger_events_sent_total',
      help: 'Events that were handed to streams, one for each stream that gets it.',
      registers,
    });
    this.#cut = new Counter({
      name: 'ledger_event_streams_cut_total',
      help: 'Streams of events that were cut, by why.',
      labelNames: ['reason'],
      registers,
    });
    const reasons: readonly CutReason[] = ['slow', 'stalled', 'revoked', 'failed'];
    for (const reason of reasons) this.#cut.inc({ reason }, 0);
  }

  /** @param open - how many streams are open */
  watch(open: () => number): void {
    new Gauge({
      name: 'ledger_event_streams',
      help: 'Streams of events that are open.',
      registers: [this.#registry],
      collect() {
        this.set(open());
      },
    });
  }

  sent(count: number): void {
    this.#sent.inc(count);
  }

  cut(reason: CutReason): void {
    this.#cut.inc({ reason });
  }
}
