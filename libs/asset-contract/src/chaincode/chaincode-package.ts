import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { ChaincodeCommandError } from './chaincode.errors.js';
import { tarArchive, type ArchiveFile } from './tar-archive.js';

/** What `peer lifecycle chaincode install` takes, and the id that the peer gives it. */
export interface ChaincodePackage {
  readonly id: string;
  readonly archive: Buffer;
}

/** How a peer reaches a chaincode that runs as a service. */
export interface ServiceConnection {
  /** `host:port` as the peer reaches it. */
  readonly address: string;
  /** PEM texts; with roots the peer asks for TLS, with a certificate and key it shows its own too. */
  readonly tls?: {
    readonly rootCert: string;
    readonly client?: { readonly cert: string; readonly key: string };
  };
}

const require = createRequire(import.meta.url);

/** The file that a peer starts. */
const ENTRY = 'peer/start.js';

/** Fabric's own rule for labels (core/chaincode/persistence). */
const LABEL = /^[a-zA-Z0-9][a-zA-Z0-9_.+-]*$/;

/**
 * Packages the address of a chaincode that runs as a service. Any chaincode can stand behind it.
 * @throws {@link ChaincodeCommandError} CHAINCODE.BAD_OPTION for a label that Fabric refuses
 */
export function servicePackage(label: string, connection: ServiceConnection): ChaincodePackage {
  const { address, tls } = connection;
  const described = {
    address,
    dial_timeout: '10s',
    tls_required: tls !== undefined,
    client_auth_required: tls?.client !== undefined,
    client_key: tls?.client?.key ?? '',
    client_cert: tls?.client?.cert ?? '',
    root_cert: tls?.rootCert ?? '',
  };
  return chaincodePackage(label, 'ccaas', [{ path: 'connection.json', content: json(described) }]);
}

/**
 * Packages a Node program that a peer builds and starts itself: its files go under `src/`, package.json among them.
 * @throws {@link ChaincodeCommandError} CHAINCODE.BAD_OPTION for a label that Fabric refuses
 */
export function nodePackage(label: string, files: readonly ArchiveFile[]): ChaincodePackage {
  return chaincodePackage(
    label,
    'node',
    files.map(({ path, content }) => ({ path: `src/${path}`, content })),
  );
}

/**
 * Returns the files of the Node chaincode package of our own contract: its bundle, and a package.json that names the two Fabric packages
 * in the versions tested here.
 * @param program - the text of the bundled program
 */
export function nodePackageFiles(program: string): ArchiveFile[] {
  return [
    { path: 'package.json', content: packageJson() },
    { path: ENTRY, content: program },
  ];
}

function chaincodePackage(label: string, type: string, code: readonly ArchiveFile[]): ChaincodePackage {
  if (!LABEL.test(label)) {
    throw new ChaincodeCommandError(
      'CHAINCODE.BAD_OPTION',
      `${JSON.stringify(label)} is no chaincode label: use letters, digits and _ . + -, like basic_1.0`,
    );
  }
  const archive = tarArchive([
    { path: 'metadata.json', content: json({ path: '', type, label }) },
    { path: 'code.tar.gz', content: tarArchive(code) },
  ]);
  return { id: `${label}:${createHash('sha256').update(archive).digest('hex')}`, archive };
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function packageJson(): string {
  const description = {
    name: 'asset-contract',
    version: '1.0.0',
    description: 'Assets on a Fabric channel',
    license: 'Apache-2.0',
    private: true,
    type: 'module',
    main: ENTRY,
    engines: { node: '>=20' },
    scripts: { start: `node ${ENTRY}` },
    dependencies: Object.fromEntries(['fabric-contract-api', 'fabric-shim'].map((name) => [name, versionOf(name)])),
  };
  return `${JSON.stringify(description, undefined, 2)}\n`;
}

function versionOf(name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version;
}
