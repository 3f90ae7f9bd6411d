import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProxyStats } from '#metrics';
import { METRICS_SOURCE, MetricsController, type MetricsSource } from './admin/metrics.controller.js';
import { NothingHereFilter } from './admin/nothing-here.filter.js';
import { MonitoringController } from './monitoring/monitoring.controller.js';

/** The pages of the proxy: what it shows of itself. What it forwards never comes here. */
@Module({})
export class AppModule {
  /** @param metrics - what /metrics serves; without it there is no such page */
  static forRoot(stats: ProxyStats, metrics?: MetricsSource): DynamicModule {
    const monitoring = { provide: ProxyStats, useValue: stats };
    return metrics === undefined
      ? { module: AppModule, controllers: [MonitoringController], providers: [monitoring] }
      : {
          module: AppModule,
          controllers: [MonitoringController, MetricsController],
          providers: [
            monitoring,
            { provide: METRICS_SOURCE, useValue: metrics },
            { provide: APP_FILTER, useClass: NothingHereFilter },
          ],
        };
  }
}
