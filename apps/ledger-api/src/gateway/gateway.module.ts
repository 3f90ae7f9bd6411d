import { dirname, join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import {
  createEmbeddedLedger,
  createFabricGatewayLedger,
  createFabricLedger,
  type CommitObservation,
  type FabricGatewayOptions,
  type FabricOptions,
  type Ledger,
  type LedgerLogger,
} from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { CallerRegistry } from '../access/caller-registry.js';
import {
  callersConfig,
  ledgerConfig,
  type CallersConfig,
  type FabricGatewayConfig,
  type LedgerConfig,
} from '../config/config.js';
import { LedgerMetrics } from '../metrics/ledger-metrics.js';
import { LedgerGateway } from './ledger.gateway.js';

/** Opens the configured ledger. */
@Global()
@Module({
  providers: [
    {
      provide: LedgerGateway,
      inject: [ledgerConfig.KEY, callersConfig.KEY, CallerRegistry, LedgerMetrics, PROGRAM_LOG],
      useFactory: async (
        config: LedgerConfig,
        { sign, file }: CallersConfig,
        registry: CallerRegistry,
        metrics: LedgerMetrics,
        { logger }: ProgramLog,
      ): Promise<LedgerGateway> => {
        const callers = {
          isCaller: (name: string) => registry.has(name),
          // Beside the callers, so that replicas that share these know of each other's certificates too.
          certificatesDir: join(dirname(file), 'certificates'),
        };
        const ledger = await openLedger({ config, callers, onCommit: metrics.observe, logger });
        const gateway = new LedgerGateway(ledger, { sign, idempotencyDays: config.idempotencyDays });
        metrics.watch(gateway);
        return gateway;
      },
    },
  ],
  exports: [LedgerGateway],
})
export class GatewayModule {}

interface OpenLedgerOptions {
  readonly config: LedgerConfig;
  /** For Fabric: whose identities may be looked up, and where their certificates are noted. */
  readonly callers: Pick<FabricOptions, 'isCaller' | 'certificatesDir'>;
  readonly onCommit: (commit: CommitObservation) => void;
  readonly logger: LedgerLogger;
}

/**
 * Opens the ledger behind the configured driver.
 * @throws a LedgerError that says why it cannot be opened
 */
async function openLedger({ config, callers, onCommit, logger }: OpenLedgerOptions): Promise<Ledger> {
  const { dataDir, channel, chaincode, mspId } = config;
  const common = { channel, chaincode, mspId, onCommit, logger };
  switch (config.driver) {
    case 'embedded':
      return await createEmbeddedLedger({ ...common, dataDir });
    case 'fabric':
      return await createFabricLedger({ ...common, ...config, ...callers });
    case 'fabric-gateway':
      return await createFabricGatewayLedger({ ...common, ...config, ...callers, ...gatewayFiles(config) });
    default:
      return config satisfies never;
  }
}

/** The files of the identity and of TLS, as the driver takes them. */
function gatewayFiles({
  certificate,
  privateKey,
  tlsRootCertificates: rootCertificates,
  tlsClient,
}: FabricGatewayConfig): Pick<FabricGatewayOptions, 'identity' | 'tls'> {
  const identity = { certificate, privateKey };
  if (rootCertificates === undefined) return { identity };
  const { certificate: clientCertificate, privateKey: clientKey } = tlsClient ?? {};
  return { identity, tls: { rootCertificates, clientCertificate, clientKey } };
}
