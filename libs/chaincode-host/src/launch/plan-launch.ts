import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Collection } from '../collections/collections.js';
import { servedAddress } from './served-address.js';
import { COLLECTIONS_FILE, readCollections } from '../collections/read-collections.js';
import { DECLARATION, planDeclared, readDeclaration, type DeclaredChaincode } from './declared-chaincode.js';
import { goModuleOf, planGoModule } from './go-module.js';
import { dataFault, type FolderPlan, type LaunchFault, type LaunchPlan, type ServedPlan } from './launch-plan.js';
import { planNodePackage } from './node-package.js';
import { planPythonProject } from './python-project.js';

/** The JVM flags with which a chaincode starts in about 3 seconds and uses 0.3 GB. */
const JAVA = ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-jar', 'build/libs/chaincode.jar'];
const JAVA_FAULT =
  `it is a Java project, which is not built here. Build it and add ${DECLARATION}: ` +
  JSON.stringify({ command: JAVA, connect: 'dial' });

/** The files by which the language of a folder is recognized, in this order. */
const LANGUAGES: readonly (readonly [
  files: readonly string[],
  plan: (path: string, dataDir: string) => LaunchPlan | LaunchFault,
])[] = [
  [['package.json'], planNodePackage],
  [['go.mod'], planGoModule],
  [['requirements.txt', 'pyproject.toml'], planPythonProject],
  [['pom.xml', 'build.gradle', 'build.gradle.kts'], () => ({ fault: JAVA_FAULT })],
];
const KNOWN = LANGUAGES.flatMap(([files]) => files).join(', ');

/**
 * Returns how the chaincode in a folder is started: as its chaincode.json declares, or as its language is started. One that is
 * served already has its address instead.
 * @param dataDir - the ledger's directory, which no chaincode may read
 */
export function planLaunch(folder: string, dataDir: string): FolderPlan | ServedPlan | LaunchFault {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return { fault: 'there is no such folder.' };
  const path = realpathSync(resolve(folder));
  const declared = readDeclaration(path) ?? {};
  if ('fault' in declared) return declared;
  const collections = collectionsOf(path, declared.collections);
  if ('fault' in collections) return collections;
  const address = servedAddress(declared.address ?? '');
  if (address !== undefined) return { address, path, collections };
  const plan = planStart(path, dataDir, declared);
  return 'fault' in plan ? plan : { ...plan, collections };
}

function planStart(path: string, dataDir: string, declared: DeclaredChaincode): LaunchPlan | LaunchFault {
  const plan = planFor(path, dataDir, declared);
  if ('fault' in plan) return plan;
  const fault = dataFault(plan.readable, dataDir);
  if (fault !== undefined) return { fault };
  return { ...plan, environment: { ...plan.environment, ...declared.environment } };
}

/** Reads the collections of a chaincode; those of fabric-samples lie in its folder. @param file - that it declares */
function collectionsOf(path: string, file: string | undefined): readonly Collection[] | LaunchFault {
  if (file !== undefined) return readCollections(resolve(path, file));
  const usual = join(path, COLLECTIONS_FILE);
  return existsSync(usual) ? readCollections(usual) : [];
}

function planFor(path: string, dataDir: string, declared: DeclaredChaincode): LaunchPlan | LaunchFault {
  if (process.platform === 'win32') return { fault: 'this is Windows. Serve the chaincode and use its address.' };
  if (declared.command !== undefined) return planDeclared(path, declared);
  const language = LANGUAGES.find(([files]) => files.some((file) => existsSync(join(path, file))));
  if (language === undefined && goModuleOf(path) !== undefined) return planGoModule(path);
  if (language === undefined) return { fault: `it has none of ${KNOWN}, ${DECLARATION}.` };
  return language[1](path, dataDir);
}
