import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaIdentity } from '#fabric-ledger';
import { writeFileDurably } from '#files';
import { reasonOf } from '../command-line.js';
import { ToolError } from '../tool-error.js';

/** A place for identities. */
export interface IdentityStore {
  /** Whether it holds several identities, which have names. */
  readonly hasNames: boolean;
  /** Returns the files of an identity, for messages. */
  readonly place: (name: string) => string;
  readonly read: (name: string) => Promise<CaIdentity>;
  readonly write: (name: string, identity: CaIdentity) => void;
  readonly names: () => Promise<readonly string[]>;
}

/** Opens a file-system wallet of fabric-network: one JSON file per identity. */
export function walletStore(directory: string): IdentityStore {
  const place = (name: string): string => join(directory, `${fileName(name)}.id`);
  return {
    hasNames: true,
    place,
    read: async (name) => {
      const text = await readText(place(name));
      try {
        const { credentials, mspId } = JSON.parse(text) as {
          readonly mspId: string;
          readonly credentials: { readonly certificate: string; readonly privateKey: string };
        };
        return { mspId, certificate: credentials.certificate, privateKey: credentials.privateKey };
      } catch (cause) {
        throw new ToolError(`${place(name)} is no X.509 identity of a wallet.`, { cause });
      }
    },
    write: (name, { mspId, certificate, privateKey }) => {
      const identity = { credentials: { certificate, privateKey }, mspId, type: 'X.509', version: 1 };
      writeFileDurably(place(name), JSON.stringify(identity));
    },
    names: async () => {
      try {
        const files = await readdir(directory);
        return files.flatMap((file) => (file.endsWith('.id') ? [file.slice(0, -3)] : [])).sort();
      } catch (cause) {
        throw new ToolError(`The wallet ${directory} cannot be read: ${reasonOf(cause as Error)}.`, { cause });
      }
    },
  };
}

/**
 * Opens a certificate and its key in two PEM files.
 * @param files - their paths, and the MSP id, which is not in them
 */
export function pemStore({ certificate: certificateFile, privateKey: keyFile, mspId }: CaIdentity): IdentityStore {
  return {
    hasNames: false,
    place: () => `${certificateFile} and ${keyFile}`,
    read: async () => ({ mspId, certificate: await readText(certificateFile), privateKey: await readText(keyFile) }),
    // The key first: until the certificate follows, readers find no pair and retain the identity that they have.
    write: (_name, { certificate, privateKey }) => {
      writeFileDurably(keyFile, privateKey);
      writeFileDurably(certificateFile, certificate);
    },
    names: () => Promise.resolve([certificateFile]),
  };
}

/** @throws {@link ToolError} when the two are not PEM or no pair */
export function requirePair({ certificate, privateKey }: CaIdentity): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch (cause) {
    throw new ToolError('The certificate or the private key is not readable PEM.', { cause });
  }
  if (!isPair) throw new ToolError('The private key does not belong to the certificate.');
}

/** @throws {@link ToolError} when the file cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new ToolError(`${file} cannot be read: ${reasonOf(cause as Error)}.`, { cause });
  }
}

function fileName(name: string): string {
  if (/^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..') return name;
  throw new ToolError(`"${name}" cannot be the name of an identity in a wallet: use one without slashes.`);
}
