import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { LedgerConfig } from '#ledger-config';
import type { LedgerChannel } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { ledgerConfig } from '../config/config.module.js';
import { EventLog } from './event-log.js';
import { EventStreams, StreamMetrics } from './event-streams.js';

/** The events of one channel. */
export interface EventsOfChannel {
  readonly log: EventLog;
  readonly streams: EventStreams;
}

/** The events of every channel. Those of a channel are read and cached from its first stream on. */
@Injectable()
export class ChannelEvents implements OnModuleDestroy {
  readonly #byChannel = new Map<LedgerChannel, EventsOfChannel>();
  #isShutDown = false;

  constructor(
    @Inject(ledgerConfig.KEY) private readonly config: LedgerConfig,
    private readonly metrics: StreamMetrics,
    @Inject(PROGRAM_LOG) private readonly programLog: ProgramLog,
  ) {}

  of(channel: LedgerChannel): EventsOfChannel {
    const known = this.#byChannel.get(channel);
    if (known !== undefined) return known;
    const log = new EventLog(channel, this.config);
    const events = { log, streams: new EventStreams(log, this.metrics, this.programLog) };
    if (this.#isShutDown) events.streams.shutDown();
    this.#byChannel.set(channel, events);
    return events;
  }

  /** Closes all streams before the listeners drain: they would delay that up to its limit. */
  onModuleDestroy(): void {
    this.#isShutDown = true;
    for (const { streams } of this.#byChannel.values()) streams.shutDown();
  }
}
