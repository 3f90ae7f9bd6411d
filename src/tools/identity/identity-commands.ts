import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { commonNameOf } from '#fabric-codec';
import { type CaAddress, type CaIdentity, caOfProfile, createFabricCa, type FabricCa } from '#fabric-ledger';
import { writeFileDurably } from '#files';
import { print } from '../command-line.js';
import { configured } from '../configured.js';
import { pemStore, readText, requirePair, walletStore, type IdentityStore } from './identity-store.js';
import { ToolError, UsageError } from '../tool-error.js';

const DAY_MS = 24 * 60 * 60 * 1000;

interface Options {
  readonly name?: string;
  readonly wallet?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly msp?: string;
}

interface CaOptions extends Options {
  readonly profile?: string;
  readonly caName?: string;
  readonly url?: string;
  readonly tlsRoot?: string;
}

/** Obtains a certificate and a key for a registered identity. */
export async function enroll(
  options: CaOptions & { readonly id: string; readonly secretFile?: string },
): Promise<void> {
  const { id, name = id, secretFile: file } = options;
  const store = storeOf(options);
  // A wrong name is refused before the secret is used, which may be valid only once.
  store.place(name);
  const ca = await caOf(options);
  const { FABRIC_CA_SECRET: environment } = process.env;
  const secret = await readSecret(`Secret of ${id}: `, {
    file,
    environment: environment === '' ? undefined : environment,
    input: process.stdin,
    output: process.stderr,
  });
  save(store, name, await ca.enroll(id, secret));
}

/** Registers an identity at the CA and stores its secret. The registrar is the identity of `--name`. */
export async function register(
  options: CaOptions & {
    readonly id: string;
    readonly secretOut: string;
    readonly role: string;
    readonly affiliation?: string;
    readonly maxEnrollments: number;
  },
): Promise<void> {
  const { id, secretOut, role, affiliation, maxEnrollments } = options;
  if (existsSync(secretOut)) {
    throw new ToolError(`${secretOut} is there already: name a new file for the secret.`);
  }
  const store = storeOf(options);
  const registrar = await store.read(nameIn(store, options, 'the registrar'));
  const ca = await caOf(options);
  const secret = await ca.register({ id, role, affiliation, maxEnrollments }, registrar);
  writeFileDurably(secretOut, `${secret}\n`);
  print(`Registered ${id}; its secret is in ${secretOut}.`);
}

/** Renews the certificate of an identity, with a new key. */
export async function reenroll(options: CaOptions): Promise<void> {
  const store = storeOf(options);
  const name = nameIn(store, options, 'the identity');
  const identity = await store.read(name);
  const ca = await caOf(options);
  save(store, name, await ca.reenroll(identity));
}

/** Lists the identities and when their certificates expire. */
export async function list(options: Options): Promise<void> {
  const store = storeOf(options);
  const names = await store.names();
  for (const name of names) print(describeIdentity(name, await store.read(name)));
  if (names.length === 0) print('No identities.');
}

/** Imports a certificate and a key from PEM files. */
export async function importPem(
  options: Options & { readonly fromCert: string; readonly fromKey: string },
): Promise<void> {
  const store = storeOf(options);
  const identity = {
    mspId: mspIdOf(options),
    certificate: await readText(options.fromCert),
    privateKey: await readText(options.fromKey),
  };
  save(store, nameIn(store, options, 'the identity'), identity);
}

function save(store: IdentityStore, name: string, identity: CaIdentity): void {
  requirePair(identity);
  store.write(name, identity);
  print(describeIdentity(store.place(name), identity));
}

function mspIdOf({ msp }: Options): string {
  return msp ?? configured('LEDGER_MSP_ID').LEDGER_MSP_ID;
}

