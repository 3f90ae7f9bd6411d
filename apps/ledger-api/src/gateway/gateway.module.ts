import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import {
  createEmbeddedLedger,
  createFabricGatewayLedger,
  createFabricLedger,
  type EmbeddedLedgerOptions,
  type FabricGatewayOptions,
  type Ledger,
} from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { CallerRegistry } from '../access/caller-registry.js';
import { certificatesDirOf } from '../access/callers-file.js';
import { callersConfig, ledgerConfig } from '../config/config.module.js';
import type { CallersConfig, LedgerConfig } from '../config/config.js';
import { LedgerMetrics } from '../metrics/metrics.module.js';

/** Injection token of the configured {@link Ledger}. */
export const LEDGER = Symbol('LEDGER');

/** Opens the configured ledger, provides it under {@link LEDGER}, and closes it at shutdown. */
@Global()
@Module({
  providers: [
    {
      provide: LEDGER,
      inject: [ledgerConfig.KEY, callersConfig.KEY, CallerRegistry, LedgerMetrics, PROGRAM_LOG],
      useFactory: openLedger,
    },
  ],
  exports: [LEDGER],
})
export class GatewayModule implements OnApplicationShutdown {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Closes the ledger in the last phase of the shutdown, after the listeners have drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.#ledger.close();
  }
}

/** @throws a LedgerError when the ledger cannot be opened */
async function openLedger(
  config: LedgerConfig,
  { sign, file }: CallersConfig,
  registry: CallerRegistry,
  metrics: LedgerMetrics,
  { logger }: ProgramLog,
): Promise<Ledger> {
  const { channel, chaincode, mspId, idempotencyDays } = config;
  const ledger = await openWith(config, {
    ...{ channel, chaincode, mspId, idempotencyDays, logger },
    onCommit: metrics.observe,
    signAs: sign ? 'caller' : 'service',
    // Next to the callers file, so that replicas that share it share the records.
    certificatesDir: certificatesDirOf(file),
    isCaller: (name) => registry.has(name),
  });
  metrics.watch(ledger);
  return ledger;
}

/** The options that all drivers have in common. */
type CommonOptions = Omit<EmbeddedLedgerOptions, 'dataDir'> & Pick<FabricGatewayOptions, 'isCaller'>;

async function openWith(config: LedgerConfig, common: CommonOptions): Promise<Ledger> {
  switch (config.driver) {
    case 'embedded':
      return await createEmbeddedLedger({ ...common, dataDir: config.dataDir });
    case 'fabric':
      return await createFabricLedger({ ...config, ...common });
    case 'fabric-gateway':
      return await createFabricGatewayLedger({ ...config, ...common });
    default:
      return config satisfies never;
  }
}
