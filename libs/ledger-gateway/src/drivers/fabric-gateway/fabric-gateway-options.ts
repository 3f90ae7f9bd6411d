import type { FabricLedgerOptions } from '../../fabric-client/fabric-ledger.js';
import type { StageLimits } from '../../fabric-client/stage-limits.js';
import type { PeerAddress } from './peer-connection.js';

/** PEM files for TLS towards the peers; client certificate and key together, for peers that ask for them (mutual TLS). */
export interface PeerTlsFiles {
  readonly rootCertificates: string;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** What createFabricGatewayLedger needs. */
export interface FabricGatewayOptions extends FabricLedgerOptions {
  readonly mspId: string;
  /** Tried in this order while none is known to answer. */
  readonly peers: readonly PeerAddress[];
  /** Without it connections are in clear text. */
  readonly tls?: PeerTlsFiles | undefined;
  /** PEM files, or directories of an MSP (`signcerts`, `keystore`); read again when they change. */
  readonly identity: { readonly certificate: string; readonly privateKey: string };
  readonly limits: StageLimits;
}
