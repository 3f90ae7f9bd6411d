import { join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import {
  createEmbeddedLedger,
  createFabricGatewayLedger,
  createFabricLedger,
  type CommitObservation,
  type FabricGatewayOptions,
  type Ledger,
  type LedgerLogger,
} from '#ledger-gateway';
import type { ProgramLog } from '#logging';
import {
  callersConfig,
  ledgerConfig,
  type CallersConfig,
  type FabricGatewayConfig,
  type LedgerConfig,
} from '../config/config.js';
import { PROGRAM_LOG } from '../logging/logging.module.js';
import { LedgerMetrics } from '../metrics/ledger-metrics.js';
import { LedgerGateway } from './ledger.gateway.js';

/** Opens the configured ledger. */
@Global()
@Module({
  providers: [
    {
      provide: LedgerGateway,
      inject: [ledgerConfig.KEY, callersConfig.KEY, LedgerMetrics, PROGRAM_LOG],
      useFactory: async (
        config: LedgerConfig,
        { sign }: CallersConfig,
        metrics: LedgerMetrics,
        { logger }: ProgramLog,
      ): Promise<LedgerGateway> => {
        const ledger = await openLedger({ config, onCommit: metrics.observe, logger });
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
  readonly onCommit: (commit: CommitObservation) => void;
  readonly logger: LedgerLogger;
}

/**
 * Opens the ledger behind the configured driver.
 * @throws a LedgerError that says why it cannot be opened
 */
async function openLedger({ config, onCommit, logger }: OpenLedgerOptions): Promise<Ledger> {
  const { dataDir, channel, chaincode, mspId } = config;
  const common = { channel, chaincode, mspId, onCommit, logger };
  // Wallets and PEM files hold the present certificates only.
  const certificatesDir = join(dataDir, 'certificates');
  switch (config.driver) {
    case 'embedded':
      return await createEmbeddedLedger({ ...common, dataDir });
    case 'fabric':
      return await createFabricLedger({ ...common, ...config, certificatesDir });
    case 'fabric-gateway':
      return await createFabricGatewayLedger({ ...common, ...config, ...gatewayFiles(config), certificatesDir });
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
