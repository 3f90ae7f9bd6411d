import { findRelease } from '../../src/fabric-network/find-binaries.js';

/** The environment that the Fabric binaries are found by, or why there are none. */
export function fabricRelease(): { readonly env: Readonly<Record<string, string>> } | { readonly missing: string } {
  const { FABRIC_BIN, FABRIC_CFG, FABRIC_CCAAS, PATH, HOME } = process.env;
  const given = { FABRIC_BIN, FABRIC_CFG, FABRIC_CCAAS, PATH, HOME };
  const env = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  try {
    const { binaries } = findRelease(env);
    return binaries.ca === undefined ? { missing: 'fabric-ca-server not found in FABRIC_BIN or on PATH' } : { env };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}
