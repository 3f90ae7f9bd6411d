import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { MisconfiguredError } from '../../errors/ledger.errors.js';

/** A connection profile as the SDK takes it. */
export type ConnectionProfile = Record<string, unknown>;

/**
 * Reads a connection profile, JSON or YAML.
 * @throws {@link MisconfiguredError} when it cannot be read, is neither, or names no peers
 */
export async function readConnectionProfile(file: string): Promise<ConnectionProfile> {
  const profile = parseProfile(await readText(file), file);
  const { peers } = profile;
  if (typeof peers !== 'object' || peers === null || Object.keys(peers).length === 0) {
    throw new MisconfiguredError(`The connection profile ${file} names no peers: it needs a section "peers".`);
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
    throw new MisconfiguredError(`The connection profile ${file} cannot be read: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/** Every JSON text is YAML too. */
function parseProfile(text: string, file: string): ConnectionProfile {
  try {
    const profile: unknown = parse(text);
    if (typeof profile === 'object' && profile !== null) return profile as ConnectionProfile;
  } catch (cause) {
    throw new MisconfiguredError(`The connection profile ${file} is neither JSON nor YAML.`, { cause });
  }
  throw new MisconfiguredError(`The connection profile ${file} is empty.`);
}
