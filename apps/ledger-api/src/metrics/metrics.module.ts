import { Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { createMetricsRegistry } from '#metrics';
import { LedgerMetrics } from './ledger-metrics.js';
import { MetricsController } from './metrics.controller.js';
import { RequestMetrics } from './request-metrics.js';

@Global()
@Module({
  controllers: [MetricsController],
  providers: [
    {
      provide: Registry,
      inject: [PROGRAM_LOG],
      useFactory: ({ destination }: ProgramLog): Promise<Registry> => createMetricsRegistry(destination),
    },
    LedgerMetrics,
    RequestMetrics,
  ],
  exports: [Registry, LedgerMetrics, RequestMetrics],
})
export class MetricsModule {}
