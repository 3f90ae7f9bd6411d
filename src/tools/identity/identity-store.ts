import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably, type CaIdentity } from '#ledger-gateway';

/** A command of `npm run identity` that fails. Its message is one line for the user. */
export class IdentityError extends Error {
  readonly code = 'LEDGER_API.IDENTITY';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'IdentityError';
  }
}

/** A place for identities. */
export interface IdentityStore {
  /** Returns the files of an identity, for messages. */
  readonly place: (name: string) => string;
  read(name: string): Promise<CaIdentity>;
  write(name: string, identity: CaIdentity): void;
  names(): Promise<readonly string[]>;
}

/** A file-system wallet of fabric-network: one JSON file per identity. */
export class WalletStore implements IdentityStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  readonly place = (name: string): string => join(this.#directory, `${fileName(name)}.id`);

  async read(name: string): Promise<CaIdentity> {
    const text = await readText(this.place(name));
    try {
      const { credentials, mspId } = JSON.parse(text) as {
        readonly mspId: string;
        readonly credentials: { readonly certificate: string; readonly privateKey: string };
      };
      return { mspId, certificate: credentials.certificate, privateKey: credentials.privateKey };
    } catch (cause) {
      throw new IdentityError(`${this.place(name)} is no X.509 identity of a wallet.`, cause);
    }
  }

  write(name: string, { mspId, certificate, privateKey }: CaIdentity): void {
    const identity = { credentials: { certificate, privateKey }, mspId, type: 'X.509', version: 1 };
    writeFileDurably(this.place(name), JSON.stringify(identity));
  }

  async names(): Promise<readonly string[]> {
    try {
      const files = await readdir(this.#directory);
      return files.flatMap((file) => (file.endsWith('.id') ? [file.slice(0, -3)] : [])).sort(byText);
    } catch (cause) {
      throw new IdentityError(`The wallet ${this.#directory} cannot be read: ${(cause as Error).message}.`, cause);
    }
  }
}

/** A certificate and its key in two PEM files. */
export class PemStore implements IdentityStore {
  readonly #certificate: string;
  readonly #privateKey: string;
  readonly #mspId: string;

  /** @param identity - the paths of the files, and the MSP id, which is not in them */
  constructor({ certificate, privateKey, mspId }: CaIdentity) {
    this.#certificate = certificate;
    this.#privateKey = privateKey;
    this.#mspId = mspId;
  }

  readonly place = (): string => `${this.#certificate} and ${this.#privateKey}`;

  async read(): Promise<CaIdentity> {
    return {
      mspId: this.#mspId,
      certificate: await readText(this.#certificate),
      privateKey: await readText(this.#privateKey),
    };
  }

  /** Writes the key first: until the certificate follows, readers find no pair and retain the identity that they have. */
  write(_name: string, { certificate, privateKey }: CaIdentity): void {
    writeFileDurably(this.#privateKey, privateKey);
    writeFileDurably(this.#certificate, certificate);
  }

  names(): Promise<readonly string[]> {
    return Promise.resolve([this.#certificate]);
  }
}

/** @throws {@link IdentityError} when the two are not PEM or no pair */
export function requirePair({ certificate, privateKey }: CaIdentity): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch (cause) {
    throw new IdentityError('The certificate or the private key is not readable PEM.', cause);
  }
  if (!isPair) throw new IdentityError('The private key does not belong to the certificate.');
}

/** @throws {@link IdentityError} when the file cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new IdentityError(`${file} cannot be read: ${(cause as Error).message}.`, cause);
  }
}

function fileName(name: string): string {
  if (/^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..') return name;
  throw new IdentityError(`"${name}" cannot be the name of an identity in a wallet: use one without slashes.`);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}
