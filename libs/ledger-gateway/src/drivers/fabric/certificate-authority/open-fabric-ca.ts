import { rootCertificates } from 'node:tls';
import FabricCaServices from 'fabric-ca-client';
import { Wallets, type IdentityProvider } from 'fabric-network';
import { caError } from './ca-errors.js';
import type { CaAddress, CaIdentity, FabricCa, Registration } from './ca-types.js';

type Services = InstanceType<typeof FabricCaServices>;
type Enrollment = Awaited<ReturnType<Services['enroll']>>;
type Suite = ReturnType<IdentityProvider['getCryptoSuite']>;
type Registrar = Parameters<Services['register']>[1];

/** See {@link createFabricCa}. */
export async function openFabricCa(address: CaAddress, mspId: string): Promise<FabricCa> {
  // The SDK gives its provider of signing users through a wallet only.
  const wallet = await Wallets.newInMemoryWallet();
  return new CaClient(address, mspId, wallet.getProviderRegistry().getProvider('X.509'));
}

/** A CA through fabric-ca-client. */
class CaClient implements FabricCa {
  readonly #url: string;
  readonly #mspId: string;
  readonly #provider: IdentityProvider;
  readonly #services: Services;

  constructor({ url, caName, tlsRoots }: CaAddress, mspId: string, provider: IdentityProvider) {
    this.#url = url;
    this.#provider = provider;
    this.#mspId = mspId;
    const suite = this.#provider.getCryptoSuite();
    // Without a store of ours the client writes every new private key into the user's home directory.
    suite.setCryptoKeyStore(keepNothing);
    // The client's own default verifies nothing.
    const tls = { trustedRoots: [...(tlsRoots ?? rootCertificates)], verify: true };
    this.#services = new FabricCaServices(url, tls, caName, suite);
  }

  enroll(id: string, secret: string): Promise<CaIdentity> {
    return this.#ask(async () =>
      this.#issued(await this.#services.enroll({ enrollmentID: id, enrollmentSecret: secret })),
    );
  }

  reenroll(identity: CaIdentity): Promise<CaIdentity> {
    return this.#ask(async () => this.#issued(await this.#services.reenroll(await this.#user(identity), [])));
  }

  register(registration: Registration, registrar: CaIdentity): Promise<string> {
    const { id, secret, role = 'client', affiliation = '', maxEnrollments = -1 } = registration;
    return this.#ask(async () =>
      this.#services.register(
        {
          enrollmentID: id,
          role,
          affiliation,
          maxEnrollments,
          ...(secret === undefined ? {} : { enrollmentSecret: secret }),
        },
        await this.#user(registrar),
      ),
    );
  }

  #user({ mspId, certificate, privateKey }: CaIdentity): Promise<Registrar> {
    const identity = { type: 'X.509', mspId, credentials: { certificate, privateKey } };
    return this.#provider.getUserContext(identity, 'registrar');
  }

  #issued({ certificate, key }: Enrollment): CaIdentity {
    return { mspId: this.#mspId, certificate, privateKey: key.toBytes() };
  }

  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw caError(error, this.#url);
    }
  }
}

/** Keeps no key: each is given to the caller alone. */
const keepNothing: Parameters<Suite['setCryptoKeyStore']>[0] = {
  putKey: (key) => Promise.resolve(key),
  getKey: () => Promise.reject(new Error('No key is kept here.')),
};
