import type { CaAddress } from './connection-profile.js';
import type { FabricCa } from './open-fabric-ca.js';
import { quietSdk } from './quiet-sdk.js';

/** A client of a Fabric CA, whose identities belong to that MSP. Nothing is sent before the first call. */
export async function createFabricCa(address: CaAddress, mspId: string): Promise<FabricCa> {
  quietSdk();
  const { openFabricCa } = await import('./open-fabric-ca.js');
  return openFabricCa(address, mspId);
}

/**
 * The certificate authority in a connection profile: the one of that name, or the only one.
 * @throws {@link MisconfiguredError} when there is none, or several and no name
 */
export async function caOfProfile(file: string, caName?: string): Promise<CaAddress> {
  const { readCaOfProfile } = await import('./connection-profile.js');
  return readCaOfProfile(file, caName);
}
