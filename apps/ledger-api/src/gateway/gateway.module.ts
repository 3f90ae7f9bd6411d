import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Ledger, LedgerLogger } from '#ledger-gateway';
import { LEDGER_API_CONFIG, type LedgerApiConfig } from '../config/ledger-api.config.js';
import { LedgerMetrics } from '../metrics/ledger-metrics.js';
import { LEDGER } from './ledger.token.js';
import { openLedger } from './open-ledger.js';

/** Opens the configured ledger for the services, and closes it when no request is left. */
@Module({})
export class GatewayModule implements OnApplicationShutdown {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  static forRoot(logger: LedgerLogger): DynamicModule {
    const ledger = {
      provide: LEDGER,
      inject: [LEDGER_API_CONFIG, LedgerMetrics],
      useFactory: async ({ ledger: config }: LedgerApiConfig, metrics: LedgerMetrics): Promise<Ledger> => {
        const opened = await openLedger({ config, onCommit: metrics.observe, logger });
        metrics.watch(opened);
        return opened;
      },
    };
    return { module: GatewayModule, global: true, providers: [ledger], exports: [LEDGER] };
  }

  /** After the listeners have drained: the earlier hooks run while requests are still in flight. */
  async onApplicationShutdown(): Promise<void> {
    await this.#ledger.close();
  }
}
