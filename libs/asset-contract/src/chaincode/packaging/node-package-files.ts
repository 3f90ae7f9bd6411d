import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { ArchiveFile } from './tar-archive.js';

/** Of this folder, what runs on a peer; the service and this packaging stay here. */
const CHAINCODE_FILES = [
  'asset-transfer.contract',
  'index',
  'make-chaincode',
  'peer-state',
  'start',
  'text-serializer',
];

const require = createRequire(import.meta.url);

/**
 * The files of the ordinary Node chaincode package, from the built program: the contract, its adapter and a
 * package.json that names the two Fabric packages in the versions tested here.
 * @param built the built `libs/asset-contract/src`
 */
export function nodePackageFiles(built: string): ArchiveFile[] {
  const contract = readdirSync(join(built, 'contract')).filter((name) => name.endsWith('.js'));
  const paths = [
    ...contract.sort((a, b) => (a < b ? -1 : 1)).map((name) => `contract/${name}`),
    ...CHAINCODE_FILES.map((name) => `chaincode/${name}.js`),
  ];
  const files = paths.map((path) => ({ path, content: readFileSync(join(built, path)) }));
  return [{ path: 'package.json', content: packageJson() }, ...files];
}

function packageJson(): string {
  const description = {
    name: 'asset-contract',
    version: '1.0.0',
    description: 'Assets on a Fabric channel',
    license: 'Apache-2.0',
    private: true,
    type: 'module',
    main: 'chaincode/index.js',
    engines: { node: '>=20' },
    scripts: { start: 'node chaincode/start.js' },
    dependencies: Object.fromEntries(['fabric-contract-api', 'fabric-shim'].map((name) => [name, versionOf(name)])),
  };
  return `${JSON.stringify(description, undefined, 2)}\n`;
}

function versionOf(name: string): string {
  return (require(`${name}/package.json`) as { version: string }).version;
}
