import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { FabricNetworkError } from './processes.js';

/** The programs of a release that every network needs. */
export const REQUIRED_BINARIES = ['peer', 'orderer', 'configtxgen', 'cryptogen', 'osnadmin'] as const;

/** The parts of a Fabric release that a network needs. */
export interface FabricRelease {
  /** Paths of the programs; the CA's only if it was found. */
  readonly binaries: Readonly<Record<(typeof REQUIRED_BINARIES)[number], string>> & { readonly ca?: string };
  /** Texts of core.yaml and orderer.yaml. */
  readonly coreYaml: string;
  readonly ordererYaml: string;
  /** The builder for chaincode as a service; its bin folder contains detect, build and release. */
  readonly ccaasBuilder: string;
}

/**
 * Finds the programs and files of a Fabric release.
 * @param environment - FABRIC_BIN and PATH name the folders of the programs, FABRIC_CFG that of core.yaml and orderer.yaml,
 * FABRIC_CCAAS that of the builder; without the latter two they are expected next to the folder of `peer`, as in a release
 * archive
 * @throws {@link FabricNetworkError} BINARY_MISSING, RELEASE_FILE_MISSING
 */
export function findRelease(environment: NodeJS.ProcessEnv): FabricRelease {
  const { FABRIC_CFG, FABRIC_CCAAS } = environment;
  const binaries = findBinaries(environment);
  const release = dirname(dirname(realpathSync(binaries.peer)));
  const config = resolve(FABRIC_CFG ?? join(release, 'config'));
  const ccaasBuilder = resolve(FABRIC_CCAAS ?? join(release, 'builders', 'ccaas'));
  for (const step of ['detect', 'build', 'release'].map((name) => join(ccaasBuilder, 'bin', name))) {
    if (!isExecutable(step)) throw missingFile(step, 'FABRIC_CCAAS', "the release's builders/ccaas");
  }
  const [coreYaml, ordererYaml] = [readConfig(config, 'core.yaml'), readConfig(config, 'orderer.yaml')];
  return { binaries, coreYaml, ordererYaml, ccaasBuilder };
}

function findBinaries({ FABRIC_BIN = '', PATH = '' }: NodeJS.ProcessEnv): FabricRelease['binaries'] {
  const folders = `${FABRIC_BIN}${delimiter}${PATH}`.split(delimiter).filter((folder) => folder !== '');
  const find = (name: string): string | undefined =>
    folders.map((folder) => resolve(folder, name)).find((file) => isExecutable(file));
  const found = REQUIRED_BINARIES.map((name) => [name, find(name)] as const);
  const missing = found.filter(([, file]) => file === undefined).map(([name]) => name);
  if (missing.length > 0) {
    const remedy =
      'take them from a Fabric release (its archive contains bin/, config/ and builders/) and set FABRIC_BIN to its bin folder';
    throw new FabricNetworkError(
      'BINARY_MISSING',
      `${missing.join(', ')} not found in FABRIC_BIN or on PATH: ${remedy}`,
    );
  }
  const ca = find('fabric-ca-server');
  return { ...(Object.fromEntries(found) as FabricRelease['binaries']), ...(ca !== undefined && { ca }) };
}

/** Reads the version from the output of `peer version`; undefined for a binary that was built without one. */
export function parseVersion(output: string): { readonly text: string; readonly isSupported: boolean } | undefined {
  const match = /^[ \t]*Version:[ \t]*v?((\d+)\.(\d+)\S*)/m.exec(output);
  if (match === null) return undefined;
  const [, text = '', major, minor] = match;
  return { text, isSupported: Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 5) };
}

function readConfig(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    throw missingFile(join(folder, name), 'FABRIC_CFG', "the release's config folder");
  }
}

function missingFile(file: string, variable: string, what: string): FabricNetworkError {
  const text = `${file} is missing or cannot be used: set ${variable} to ${what}`;
  return new FabricNetworkError('RELEASE_FILE_MISSING', text);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
