import { Module, type DynamicModule } from '@nestjs/common';
import { LEDGER_API_CONFIG, type LedgerApiConfig } from './ledger-api.config.js';

@Module({})
export class ConfigModule {
  static forRoot(config: LedgerApiConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: LEDGER_API_CONFIG, useValue: config }],
      exports: [LEDGER_API_CONFIG],
    };
  }
}
