import { Module, type DynamicModule } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { AssetsModule } from './assets/assets.module.js';
import { BlockchainModule } from './blockchain/blockchain.module.js';
import { ConfigModule } from './config/config.module.js';
import type { LedgerApiConfig } from './config/ledger-api.config.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { HealthModule } from './health/health.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { TransactionsModule } from './transactions/transactions.module.js';

@Module({ imports: [AssetsModule, BlockchainModule, LedgerModule, TransactionsModule, HealthModule] })
export class AppModule {
  static forRoot(config: LedgerApiConfig, registry: Registry, logger: Logger): DynamicModule {
    return {
      module: AppModule,
      imports: [ConfigModule.forRoot(config), MetricsModule.forRoot(registry), GatewayModule.forRoot(logger)],
    };
  }
}
