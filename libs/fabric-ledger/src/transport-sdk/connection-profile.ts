import { parse } from 'yaml';
import { misconfigured } from '#ledger-gateway';
import { readText } from '../driver/rotating-files.js';

/** A connection profile, as the SDK accepts it. */
export type ConnectionProfile = Record<string, unknown>;

/**
 * Reads a connection profile, JSON or YAML.
 * @throws `LEDGER.MISCONFIGURED` when it cannot be read, is neither, or names no peers
 */
export async function readConnectionProfile(file: string): Promise<ConnectionProfile> {
  const profile = parseProfile(await readText(file), file);
  const { peers } = profile;
  if (typeof peers === 'object' && peers !== null && Object.keys(peers).length > 0) return profile;
  throw misconfigured(`The connection profile ${file} has no peers: add a section "peers".`);
}

/**
 * Reads the TLS roots of all nodes, which the SDK reads at the first connection.
 * @throws `LEDGER.MISCONFIGURED` when a file cannot be read
 */
export async function requireTlsRoots({ peers, orderers }: ConnectionProfile): Promise<void> {
  const nodes: readonly unknown[] = Object.values({ ...(orderers as object), ...(peers as object) });
  for (const node of nodes) if (typeof node === 'object' && node !== null) await rootsOf(node);
}

/** Returns the names of the profile's peers, for messages. */
export function peersOf(profile: ConnectionProfile): string {
  return Object.keys(profile['peers'] as object).join(', ');
}

/** Parses JSON too, which is YAML. */
function parseProfile(text: string, file: string): ConnectionProfile {
  try {
    const profile: unknown = parse(text);
    if (typeof profile === 'object' && profile !== null) return profile as ConnectionProfile;
  } catch (cause) {
    throw misconfigured(`The connection profile ${file} is neither JSON nor YAML.`, cause);
  }
  throw misconfigured(`The connection profile ${file} is empty.`);
}

/** The address of a Fabric CA and the roots of its TLS certificate. */
export interface CaAddress {
  /** `https://host:port`; `http:` only for a CA without TLS. */
  readonly url: string;
  /** Name of the CA if the server has several. */
  readonly caName?: string | undefined;
  /** PEM; default: the roots that Node trusts. */
  readonly tlsRoots?: readonly string[] | undefined;
}

/** A peer, an orderer or a certificate authority in a connection profile. */
interface ProfileNode {
  readonly tlsCACerts?: { readonly pem?: string | readonly string[]; readonly path?: string };
}

interface ProfileCa extends ProfileNode {
  readonly url?: string;
  readonly caName?: string;
}

/** See caOfProfile. */
export async function readCaOfProfile(file: string, caName?: string): Promise<CaAddress> {
  const profile = await readConnectionProfile(file);
  const all = Object.entries((profile['certificateAuthorities'] ?? {}) as Record<string, ProfileCa>);
  const named = all.filter(([key, ca]) => caName === undefined || key === caName || ca.caName === caName);
  const [[, ca] = []] = named;
  if (named.length !== 1 || ca?.url === undefined) {
    if (all.length === 0)
      throw misconfigured(`The connection profile ${file} has no certificate authority: use --url.`);
    const text = `The certificate authority in ${file} is not unique or unknown`;
    throw misconfigured(`${text}: choose one of ${all.map(([key]) => key).join(', ')} with --ca-name.`);
  }
  return { url: ca.url, caName: ca.caName, tlsRoots: await rootsOf(ca) };
}

/** Returns the roots in the profile, or of a file relative to the working directory, as the SDK does. */
async function rootsOf({ tlsCACerts: { pem, path } = {} }: ProfileNode): Promise<readonly string[] | undefined> {
  if (pem !== undefined) return typeof pem === 'string' ? [pem] : pem;
  return path === undefined ? undefined : [await readText(path)];
}
