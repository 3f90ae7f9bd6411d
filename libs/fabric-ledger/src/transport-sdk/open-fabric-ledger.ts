import { type Ledger, misconfigured } from '#ledger-gateway';
import { handshakeProblem } from '#tls-handshake';
import type { FabricLedgerOptions } from '../driver/fabric-options.js';
import { FabricLedger } from '../driver/fabric-ledger.js';
import { readText } from '../driver/rotating-files.js';
import { requireMsp, Signers, walletIdentity, type CallerOptions, type CheckIdentity } from '../driver/signers.js';
import { type ConnectionProfile, peersOf, readConnectionProfile, requireTlsRoots } from './connection-profile.js';
import { NetworkSessions } from './network-sessions.js';
import { NetworkTransport } from './network-transport.js';

/** Options of createFabricLedger. */
export interface FabricOptions extends FabricLedgerOptions, CallerOptions {
  /** File with the connection profile, JSON or YAML. */
  readonly connectionProfile: string;
  /** Directory of a file-system wallet as of fabric-network; the identity is reloaded when its file changes. */
  readonly walletDir: string;
  /** Name of the identity in the wallet. */
  readonly identity: string;
  /** The organization that the identity must belong to; without it any organization is accepted. */
  readonly requiredMspId?: string | undefined;
  /** Whether discovered peers are reached at localhost: for networks in containers on this machine. */
  readonly discoveryAsLocalhost: boolean;
  /** PEM files for servers that require a client certificate (mutual TLS). */
  readonly tlsClient?: { readonly certificate: string; readonly privateKey: string } | undefined;
}

/** See createFabricLedger. */
export async function openFabricLedger(options: FabricOptions): Promise<Ledger> {
  const { discoveryAsLocalhost, limits, logger } = options;
  const { profile, signers, tlsClient } = await readFiles(options);
  const sessions = new NetworkSessions({ profile, signers, discoveryAsLocalhost, tlsClient, limits });
  const peers = peersOf(profile);
  const { description } = await signers.identityOf(undefined);
  logger?.info({ peers, identity: description }, 'ledger opened');
  return new FabricLedger({ transport: new NetworkTransport(sessions, peers, limits), signers }, options);
}

/** See checkFabricLedger. */
export async function checkFabricLedger(options: FabricOptions): Promise<void> {
  await readFiles({ ...options, certificatesDir: undefined });
}

async function readFiles(options: FabricOptions): Promise<{
  readonly profile: ConnectionProfile;
  readonly signers: Signers;
  readonly tlsClient: { readonly certificate: string; readonly key: string } | undefined;
}> {
  const { walletDir, requiredMspId } = options;
  const profile = await readConnectionProfile(options.connectionProfile);
  await requireTlsRoots(profile);
  const checkService: CheckIdentity = (identity, file) => {
    requireMsp(identity, file, requiredMspId ?? identity.mspId);
    requireEcdsa(identity, file);
  };
  const signers = await Signers.open({
    ...options,
    service: walletIdentity(walletDir, options.identity, checkService),
    serviceName: options.identity,
    check: requireEcdsa,
  });
  const tlsClient = options.tlsClient && {
    certificate: await readText(options.tlsClient.certificate),
    key: await readText(options.tlsClient.privateKey),
  };
  if (tlsClient !== undefined) await requireTlsPair(tlsClient);
  return { profile, signers, tlsClient };
}

/** @throws `LEDGER.MISCONFIGURED` when OpenSSL cannot use a client certificate with its key */
async function requireTlsPair(pem: { readonly certificate: string; readonly key: string }): Promise<void> {
  const problem = await handshakeProblem({ ...pem, role: 'client' });
  if (problem !== undefined) throw misconfigured(`The TLS client certificate or its key cannot be used: ${problem}.`);
}

const requireEcdsa: CheckIdentity = ({ keyKind }, file) => {
  if (keyKind !== 'Ed25519') return;
  const text = `fabric-network does not support Ed25519 keys, as in ${file}`;
  throw misconfigured(`${text}: use LEDGER_DRIVER=fabric-gateway, or ECDSA.`);
};
