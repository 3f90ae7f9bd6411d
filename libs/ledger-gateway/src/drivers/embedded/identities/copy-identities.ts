import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDirectory, writeFileDurably } from '../../../files/durable-files.js';

/** Copies an `identities` directory, callers' too, into a new one, readable by its owner only. */
export function copyIdentities(from: string, to: string): void {
  makeDirectory(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyIdentities(source, copy);
    else if (entry.name.endsWith('.pem')) writeFileDurably(copy, readFileSync(source));
  }
}
