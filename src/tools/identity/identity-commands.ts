import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  caOfProfile,
  createFabricCa,
  writeFileDurably,
  type CaAddress,
  type CaIdentity,
  type FabricCa,
} from '#ledger-gateway';
import type { IdentityConfig } from './identity-config.js';
import { IdentityError, PemStore, readText, requirePair, WalletStore, type IdentityStore } from './identity-store.js';
import { readSecret } from './secret-source.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Options of all commands; each has some of them. */
export interface IdentityOptions {
  readonly id?: string;
  readonly name?: string;
  readonly wallet?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly msp?: string;
  readonly profile?: string;
  readonly caName?: string;
  readonly url?: string;
  readonly tlsRoot?: string;
  readonly secretFile?: string;
  readonly secretOut?: string;
  readonly role?: string;
  readonly affiliation?: string;
  readonly maxEnrollments?: number;
  readonly fromCert?: string;
  readonly fromKey?: string;
}

/** What the commands work with. */
export interface IdentityCommandsOptions {
  readonly config: IdentityConfig;
  readonly print: (line: string) => void;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** The commands of `npm run identity`; no secret is ever printed. */
export class IdentityCommands {
  readonly #it: IdentityCommandsOptions;

  constructor(options: IdentityCommandsOptions) {
    this.#it = options;
  }

  async enroll(options: IdentityOptions): Promise<void> {
    const { id = '', name = id, secretFile: file } = options;
    const store = this.#store(options);
    // A bad name is refused before the secret, which may be good for one use only, is spent.
    store.place(name);
    const ca = await this.#ca(options);
    const { input, output, config } = this.#it;
    const secret = await readSecret(`Secret of ${id}: `, { file, environment: config.secret, input, output });
    this.#keep(store, name, await ca.enroll(id, secret));
  }

  /** The registrar is the identity of `--name`. */
  async register(options: IdentityOptions): Promise<void> {
    const { id = '', secretOut = '', role, affiliation, maxEnrollments } = options;
    if (existsSync(secretOut))
      throw new IdentityError(`${secretOut} is there already: name a new file for the secret.`);
    const store = this.#store(options);
    const registrar = await store.read(nameIn(store, options, 'the registrar'));
    const ca = await this.#ca(options);
    const secret = await ca.register({ id, role, affiliation, maxEnrollments }, registrar);
    writeFileDurably(secretOut, `${secret}\n`);
    this.#it.print(`Registered ${id}; its secret is in ${secretOut}.`);
  }

  async reenroll(options: IdentityOptions): Promise<void> {
    const store = this.#store(options);
    const name = nameIn(store, options, 'the identity');
    const identity = await store.read(name);
    const ca = await this.#ca(options);
    this.#keep(store, name, await ca.reenroll(identity));
  }

  async list(options: IdentityOptions): Promise<void> {
    const store = this.#store(options);
    const names = await store.names();
    for (const name of names) this.#it.print(describeIdentity(name, await store.read(name)));
    if (names.length === 0) this.#it.print('No identities.');
  }

  async importPem(options: IdentityOptions): Promise<void> {
    const { fromCert = '', fromKey = '' } = options;
    const store = this.#store(options);
    const identity = {
      mspId: this.#mspId(options),
      certificate: await readText(fromCert),
      privateKey: await readText(fromKey),
    };
    this.#keep(store, nameIn(store, options, 'the identity'), identity);
  }

  #keep(store: IdentityStore, name: string, identity: CaIdentity): void {
    requirePair(identity);
    store.write(name, identity);
    this.#it.print(describeIdentity(store.place(name), identity));
  }

  #store(options: IdentityOptions): IdentityStore {
    const { cert, key, wallet } = options;
    const { config } = this.#it;
    if ((cert === undefined) !== (key === undefined)) throw new IdentityError('--cert and --key are needed together.');
    if (cert !== undefined && key !== undefined) {
      return new PemStore({ certificate: cert, privateKey: key, mspId: this.#mspId(options) });
    }
    const directory = wallet ?? config.walletDir;
    if (directory !== undefined) return new WalletStore(directory);
    const { certificate, privateKey } = config;
    if (certificate !== undefined && privateKey !== undefined) {
      return new PemStore({ certificate, privateKey, mspId: this.#mspId(options) });
    }
    throw new IdentityError('Where are identities kept? Give --wallet or FABRIC_WALLET_DIR, or --cert and --key.');
  }

  async #ca(options: IdentityOptions): Promise<FabricCa> {
    return createFabricCa(await this.#caAddress(options), this.#mspId(options));
  }

  async #caAddress({ url, tlsRoot, profile, caName: given }: IdentityOptions): Promise<CaAddress> {
    const { config } = this.#it;
    const caName = given ?? config.caName;
    const tlsRoots = tlsRoot === undefined ? undefined : [await readText(tlsRoot)];
    if (url !== undefined) return { url: requireUrl(url), caName, tlsRoots };
    const file = profile ?? config.connectionProfile;
    if (file === undefined) {
      throw new IdentityError('Which certificate authority? Give --profile or FABRIC_CONNECTION_PROFILE, or --url.');
    }
    const address = await caOfProfile(file, caName);
    return { ...address, tlsRoots: tlsRoots ?? address.tlsRoots };
  }

  #mspId({ msp }: IdentityOptions): string {
    return msp ?? this.#it.config.mspId;
  }
}

/** PEM files hold one identity, which needs no name. */
function nameIn(store: IdentityStore, { name }: IdentityOptions, what: string): string {
  if (name !== undefined || store instanceof PemStore) return name ?? '';
  throw new IdentityError(`Give --name: which of the wallet is ${what}?`);
}

function requireUrl(url: string): string {
  if (/^https?:\/\/[^/@]+$/.test(url)) return url;
  throw new IdentityError('--url must be https://host:port, without a user or a path.');
}

/** One line about an identity: who it is, of which MSP, and how long it is valid yet. */
export function describeIdentity(name: string, { mspId, certificate }: CaIdentity, now = Date.now()): string {
  const parsed = new X509Certificate(certificate);
  const commonName = /^CN=(.*)$/m.exec(parsed.subject)?.[1] ?? parsed.subject.replaceAll('\n', ', ');
  const ends = Date.parse(parsed.validTo);
  const date = new Date(ends).toISOString().slice(0, 10);
  const days = Math.floor(Math.abs(ends - now) / DAY_MS);
  const validity = ends > now ? `valid until ${date} (${days} days)` : `EXPIRED on ${date} (${days} days ago)`;
  return `${name}  ${commonName}  ${mspId}  ${validity}`;
}
