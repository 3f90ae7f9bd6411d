import { quietSdk } from './quiet-sdk.js';

/** Where a Fabric CA is and how it is trusted. */
export interface CaAddress {
  /** `https://host:port`; `http:` only for a CA without TLS. */
  readonly url: string;
  /** Name of the CA, when the server has several. */
  readonly caName?: string | undefined;
  /** PEM; without them the roots that Node trusts. */
  readonly tlsRoots?: readonly string[] | undefined;
}

/** A certificate and its private key, both PEM, and who issued them for which organisation. */
export interface CaIdentity {
  readonly mspId: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** Who is to be known to the CA. */
export interface Registration {
  readonly id: string;
  /** Made by the CA when it is absent. */
  readonly secret?: string | undefined;
  /** `client` without another. */
  readonly role?: string | undefined;
  /** Such as `org1.department1`; without it the registrar's own. */
  readonly affiliation?: string | undefined;
  /** How often the secret may be used; -1 is without limit. */
  readonly maxEnrollments?: number | undefined;
}

/** Issues and renews identities of an organisation. */
export interface FabricCa {
  /** @throws {@link MisconfiguredError} when the CA refuses, {@link UnavailableError} when it cannot be reached */
  enroll(id: string, secret: string): Promise<CaIdentity>;
  /** Gives the same identity a new certificate and a new key. */
  reenroll(identity: CaIdentity): Promise<CaIdentity>;
  /** Makes an identity known to the CA, on behalf of a registrar; gives the secret to enroll it with. */
  register(registration: Registration, registrar: CaIdentity): Promise<string>;
}

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