function storeOf(options: Options): IdentityStore {
  const { cert, key, wallet } = options;
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--cert and --key are needed together.');
  const variables = configured('LEDGER_MSP_ID', 'FABRIC_WALLET_DIR', 'FABRIC_CERT', 'FABRIC_KEY');
  const mspId = options.msp ?? variables.LEDGER_MSP_ID;
  if (cert !== undefined && key !== undefined) return pemStore({ certificate: cert, privateKey: key, mspId });
  const directory = wallet ?? variables.FABRIC_WALLET_DIR;
  if (directory !== undefined) return walletStore(directory);
  const { FABRIC_CERT: certificate, FABRIC_KEY: privateKey } = variables;
  if (certificate !== undefined && privateKey !== undefined) return pemStore({ certificate, privateKey, mspId });
  throw new UsageError('Specify --wallet or FABRIC_WALLET_DIR, or --cert and --key.');
}

async function caOf(options: CaOptions): Promise<FabricCa> {
  return createFabricCa(await caAddressOf(options), mspIdOf(options));
}

async function caAddressOf({ url, tlsRoot, profile, ...options }: CaOptions): Promise<CaAddress> {
  const variables = configured('FABRIC_CA_NAME', 'FABRIC_CONNECTION_PROFILE');
  const caName = options.caName ?? variables.FABRIC_CA_NAME;
  const tlsRoots = tlsRoot === undefined ? undefined : [await readText(tlsRoot)];
  if (url !== undefined) return { url: requireUrl(url), caName, tlsRoots };
  const file = profile ?? variables.FABRIC_CONNECTION_PROFILE;
  if (file === undefined) {
    throw new ToolError('Specify --profile or FABRIC_CONNECTION_PROFILE, or --url.');
  }
  const address = await caOfProfile(file, caName);
  return { ...address, tlsRoots: tlsRoots ?? address.tlsRoots };
}

/** PEM files hold one identity, which needs no name. */
function nameIn(store: IdentityStore, { name }: Options, what: string): string {
  if (name !== undefined || !store.hasNames) return name ?? '';
  throw new ToolError(`Specify --name, the name of ${what} in the wallet.`);
}

function requireUrl(url: string): string {
  if (/^https?:\/\/[^/@]+$/.test(url)) return url;
  throw new ToolError('--url must be https://host:port, without a user or a path.');
}

/** Returns one line about an identity: its name, its MSP, and the validity of its certificate. */
export function describeIdentity(name: string, { mspId, certificate }: CaIdentity, now = Date.now()): string {
  const parsed = new X509Certificate(certificate);
  const commonName = commonNameOf(parsed) ?? parsed.subject.replaceAll('\n', ', ');
  const ends = Date.parse(parsed.validTo);
  const date = new Date(ends).toISOString().slice(0, 10);
  const days = Math.floor(Math.abs(ends - now) / DAY_MS);
  const validity = ends > now ? `valid until ${date} (${days} days)` : `EXPIRED on ${date} (${days} days ago)`;
  return `${name}  ${commonName}  ${mspId}  ${validity}`;
}

/** The sources of a secret; never the command line, which other users of the machine can read. */
export interface SecretSource {
  readonly file?: string | undefined;
  /** FABRIC_CA_SECRET. */
  readonly environment?: string | undefined;
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Takes a secret from a file, else from the environment, else from the user, who does not see it. */
export async function readSecret(question: string, source: SecretSource): Promise<string> {
  const secret = await (source.file === undefined
    ? (source.environment ?? ask(question, source))
    : readText(source.file));
  const line = secret.replace(/\r?\n$/, '');
  if (line === '') throw new ToolError('The secret is empty.');
  return line;
}

async function ask(question: string, { input, output }: SecretSource): Promise<string> {
  if (!input.isTTY) {
    throw new ToolError(
      'No terminal to prompt for the secret: specify --secret-file, or FABRIC_CA_SECRET in the environment.',
    );
  }
  output.write(question);
  const silent = new Writable({
    write: (_chunk, _encoding, done) => {
      done();
    },
  });
  const lines = createInterface({ input, output: silent, terminal: true });
  try {
    return await lines.question('');
  } finally {
    lines.close();
    output.write('\n');
  }
}
