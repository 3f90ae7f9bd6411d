import { credentials, type ChannelCredentials } from '@grpc/grpc-js';
import { type Ledger, type LedgerLogger, misconfigured } from '#ledger-gateway';
import type { FabricLedgerOptions } from '../driver/fabric-options.js';
import { FabricLedger } from '../driver/fabric-ledger.js';
import { RotatingFiles } from '../driver/rotating-files.js';
import { Signers, type CallerOptions } from '../driver/signers.js';
import { signingIdentity } from '../driver/signing-identity.js';
import { GatewayTransport } from './gateway-transport.js';
import { PeerPool, type PeerAddress } from './peer-pool.js';

/** PEM files for TLS to the peers; client certificate and key together, for peers that require them (mutual TLS). */
export interface PeerTlsFiles {
  readonly rootCertificates: string;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
}

/** Options of createFabricGatewayLedger. */
export interface FabricGatewayOptions extends FabricLedgerOptions, CallerOptions {
  readonly mspId: string;
  /** Tried in this order until one responds. */
  readonly peers: readonly PeerAddress[];
  /** Without it connections are not encrypted. */
  readonly tls?: PeerTlsFiles | undefined;
  /** PEM files, or directories of an MSP (`signcerts`, `keystore`); reloaded when they change. */
  readonly identity: { readonly certificate: string; readonly privateKey: string };
}

/** See createFabricGatewayLedger. */
export async function openFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  const { peers, limits, logger } = options;
  const { signers, tls } = await readFiles(options);
  const pool = new PeerPool({ addresses: peers, signers, tls });
  const { description } = await signers.identityOf(undefined);
  logger?.info({ peers: peers.map(({ endpoint }) => endpoint), identity: description }, 'ledger opened');
  return new FabricLedger({ transport: new GatewayTransport(pool, limits), signers }, options);
}

/** See checkFabricGatewayLedger. */
export async function checkFabricGatewayLedger(options: FabricGatewayOptions): Promise<void> {
  await readFiles({ ...options, certificatesDir: undefined });
}

async function readFiles(options: FabricGatewayOptions): Promise<{
  readonly signers: Signers;
  readonly tls: RotatingFiles<ChannelCredentials> | undefined;
}> {
  const { mspId, tls, logger } = options;
  const { certificate, privateKey } = options.identity;
  const signers = await Signers.open({
    ...options,
    service: {
      paths: [certificate, privateKey],
      parse: ([certificates = [], privateKeys = []]) =>
        signingIdentity({ mspId, certificates, privateKeys, origin: `${certificate} and ${privateKey}` }),
    },
  });
  return { signers, tls: tls && (await tlsFiles(tls, logger)) };
}

function tlsFiles(
  { rootCertificates, clientCertificate, clientKey }: PeerTlsFiles,
  logger: LedgerLogger | undefined,
): Promise<RotatingFiles<ChannelCredentials>> {
  const client = clientCertificate !== undefined && clientKey !== undefined ? [clientCertificate, clientKey] : [];
  return RotatingFiles.open({
    paths: [rootCertificates, ...client],
    parse: ([roots = [], certificates = [], keys = []]) => tlsCredentials(roots.join('\n'), certificates[0], keys[0]),
    what: 'TLS material',
    logger,
  });
}

function tlsCredentials(roots: string, certificate?: string, key?: string): ChannelCredentials {
  try {
    const pair = [key, certificate].map((pem) => (pem === undefined ? null : Buffer.from(pem)));
    return credentials.createSsl(Buffer.from(roots), ...pair);
  } catch (cause) {
    throw misconfigured(`The TLS certificates or the TLS key cannot be used: ${(cause as Error).message}.`, cause);
  }
}
