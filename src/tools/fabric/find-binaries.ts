import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';

/** The programs that a network is made of and with. */
export const REQUIRED_BINARIES = ['peer', 'orderer', 'configtxgen', 'cryptogen', 'osnadmin'] as const;

/** Paths of the programs; the CA's only when it was found. */
export type Binaries = Readonly<Record<(typeof REQUIRED_BINARIES)[number], string>> & { readonly ca?: string };

/** What of a Fabric release a network needs. */
export interface FabricRelease {
  readonly binaries: Binaries;
  /** Texts of core.yaml and orderer.yaml. */
  readonly coreYaml: string;
  readonly ordererYaml: string;
  /** Folder whose bin/ holds detect, build and release. */
  readonly ccaasBuilder: string;
}

/** Where to look, from the environment. */
export interface SearchPlaces {
  /** FABRIC_BIN: one or more folders. */
  readonly bin?: string;
  readonly path?: string;
  /** FABRIC_CFG: folder of core.yaml and orderer.yaml. */
  readonly config?: string;
  /** FABRIC_CCAAS: folder of the builder for chaincode as a service. */
  readonly ccaas?: string;
}

const GET_THEM = 'take them from a Fabric release (its archive holds bin/, config/ and builders/ side by side)';

/**
 * Finds the programs and files of a Fabric release. Without FABRIC_CFG and FABRIC_CCAAS they are looked for where a
 * release archive has them: next to the folder of `peer`.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.BINARY_MISSING, FABRIC_NETWORK.RELEASE_FILE_MISSING
 */
export function findRelease(places: SearchPlaces): FabricRelease {
  const binaries = findBinaries(places);
  const beside = dirname(dirname(realpathSync(binaries.peer)));
  const config = resolve(places.config ?? join(beside, 'config'));
  const ccaasBuilder = resolve(places.ccaas ?? join(beside, 'builders', 'ccaas'));
  for (const step of ['detect', 'build', 'release']) {
    if (!isExecutable(join(ccaasBuilder, 'bin', step))) {
      throw missingFile(join(ccaasBuilder, 'bin', step), 'FABRIC_CCAAS', "the release's builders/ccaas");
    }
  }
  return {
    binaries,
    coreYaml: readRelease(join(config, 'core.yaml')),
    ordererYaml: readRelease(join(config, 'orderer.yaml')),
    ccaasBuilder,
  };
}

/**
 * Finds the programs alone.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.BINARY_MISSING that names all that are missing
 */
export function findBinaries({ bin, path }: SearchPlaces): Binaries {
  const folders = `${bin ?? ''}${delimiter}${path ?? ''}`.split(delimiter).filter((folder) => folder !== '');
  const find = (name: string): string | undefined =>
    folders.map((folder) => resolve(folder, name)).find((file) => isExecutable(file));
  const found = REQUIRED_BINARIES.map((name) => [name, find(name)] as const);
  const missing = found.filter(([, file]) => file === undefined).map(([name]) => name);
  if (missing.length > 0) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.BINARY_MISSING',
      `${missing.join(', ')} not found in FABRIC_BIN or on PATH: ${GET_THEM} and set FABRIC_BIN to its bin folder`,
    );
  }
  const ca = find('fabric-ca-server');
  return { ...(Object.fromEntries(found) as Binaries), ...(ca !== undefined && { ca }) };
}

/**
 * Reads the version from what `peer version` prints.
 * @returns undefined when the binary was built without one
 */
export function parseVersion(output: string): { readonly text: string; readonly isSupported: boolean } | undefined {
  const match = /^[ \t]*Version:[ \t]*v?((\d+)\.(\d+)\S*)/m.exec(output);
  if (match === null) return undefined;
  const [, text = '', major, minor] = match;
  return { text, isSupported: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 5) };
}

function readRelease(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw missingFile(file, 'FABRIC_CFG', "the release's config folder");
  }
}

function missingFile(file: string, variable: string, what: string): FabricNetworkError {
  return new FabricNetworkError(
    'FABRIC_NETWORK.RELEASE_FILE_MISSING',
    `${file} is missing or cannot be used: set ${variable} to ${what}`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
