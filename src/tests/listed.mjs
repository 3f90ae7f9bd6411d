import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';

/** A filter of Jest: the specs that are listed in the file TEST_LIST. The command line would be printed whole, and has a limit. */
function listed(paths) {
  const wanted = new Set(JSON.parse(readFileSync(process.env['TEST_LIST'], 'utf8')).map((path) => resolve(path)));
  return { filtered: paths.filter((path) => wanted.has(path)) };
}

// Jest loads its filter with `require`.
export { listed as 'module.exports' };
