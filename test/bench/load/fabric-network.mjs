// The network of `npm run bench:fabric`: a new one, created by the program of `npm run fabric`, or one that already runs.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import '../../../libs/threads/src/run-from-source.mjs';

const PROGRAM = 'dist/src/fabric.js';

/** Why no network can be made here; undefined when one can. */
export async function missingRelease() {
  const url = new URL('../../../src/tools/fabric/find-binaries.ts', import.meta.url);
  const { findRelease } = await import(url.href);
  try {
    findRelease(process.env);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** A new network on free ports in that folder, and how to end it. */
export async function makeNetwork(directory) {
  const run = async (...args) => {
    try {
      await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--dir', directory]);
    } catch (error) {
      throw new Error(error.stderr?.trim() || error.message, { cause: error });
    }
  };
  await run('up', '--first-port', '0');
  return { directory, end: () => run('down', '--remove-data') };
}

/** A network that runs already; it is left as it is. */
export function runningNetwork(directory) {
  if (!existsSync(join(directory, 'network.json'))) throw new Error(`${directory} holds no network of npm run fabric`);
  return { directory, end: async () => undefined };
}

/** For the report: the release and what decides over how long a write takes. */
export function describeNetwork(directory) {
  const { plan, fabricVersion } = JSON.parse(readFileSync(join(directory, 'network.json'), 'utf8'));
  return { plan, fabricVersion };
}
