import { KeyObject, webcrypto } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import FabricCaServices from 'fabric-ca-client';
import type { IdentityProvider, X509Identity } from 'fabric-network';
import { loadX509 } from '#fabric-codec/certificates';
import { LedgerError } from '#ledger-gateway';
import { signingIdentity } from '../driver/signing-identity.js';
import type { CaAddress } from './connection-profile.js';
import { nativeIdentityProvider } from './network-sessions.js';

type Services = InstanceType<typeof FabricCaServices>;
type Registrar = Parameters<Services['register']>[1];
type Key = Awaited<ReturnType<Services['enroll']>>['key'];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A certificate and its private key, both PEM, of an organization. */
export interface CaIdentity {
  readonly mspId: string;
  readonly certificate: string;
  readonly privateKey: string;
}

/** An identity to register. */
export interface Registration {
  readonly id: string;
  /** Default: `client`. */
  readonly role?: string | undefined;
  /** Such as `org1.department1`; without it the registrar's own. */
  readonly affiliation?: string | undefined;
  /** How often the secret may be used; -1 is unlimited. */
  readonly maxEnrollments?: number | undefined;
}

/**
 * A client of a CA that issues and renews the identities of an organization. It uses fabric-ca-client for the protocol only:
 * keys, certificate requests and signatures are created here, because the library's generator is seeded with Math.random
 * outside browsers.
 */
export class FabricCa {
  readonly #address: CaAddress;
  readonly #mspId: string;

  constructor(address: CaAddress, mspId: string) {
    this.#address = address;
    this.#mspId = mspId;
  }

  /**
   * Obtains a certificate.
   * @throws `LEDGER.MISCONFIGURED` when the CA refuses, `LEDGER.UNAVAILABLE` when it is unreachable
   */
  enroll(id: string, secret: string): Promise<CaIdentity> {
    return this.#request(async () => {
      const { privateKey, csr } = await newKey(id);
      const services = this.#services(await nativeIdentityProvider(NO_SIGNER));
      const { certificate } = await services.enroll({ enrollmentID: id, enrollmentSecret: secret, csr });
      return { mspId: this.#mspId, certificate, privateKey };
    });
  }

  /** Obtains a new certificate and a new key for the same identity. */
  reenroll(identity: CaIdentity): Promise<CaIdentity> {
    return this.#request(async () => {
      const { provider, user } = await signsAs(identity);
      const { privateKey, csr } = await newKey(user.getName());
      const services = this.#services(provider, csr);
      const { certificate } = await services.reenroll(user, []);
      return { mspId: this.#mspId, certificate, privateKey };
    });
  }

  /** Registers an identity on behalf of a registrar, and returns the secret that the CA generates for it. */
  register(registration: Registration, registrar: CaIdentity): Promise<string> {
    const { id: enrollmentID, role = 'client', affiliation = '', maxEnrollments = -1 } = registration;
    return this.#request(async () => {
      const { provider, user } = await signsAs(registrar);
      return this.#services(provider).register({ enrollmentID, role, affiliation, maxEnrollments }, user);
    });
  }

  /** @param csr replaces the request that the library would create with its own key */
  #services(provider: IdentityProvider, csr = ''): Services {
    const { url, caName, tlsRoots } = this.#address;
    const suite = provider.getCryptoSuite();
    suite.generateKey = () => Promise.resolve({ generateCSR: () => csr } as unknown as Key);
    // By default the library does not verify the server.
    const tls = { trustedRoots: [...(tlsRoots ?? rootCertificates)], verify: true };
    return new FabricCaServices(url, tls, caName, suite);
  }

  async #request<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw caError(error, this.#address.url);
    }
  }
}

/** The signer of an enrollment, which has no key yet and authenticates with a secret. */
const NO_SIGNER = {
  sign: (): never => {
    throw new TypeError('An enrollment is not signed.');
  },
};

/** Creates the library's user for an identity, which signs with OpenSSL. Its name is the certificate's common name. */
async function signsAs({
  mspId,
  certificate,
  privateKey,
}: CaIdentity): Promise<{ readonly provider: IdentityProvider; readonly user: Registrar }> {
  const material = { mspId, certificates: [certificate], privateKeys: [privateKey], origin: 'the identity' };
  const signing = signingIdentity(material);
  const provider = await nativeIdentityProvider(signing);
  const known: X509Identity = { type: 'X.509', mspId, credentials: { certificate, privateKey } };
  return { provider, user: await provider.getUserContext(known, signing.commonName) };
}

/** Creates a key on P-256 and a request for its certificate, of which the CA uses the name and the key. */
async function newKey(commonName: string): Promise<{ readonly privateKey: string; readonly csr: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const name = [{ CN: [commonName] }];
  const { Pkcs10CertificateRequestGenerator } = await loadX509();
  const csr = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM }, webcrypto);
  const privateKey = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
  return { privateKey, csr: csr.toString('pem') };
}

/** An error of the library: responses of the CA have codes, others only a text or a system error. */
interface CaClientError extends Error {
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

/** Error codes of fabric-ca (lib/caerrors). */
const REASONS: Readonly<Record<number, string>> = {
  19: 'it has no certificate authority of that name: check FABRIC_CA_NAME or --ca-name',
  20: 'the id or the secret is wrong, or the secret has reached its maximum number of uses',
  71: 'the registrar may not do that, or the affiliation is unknown there',
  74: 'an identity of that id is registered already',
};

/** Creates the error for a request that the CA refused or did not receive. */
export function caError(cause: unknown, url: string): LedgerError {
  const { errors: [first] = [], message } = cause as CaClientError;
  if (first === undefined) {
    const text = `The certificate authority ${url} could not serve the request: ${message}`;
    return new LedgerError('LEDGER.UNAVAILABLE', text, { cause, endpoint: url });
  }
  const reason = REASONS[first.code] ?? `${first.message} (code ${first.code})`;
  const text = `The certificate authority ${url} refuses: ${reason}.`;
  return new LedgerError('LEDGER.MISCONFIGURED', text, { cause, endpoint: url });
}
