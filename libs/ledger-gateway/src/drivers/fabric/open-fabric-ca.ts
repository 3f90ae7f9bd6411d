import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import FabricCaServices from 'fabric-ca-client';
import type { IdentityProvider, X509Identity } from 'fabric-network';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { LedgerError } from '../../errors/ledger.errors.js';
import { signingIdentity } from '../../fabric-client/signing-identity.js';
import type { CaAddress } from './connection-profile.js';
import { nativeIdentityProvider } from './network-sessions.js';

type Services = InstanceType<typeof FabricCaServices>;
type Registrar = Parameters<Services['register']>[1];
type Key = Awaited<ReturnType<Services['enroll']>>['key'];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

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
  /** @throws `LEDGER.MISCONFIGURED` when the CA refuses, `LEDGER.UNAVAILABLE` when it cannot be reached */
  enroll(id: string, secret: string): Promise<CaIdentity>;
  /** Gives the same identity a new certificate and a new key. */
  reenroll(identity: CaIdentity): Promise<CaIdentity>;
  /** Makes an identity known to the CA, on behalf of a registrar; gives the secret to enroll it with. */
  register(registration: Registration, registrar: CaIdentity): Promise<string>;
}

/** See {@link createFabricCa}. */
export function openFabricCa(address: CaAddress, mspId: string): FabricCa {
  return new CaClient(address, mspId);
}

/**
 * A CA through fabric-ca-client, which speaks to it and knows its answers. Keys, certificate requests and signatures are
 * made here: the library's own come from a generator that is seeded with Math.random where there is no browser.
 */
class CaClient implements FabricCa {
  readonly #address: CaAddress;
  readonly #mspId: string;

  constructor(address: CaAddress, mspId: string) {
    this.#address = address;
    this.#mspId = mspId;
  }

  enroll(id: string, secret: string): Promise<CaIdentity> {
    return this.#ask(async () => {
      const { privateKey, csr } = await newKey(id);
      const services = this.#services(await nativeIdentityProvider(NOBODY));
      const { certificate } = await services.enroll({ enrollmentID: id, enrollmentSecret: secret, csr });
      return { mspId: this.#mspId, certificate, privateKey };
    });
  }

  reenroll(identity: CaIdentity): Promise<CaIdentity> {
    return this.#ask(async () => {
      const { provider, user } = await signsAs(identity);
      const { privateKey, csr } = await newKey(user.getName());
      const services = this.#services(provider, csr);
      const { certificate } = await services.reenroll(user, []);
      return { mspId: this.#mspId, certificate, privateKey };
    });
  }

  register(registration: Registration, registrar: CaIdentity): Promise<string> {
    const { id, secret, role = 'client', affiliation = '', maxEnrollments = -1 } = registration;
    return this.#ask(async () => {
      const { provider, user } = await signsAs(registrar);
      const known = secret === undefined ? {} : { enrollmentSecret: secret };
      return this.#services(provider).register({ enrollmentID: id, role, affiliation, maxEnrollments, ...known }, user);
    });
  }

  /** @param csr handed over where the library would make a key and a request of its own */
  #services(provider: IdentityProvider, csr = ''): Services {
    const { url, caName, tlsRoots } = this.#address;
    const suite = provider.getCryptoSuite();
    suite.generateKey = () => Promise.resolve({ generateCSR: () => csr } as unknown as Key);
    // The client's own default verifies nothing.
    const tls = { trustedRoots: [...(tlsRoots ?? rootCertificates)], verify: true };
    return new FabricCaServices(url, tls, caName, suite);
  }

  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw caError(error, this.#address.url);
    }
  }
}

/** Who enrols has no key yet, and is known by a secret. */
const NOBODY = {
  sign: (): never => {
    throw new TypeError('Nobody signs here.');
  },
};

/** The identity as the library's user, who signs by OpenSSL; its name is the certificate's common name. */
async function signsAs(
  identity: CaIdentity,
): Promise<{ readonly provider: IdentityProvider; readonly user: Registrar }> {
  const { mspId, certificate, privateKey } = identity;
  const signing = signingIdentity({
    mspId,
    certificates: [certificate],
    privateKeys: [privateKey],
    origin: 'the identity',
  });
  const provider = await nativeIdentityProvider(signing);
  const known: X509Identity = { type: 'X.509', mspId, credentials: { certificate, privateKey } };
  return { provider, user: await provider.getUserContext(known, signing.commonName) };
}

/** A key on P-256 and a request for its certificate; the CA takes the name only. */
async function newKey(commonName: string): Promise<{ readonly privateKey: string; readonly csr: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const name = [{ CN: [commonName] }];
  const csr = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM }, webcrypto);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  const lines = pkcs8.replace(/.{64}/g, '$&\n');
  return {
    privateKey: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    csr: csr.toString('pem'),
  };
}

/** What the CA's client throws: the CA's answer has codes, everything else is a text or a system error. */
interface CaClientError extends Error {
  readonly errors?: readonly { readonly code: number; readonly message: string }[];
}

/** Codes of fabric-ca (lib/caerrors). */
const REASONS: Readonly<Record<number, string>> = {
  19: 'it has no certificate authority of that name: check FABRIC_CA_NAME or --ca-name',
  20: 'it does not know that id with that secret, or the secret was used as often as it may be',
  71: 'the registrar may not do that, or the affiliation is unknown there',
  74: 'an identity of that id is registered already',
};

/** The error for a request that the CA refused or never got. */
export function caError(error: unknown, url: string): LedgerError {
  const { errors: [first] = [], message } = error as CaClientError;
  if (first === undefined) {
    return new LedgerError(
      'LEDGER.UNAVAILABLE',
      `The certificate authority ${url} could not serve the request: ${message}`,
      {
        cause: error,
        endpoint: url,
      },
    );
  }
  const reason = REASONS[first.code] ?? `${first.message} (code ${first.code})`;
  return new LedgerError('LEDGER.MISCONFIGURED', `The certificate authority ${url} refuses: ${reason}.`, {
    cause: error,
    endpoint: url,
  });
}
