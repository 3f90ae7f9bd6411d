import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, writeFileDurably } from '../../../files/durable-files.js';

/** Copies an `identities` directory into a new one, readable by its owner only. */
export function copyIdentities(from: string, to: string): void {
  makeDirectory(to);
  for (const name of readdirSync(from).filter((it) => it.endsWith('.pem')))
    writeFileDurably(join(to, name), readFileSync(join(from, name)));
}
