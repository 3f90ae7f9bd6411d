// Run as a process of its own by a test, which kills it: appends blocks to an index, one in each commit, and prints each cursor.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IndexFile } from '../index-file.js';

// eslint-disable-next-line no-restricted-properties -- a program of its own
const { INDEX_FILE: path = '', BLOCK_FILES: blocks = '' } = process.env;
const all = readdirSync(blocks)
  .sort()
  .map((name) => readFileSync(join(blocks, name)));
const file = new IndexFile(path, 'mychannel');
for (let next = file.next ?? 0; next < all.length; next = file.next ?? 0) {
  if (!file.append([all[next] ?? new Uint8Array()])) throw new Error('The blocks do not continue the index.');
  process.stdout.write(`${file.next}\n`);
}
file.close();
