import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { LedgerError } from '../../errors/ledger.errors.js';

/** A connection profile as the SDK takes it. */
export type ConnectionProfile = Record<string, unknown>;

/**
 * Reads a connection profile, JSON or YAML.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be read, is neither, or names no peers
 */
export async function readConnectionProfile(file: string): Promise<ConnectionProfile> {
  const profile = parseProfile(await readText(file), file);
  const { peers } = profile;
  if (typeof peers !== 'object' || peers === null || Object.keys(peers).length === 0) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The connection profile ${file} names no peers: it needs a section "peers".`,
    );
  }
  return profile;
}

/** The names of the peers in the profile, for texts. */
export function peersOf(profile: ConnectionProfile): string {
  return Object.keys(profile['peers'] as object).join(', ');
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The connection profile ${file} cannot be read: ${(cause as Error).message}.`,
      {
        cause,
      },
    );
  }
}

/** Every JSON text is YAML too. */
function parseProfile(text: string, file: string): ConnectionProfile {
  try {
    const profile: unknown = parse(text);
    if (typeof profile === 'object' && profile !== null) return profile as ConnectionProfile;
  } catch (cause) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `The connection profile ${file} is neither JSON nor YAML.`, {
      cause,
    });
  }
  throw new LedgerError('LEDGER.MISCONFIGURED', `The connection profile ${file} is empty.`);
}

/** Where a Fabric CA is and how it is trusted. */
export interface CaAddress {
  /** `https://host:port`; `http:` only for a CA without TLS. */
  readonly url: string;
  /** Name of the CA, when the server has several. */
  readonly caName?: string | undefined;
  /** PEM; without them the roots that Node trusts. */
  readonly tlsRoots?: readonly string[] | undefined;
}

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
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
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
    throw new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The TLS root ${path} that the connection profile ${profile} names cannot be read: ${(cause as Error).message}.`,
      { cause },
    );
  }
}
