import { readFile } from 'node:fs/promises';
import { MisconfiguredError } from '../../../errors/ledger.errors.js';
import { readConnectionProfile } from '../connection-profile.js';
import type { CaAddress } from './ca-types.js';

/** A certificate authority as connection profiles describe it. */
interface ProfileCa {
  readonly url?: string;
  readonly caName?: string;
  readonly tlsCACerts?: { readonly pem?: string | readonly string[]; readonly path?: string };
}

/** See {@link caOfProfile}. */
export async function readCaOfProfile(file: string, caName?: string): Promise<CaAddress> {
  const profile = await readConnectionProfile(file);
  const all = Object.entries((profile['certificateAuthorities'] ?? {}) as Record<string, ProfileCa>);
  const named = all.filter(([key, ca]) => caName === undefined || key === caName || ca.caName === caName);
  const [[, ca] = []] = named;
  if (named.length !== 1 || ca?.url === undefined) {
    const known = all.map(([key]) => key).join(', ');
    throw new MisconfiguredError(
      known === ''
        ? `The connection profile ${file} names no certificate authority: give --url.`
        : `Which certificate authority of ${file} is meant? Give --ca-name; it names ${known}.`,
    );
  }
  return { url: ca.url, caName: ca.caName, tlsRoots: await rootsOf(ca, file) };
}

/** Texts in the profile, or a file that it names, which the SDK takes from the working directory too. */
async function rootsOf(
  { tlsCACerts: { pem, path } = {} }: ProfileCa,
  profile: string,
): Promise<readonly string[] | undefined> {
  if (pem !== undefined) return typeof pem === 'string' ? [pem] : pem;
  if (path === undefined) return undefined;
  try {
    return [await readFile(path, 'utf8')];
  } catch (cause) {
    throw new MisconfiguredError(
      `The TLS root ${path} that the connection profile ${profile} names cannot be read: ${(cause as Error).message}.`,
      { cause },
    );
  }
}
