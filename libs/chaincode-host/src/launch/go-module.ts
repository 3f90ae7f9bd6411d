import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LaunchFault, LaunchPlace, LaunchPlan } from './launch-plan.js';
import { readText } from './launch-plan.js';
import { findProgram } from './find-program.js';

/** The program that a build creates. */
const PROGRAM = 'chaincode';
/** A chaincode that listens (`shim.ChaincodeServer{…}`) instead of dialing its peer (`Start()`). */
const SERVES = /\bChaincodeServer\s*\{/;

/** Returns the folder of the module to which the Go files in a folder belong; undefined without such files or a module. */
export function goModuleOf(path: string): string | undefined {
  return goFilesIn(path).length === 0 ? undefined : moduleAround(path);
}

/** Returns the nearest folder with a go.mod, from a folder upwards. */
function moduleAround(path: string): string | undefined {
  if (existsSync(join(path, 'go.mod'))) return path;
  const outer = dirname(path);
  return outer === path ? undefined : moduleAround(outer);
}

/** Returns how the chaincode of a Go module is built and started. @param path - the folder of its package main */
export function planGoModule(path: string): LaunchPlan | LaunchFault {
  const go = findProgram('go');
  if (go === undefined) return { fault: 'it is a Go module, and the program "go" is not in PATH. Install Go.' };
  const files = goFilesIn(path);
  if (!files.some((source) => /^package main\b/m.test(source))) {
    return {
      fault:
        'the folder with its go.mod has no Go file of the package main. Use the folder of the program, or chaincode.json.',
    };
  }
  const isServer = files.some((source) => SERVES.test(source));
  const sources = moduleAround(path) ?? path;
  const common = { path, sources, environment: {}, confinement: 'bubblewrap', readable: [path] } as const;
  const program = (directory: string): string => join(directory, PROGRAM);
  const build = (directory: string) => [go, 'build', '-o', program(directory), '.'];
  if (isServer) {
    // It listens on TCP only.
    const command = ({ build: directory }: LaunchPlace) => [program(directory)];
    return { ...common, connect: 'serve', transport: 'tcp', command, build };
  }
  const command = ({ address, build: directory }: LaunchPlace) => [program(directory), '-peer.address', address];
  return { ...common, connect: 'dial', transport: 'unix', command, build };
}

function goFilesIn(path: string): string[] {
  const names = readdirSync(path).filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'));
  return names.flatMap((name) => readText(join(path, name)) ?? []);
}
