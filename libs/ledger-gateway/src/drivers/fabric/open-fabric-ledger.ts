import { readFile } from 'node:fs/promises';
import { LedgerError } from '../../errors/ledger.errors.js';
import { CertificateNotes, SERVICE } from '../../signers/certificate-notes.js';
import { FabricLedger, type FabricLedgerOptions } from '../../fabric-client/fabric-ledger.js';
import { PACE } from '../../fabric-client/fabric-transport.js';
import { RotatingFiles, tellRotation } from '../../fabric-client/rotating-files.js';
import {
  openSigners,
  requireMsp,
  walletIdentityFile,
  type CallerOptions,
  type CheckIdentity,
} from '../../fabric-client/signers.js';
import type { Ledger } from '../../ports/ledger.port.js';
import { peersOf, readConnectionProfile } from './connection-profile.js';
import { NetworkSessions } from './network-sessions.js';
import { NetworkTransport } from './network-transport.js';

/** What createFabricLedger needs. */
export interface FabricOptions extends FabricLedgerOptions, CallerOptions {
  /** File with the connection profile, JSON or YAML. */
  readonly connectionProfile: string;
  /** Directory of a file-system wallet as fabric-network keeps it; the identity in it is read again when it changes. */
  readonly walletDir: string;
  /** Name of the identity in the wallet. */
  readonly identity: string;
  /** Without it an identity of any organisation is taken. */
  readonly requiredMspId?: string | undefined;
  /** Whether peers found by discovery are reached at localhost: for networks in containers on this machine. */
  readonly discoveryAsLocalhost: boolean;
  /** PEM files that are shown to servers that ask for a certificate (mutual TLS). */
  readonly tlsClient?: { readonly certificate: string; readonly privateKey: string } | undefined;
}

/** See {@link createFabricLedger}. */
export async function openFabricLedger(options: FabricOptions): Promise<Ledger> {
  const { connectionProfile, walletDir, requiredMspId, discoveryAsLocalhost, limits, logger } = options;
  const pace = { ...PACE, ...options.pace };
  const profile = await readConnectionProfile(connectionProfile);
  const checkService: CheckIdentity = (identity, file) => {
    requireMsp(identity, file, requiredMspId ?? identity.mspId);
    requireEcdsa(identity, file);
  };
  const certificates = new CertificateNotes(options.certificatesDir, logger);
  const service = await RotatingFiles.open({
    ...certificates.noting(SERVICE, walletIdentityFile(walletDir, options.identity, checkService)),
    onChange: tellRotation(logger, 'identity'),
    lookAgainAfter: pace.files,
  });
  const signers = openSigners({
    ...options,
    service,
    serviceName: options.identity,
    certificates,
    check: requireEcdsa,
    lookAgainAfter: pace.files,
  });
  const tlsClient = await readTlsClient(options);
  const sessions = new NetworkSessions({ profile, signers, discoveryAsLocalhost, tlsClient, limits, pace });
  const peers = peersOf(profile);
  const { description } = await service.current();
  logger?.info({ peers, identity: description }, 'ledger opened');
  return new FabricLedger(
    { transport: new NetworkTransport({ sessions, peers, limits }), signers, certificates },
    options,
  );
}

const requireEcdsa: CheckIdentity = ({ keyKind }, file) => {
  if (keyKind !== 'Ed25519') return;
  throw new LedgerError(
    'LEDGER.MISCONFIGURED',
    `fabric-network knows no Ed25519 keys, as in ${file}: use LEDGER_DRIVER=fabric-gateway, or ECDSA.`,
  );
};

async function readTlsClient({
  tlsClient,
}: FabricOptions): Promise<{ readonly certificate: string; readonly key: string } | undefined> {
  if (tlsClient === undefined) return undefined;
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new LedgerError('LEDGER.MISCONFIGURED', `The file ${file} cannot be read: ${(cause as Error).message}.`, {
        cause,
      });
    }
  };
  return { certificate: await read(tlsClient.certificate), key: await read(tlsClient.privateKey) };
}
