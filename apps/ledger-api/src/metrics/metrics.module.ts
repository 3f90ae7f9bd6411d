import { Module, type DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { LedgerMetrics } from './ledger-metrics.js';
import { MetricsController } from './metrics.controller.js';
import { METRICS_REGISTRY } from './registry.token.js';

@Module({})
export class MetricsModule {
  static forRoot(registry: Registry): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      controllers: [MetricsController],
      providers: [
        { provide: METRICS_REGISTRY, useValue: registry },
        { provide: LedgerMetrics, useFactory: () => new LedgerMetrics(registry) },
      ],
      exports: [LedgerMetrics],
    };
  }
}
