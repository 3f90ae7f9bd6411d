import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { LedgerApiConfig } from '#ledger-config';
import { AssetsModule } from './assets/assets.controller.js';
import { ChainModule } from './chain/chain.controller.js';
import { ChannelsModule } from './channels/channels.controller.js';
import { AccessModule } from './access/access.module.js';
import { configModule } from './config/config.module.js';
import { EventsModule } from './events/events.controller.js';
import { ExplorerModule } from './explorer-files/explorer.controller.js';
import { ContractsModule } from './contracts/contracts.controller.js';
import { GatewayModule } from './gateway/gateway.module.js';
import { HealthModule } from './health/health.controller.js';
import { ErrorsFilter } from './http/error-answers.js';
import { IdentitiesModule } from './identities/identities.controller.js';
import { LedgerModule } from './ledger/ledger.controller.js';
import { LoggingModule } from './logging/logging.module.js';
import { createProgramLog, type ProgramLog } from '#logging';
import { MetricsModule } from './metrics/metrics.module.js';
import { OpenApiModule } from './openapi/contract-document.controller.js';
import { ReceiptsModule } from './receipts/receipts.controller.js';
import { RecordsModule } from './records/records.module.js';
import { SearchModule } from './search/search.controller.js';
import { TreeModule } from './tree/tree.controller.js';
import { TracingModule } from './tracing/tracing.module.js';

/** The root module of ledger-api. */
@Module({
  imports: [
    MetricsModule,
    TracingModule,
    AccessModule,
    GatewayModule,
    AssetsModule,
    RecordsModule,
    ContractsModule,
    OpenApiModule,
    ChainModule,
    ChannelsModule,
    IdentitiesModule,
    LedgerModule,
    SearchModule,
    EventsModule,
    TreeModule,
    ReceiptsModule,
    HealthModule,
    ExplorerModule,
  ],
  providers: [ErrorsFilter, { provide: APP_FILTER, useExisting: ErrorsFilter }],
})
export class AppModule {
  /** Returns the application's module with its configuration. */
  static async register(config: LedgerApiConfig, log?: ProgramLog): Promise<DynamicModule> {
    const { level } = config.log;
    const logging = LoggingModule.register(log ?? (await createProgramLog('ledger-api', level)));
    return { module: AppModule, imports: [await configModule(config), logging] };
  }
}
