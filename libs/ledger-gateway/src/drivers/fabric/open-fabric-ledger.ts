import { readFile } from 'node:fs/promises';
import { MisconfiguredError } from '../../errors/ledger.errors.js';
import { FabricLedger } from '../../fabric-client/fabric-ledger.js';
import { RotatingFiles } from '../../fabric-client/rotating-files.js';
import { tellRotation } from '../../fabric-client/tell-rotation.js';
import { PACE } from '../../fabric-client/stage-limits.js';
import type { Ledger } from '../../ports/ledger.port.js';
import { peersOf, readConnectionProfile } from './connection-profile.js';
import type { FabricOptions } from './fabric-options.js';
import { NetworkTransport } from './network-transport.js';
import { SessionKeeper } from './session-keeper.js';
import { walletIdentityFile } from './wallet-identity.js';

/** See {@link createFabricLedger}. */
export async function openFabricLedger(options: FabricOptions): Promise<Ledger> {
  const { connectionProfile, walletDir, discoveryAsLocalhost, limits, logger } = options;
  const pace = { ...PACE, ...options.pace };
  const profile = await readConnectionProfile(connectionProfile);
  const identity = await RotatingFiles.open({
    ...walletIdentityFile(walletDir, options.identity, options.requiredMspId),
    onChange: tellRotation(logger, 'identity'),
    lookAgainAfter: pace.files,
  });
  const tlsClient = await readTlsClient(options);
  const sessions = new SessionKeeper({ profile, identity, discoveryAsLocalhost, tlsClient, limits, pace });
  const peers = peersOf(profile);
  const { description } = await identity.current();
  logger?.info({ peers, identity: description }, 'ledger opened');
  return new FabricLedger(new NetworkTransport({ sessions, peers, limits }), options);
}

async function readTlsClient({
  tlsClient,
}: FabricOptions): Promise<{ readonly certificate: string; readonly key: string } | undefined> {
  if (tlsClient === undefined) return undefined;
  const read = async (file: string): Promise<string> => {
    try {
      return await readFile(file, 'utf8');
    } catch (cause) {
      throw new MisconfiguredError(`The file ${file} cannot be read: ${(cause as Error).message}.`, { cause });
    }
  };
  return { certificate: await read(tlsClient.certificate), key: await read(tlsClient.privateKey) };
}
