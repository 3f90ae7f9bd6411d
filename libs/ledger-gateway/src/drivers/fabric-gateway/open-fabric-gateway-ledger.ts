import { FabricLedger, type FabricLedgerOptions } from '../../fabric-client/fabric-ledger.js';
import { PACE, type Pace } from '../../fabric-client/fabric-transport.js';
import { RotatingFiles, tellRotation, type FileTexts } from '../../fabric-client/rotating-files.js';
import { CertificateNotes, SERVICE } from '../../signers/certificate-notes.js';
import type { KeptIdentity } from '../../fabric-client/signers.js';
import { openSigners, type CallerOptions } from '../../fabric-client/signers.js';
import { signingIdentity } from '../../fabric-client/signing-identity.js';
import type { LedgerLogger } from '../../ports/ledger.port.js';
import type { Ledger } from '../../ports/ledger.port.js';
import { GatewayTransport } from './gateway-transport.js';
import type { PeerAddress, TlsMaterial } from './peer-connection.js';
import { PeerPool } from './peer-pool.js';

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
}

/** See {@link createFabricGatewayLedger}. */
export async function openFabricGatewayLedger(options: FabricGatewayOptions): Promise<Ledger> {
  const { peers, tls, limits, logger } = options;
  const pace = { ...PACE, ...options.pace };
  const certificates = new CertificateNotes(options.certificatesDir, logger);
  const service = await identityFiles(options, pace, certificates);
  const { description } = await service.current();
  const signers = openSigners({ ...options, service, certificates, lookAgainAfter: pace.files });
  const pool = new PeerPool({ addresses: peers, signers, tls: tls && (await tlsFiles(tls, pace, logger)), pace });
  logger?.info({ peers: peers.map(({ endpoint }) => endpoint), identity: description }, 'ledger opened');
  return new FabricLedger({ transport: new GatewayTransport(pool, limits), signers, certificates }, options);
}

function identityFiles(
  { mspId, identity, logger }: FabricGatewayOptions,
  pace: Pace,
  notes: CertificateNotes,
): Promise<RotatingFiles<KeptIdentity>> {
  const { certificate, privateKey } = identity;
  return RotatingFiles.open({
    ...notes.noting(SERVICE, {
      paths: [certificate, privateKey],
      parse: ([certificates = [], privateKeys = []]) =>
        signingIdentity({ mspId, certificates, privateKeys, origin: `${certificate} and ${privateKey}` }),
    }),
    onChange: tellRotation(logger, 'identity'),
    lookAgainAfter: pace.files,
  });
}

function tlsFiles(
  files: PeerTlsFiles,
  pace: Pace,
  logger: LedgerLogger | undefined,
): Promise<RotatingFiles<TlsMaterial>> {
  const { rootCertificates, clientCertificate, clientKey } = files;
  const client = clientCertificate !== undefined && clientKey !== undefined ? [clientCertificate, clientKey] : [];
  return RotatingFiles.open({
    paths: [rootCertificates, ...client],
    parse: ([roots = [], certificates, keys]) => tlsMaterial(roots, certificates, keys),
    onChange: tellRotation(logger, 'TLS material'),
    lookAgainAfter: pace.files,
  });
}

function tlsMaterial(roots: FileTexts, certificates: FileTexts = [], keys: FileTexts = []): TlsMaterial {
  const rootCertificates = Buffer.from(roots.join('\n'));
  const [certificate] = certificates;
  const [privateKey] = keys;
  if (certificate === undefined || privateKey === undefined) return { rootCertificates };
  return {
    rootCertificates,
    client: { certificate: Buffer.from(certificate), privateKey: Buffer.from(privateKey) },
  };
}
