import {
  createEmbeddedLedger,
  createFabricGatewayLedger,
  createFabricLedger,
  type CommitObservation,
  type FabricGatewayOptions,
  type Ledger,
  type LedgerLogger,
} from '#ledger-gateway';
import type { FabricGatewayConfig } from '../config/fabric.config.js';
import type { LedgerApiConfig } from '../config/ledger-api.config.js';

export interface OpenLedgerOptions {
  readonly config: LedgerApiConfig['ledger'];
  readonly onCommit: (commit: CommitObservation) => void;
  readonly logger: LedgerLogger;
}

/**
 * Opens the ledger behind the configured driver.
 * @throws a LedgerError that says why it cannot be opened
 */
export async function openLedger({ config, onCommit, logger }: OpenLedgerOptions): Promise<Ledger> {
  const { dataDir, channel, chaincode, mspId } = config;
  const common = { channel, chaincode, mspId, onCommit, logger };
  switch (config.driver) {
    case 'embedded':
      return await createEmbeddedLedger({ ...common, dataDir });
    case 'fabric':
      return await createFabricLedger({ ...common, ...config });
    case 'fabric-gateway':
      return await createFabricGatewayLedger({ ...common, ...config, ...gatewayFiles(config) });
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
