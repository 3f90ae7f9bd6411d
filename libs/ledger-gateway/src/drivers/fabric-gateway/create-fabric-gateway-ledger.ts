import type { CallerOptions } from '../../fabric-client/signers.js';
import type { PeerAddress } from './peer-connection.js';
import type { FabricLedgerOptions } from '../../fabric-client/fabric-ledger.js';
import type { StageLimits } from '../../fabric-client/fabric-transport.js';
import type { Ledger } from '../../ports/ledger.port.js';

/** PEM files for TLS towards the peers; client certificate and key together, for peers that ask for them (mutual TLS). */
export interface PeerTlsFiles {
  readonly rootCertificates: string;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** What createFabricGatewayLedger needs. */
export interface FabricGatewayOptions extends FabricLedgerOptions, CallerOptions {
  readonly mspId: string;
  /** Tried in this order while none is known to answer. */
  readonly peers: readonly PeerAddress[];
  /** Without it connections are in clear text. */
  readonly tls?: PeerTlsFiles | undefined;
  /** PEM files, or directories of an MSP (`signcerts`, `keystore`); read again when they change. */
  readonly identity: { readonly certificate: string; readonly privateKey: string };
  readonly limits: StageLimits;
}

/**
 * Opens a ledger on a Fabric network through the gateway service of its peers (Fabric 2.4 and later). No connection is
 * made before the first call.
 * @throws {@link MisconfiguredError} when a file cannot be read, or certificate and key are no pair
 */
export async function createFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  // The driver's packages load only when it is chosen.
  const { openFabricGatewayLedger } = await import('./open-fabric-gateway-ledger.js');
  return openFabricGatewayLedger(options);
}
