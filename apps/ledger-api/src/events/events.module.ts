import { Module } from '@nestjs/common';
import { formerKeys, type Ledger } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { ledgerConfig } from '../config/config.module.js';
import type { LedgerConfig } from '../config/config.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { EventWriter } from './block-events.js';
import { EventLog } from './event-log.js';
import { EventMetrics } from './event-metrics.js';
import { EventStreams } from './event-streams.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';

/** The stream of committed changes. */
@Module({
  controllers: [EventsController],
  providers: [
    EventMetrics,
    {
      provide: EventLog,
      inject: [LEDGER, ledgerConfig.KEY],
      useFactory: (ledger: Ledger, { chaincode }: LedgerConfig): EventLog => {
        const read = (number: number): ReturnType<Ledger['blockByNumber']> => ledger.blockByNumber(number);
        const writer = new EventWriter(chaincode, (keys, block) => formerKeys(keys, block, { chaincode, read }));
        return new EventLog(ledger, writer);
      },
    },
    {
      provide: EventStreams,
      inject: [EventLog, EventMetrics, PROGRAM_LOG],
      useFactory: (log: EventLog, metrics: EventMetrics, { logger }: ProgramLog): EventStreams =>
        new EventStreams(log, metrics, logger),
    },
    {
      provide: EventsService,
      inject: [LEDGER, EventLog, EventStreams, ledgerConfig.KEY],
      useFactory: (ledger: Ledger, log: EventLog, streams: EventStreams, config: LedgerConfig): EventsService => {
        const blockTimeout = config.driver === 'embedded' ? 0 : config.limits.evaluate;
        return new EventsService({ ledger, log, streams, blockTimeout });
      },
    },
  ],
})
export class EventsModule {}
