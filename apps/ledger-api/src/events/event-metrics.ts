import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';
import type { CutReason } from './event-stream.js';

/** The metrics of event streams. */
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
      help: 'Events sent, counted once per stream.',
      registers,
    });
    this.#cut = new Counter({
      name: 'ledger_event_streams_cut_total',
      help: 'Event streams that were cut, by reason.',
      labelNames: ['reason'],
      registers,
    });
    const reasons: readonly CutReason[] = ['slow', 'stalled', 'revoked', 'failed'];
    for (const reason of reasons) this.#cut.inc({ reason }, 0);
  }

  /** @param open - returns the number of open streams */
  watch(open: () => number): void {
    new Gauge({
      name: 'ledger_event_streams',
      help: 'Open event streams.',
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
