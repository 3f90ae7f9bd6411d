import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readRegularFileSync } from '#files';
import type { Connect } from './launch-plan.js';

/** A program that a package starts itself, as chaincode without the contract API does. */
export interface StartScript {
  readonly file: string;
  readonly args: readonly string[];
  readonly connect: Connect;
}

const VARIABLE = /^[A-Za-z_]\w*=/;
/** Options of Node that have a value of their own. */
const WITH_VALUE = new Set(['-r', '--require', '--import', '--loader', '-C', '--conditions']);
/** What only a shell understands. */
const SHELL = /[|;<>$`"'()\\]/;
/** The classes of a chaincode with the contract API, which starts nothing itself. */
const CONTRACTS = /\bcontracts\b/;
const STARTS = /\bstart\)? ?\(/;
const SERVES = /\.server ?\(/;

/**
 * Returns the program of a package's start script: `node FILE`, also after variables and a build, and with options of Node, none of
 * which are used. Undefined for other scripts, such as `fabric-chaincode-node start`, and for a file that exports contracts only.
 */
export function readStartScript(path: string, script: unknown): StartScript | undefined {
  const command = typeof script === 'string' ? (script.split('&&').at(-1) ?? '') : '';
  if (SHELL.test(command)) return undefined;
  const words = command.trim().split(/\s+/);
  const node = words.findIndex((word) => !VARIABLE.test(word));
  if (words[node] !== 'node') return undefined;
  const [name, ...args] = withoutOptions(words.slice(node + 1));
  const file = name === undefined ? undefined : resolveFile(path, name);
  if (file === undefined) return undefined;
  const text = readRegularFileSync(file);
  if (CONTRACTS.test(text) && !STARTS.test(text)) return undefined;
  return { file, args, connect: SERVES.test(text) ? 'serve' : 'dial' };
}

/** Returns the file that Node would load; undefined if there is none. */
export function resolveFile(path: string, file: string): string | undefined {
  try {
    return createRequire(join(path, 'package.json')).resolve(join(path, file));
  } catch {
    return undefined;
  }
}

/** Removes the options of Node before its file. */
function withoutOptions([first, ...rest]: readonly string[]): readonly string[] {
  if (first?.startsWith('-') !== true) return first === undefined ? [] : [first, ...rest];
  return withoutOptions(WITH_VALUE.has(first) ? rest.slice(1) : rest);
}
