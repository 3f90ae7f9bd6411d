import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createChaincodeHost } from '#chaincode-host';
import { createEmbeddedLedger, createEphemeralLedger, type EmbeddedLedgerOptions } from '#embedded-ledger';
import { createFabricGatewayLedger, createFabricLedger, type FabricGatewayOptions } from '#fabric-ledger';
import { certificatesDirOf } from '#ledger-callers';
import type { CallersConfig, IndexConfig, LedgerConfig, TreeConfig } from '#ledger-config';
import type { Ledger } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { CallerRegistry } from '../access/caller-registry.js';
import { callersConfig, indexConfig, ledgerConfig, treeConfig } from '../config/config.module.js';
import { LedgerMetrics } from '../metrics/metrics.module.js';

/** Injection token of the configured {@link Ledger}. */
export const LEDGER = Symbol('LEDGER');

/** Opens the configured ledger, provides it under {@link LEDGER}, and closes it at shutdown. */
@Global()
@Module({
  providers: [
    {
      provide: LEDGER,
      inject: [
        ...[ledgerConfig.KEY, { token: indexConfig.KEY, optional: true }, callersConfig.KEY, treeConfig.KEY],
        ...[CallerRegistry, LedgerMetrics, PROGRAM_LOG],
      ],
      useFactory: openLedger,
    },
  ],
  exports: [LEDGER],
})
export class GatewayModule implements OnApplicationShutdown {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  /** Closes the ledger in the last phase of the shutdown, after the listeners have drained. */
  async onApplicationShutdown(): Promise<void> {
    await this.ledger.close();
  }
}

/** @throws a LedgerError when the ledger cannot be opened */
async function openLedger(
  config: LedgerConfig,
  index: IndexConfig | undefined,
  { sign, file }: CallersConfig,
  tree: TreeConfig,
  registry: CallerRegistry,
  metrics: LedgerMetrics,
  { logger }: ProgramLog,
): Promise<Ledger> {
  const ledger = await openWith(config, {
    logger,
    onCommit: metrics.observe,
    signAs: sign ? 'caller' : 'service',
    // Next to the callers file, so that replicas that share it share the records.
    certificatesDir: certificatesDirOf(file),
    hasTree: tree.isOn,
    openIndex: index && (await openerOf(index, logger)),
    isCaller: (name) => registry.has(name),
    attributesOf: (name) => registry.attributesOf(name),
  });
  metrics.watch(ledger);
  return ledger;
}

/** The options of all drivers that are not in the configuration. */
type Options = Omit<EmbeddedLedgerOptions, keyof LedgerConfig> & Pick<FabricGatewayOptions, 'isCaller' | 'openIndex'>;

async function openWith(config: LedgerConfig, options: Options): Promise<Ledger> {
  switch (config.driver) {
    case 'embedded': {
      const { chaincodes, isEphemeral, ...ledger } = config;
      const host = chaincodes && (await createChaincodeHost({ ...config, ...options, chaincodes }));
      const create = isEphemeral ? createEphemeralLedger : createEmbeddedLedger;
      return await create({ ...ledger, ...options, chaincodes: host });
    }
    case 'fabric':
      return await createFabricLedger({ ...config, ...options });
    case 'fabric-gateway':
      return await createFabricGatewayLedger({ ...config, ...options });
    default:
      return config satisfies never;
  }
}

/** Returns what opens the index of a channel. */
async function openerOf(
  { directory }: IndexConfig,
  logger: ProgramLog['logger'],
): Promise<FabricGatewayOptions['openIndex']> {
  // Loaded only if it is needed, for a faster start.
  const { indexOpener } = await import('#chain-index');
  return indexOpener({ directory, logger });
}
