import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const LIBS = fileURLToPath(new URL('../../../libs/', import.meta.url));
const LOCK_FILE = fileURLToPath(new URL('../../../../package-lock.json', import.meta.url));
/** The same program in a few files, made by `npm run build`: it starts in half the time and needs a quarter less memory. */
const BUNDLE = new URL('../bundle/lib/ledger-api.js', import.meta.url);

function timeOf(path: string | URL): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Whether the bundle is made of the modules as they are: `nest start --watch` compiles, and makes none. */
function isCurrent(): boolean {
  const made = timeOf(BUNDLE);
  const modules = [SOURCE, LIBS].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.js'))
      .map((path) => join(folder, path)),
  );
  return made > 0 && [LOCK_FILE, ...modules].every((path) => timeOf(path) <= made);
}

await (isCurrent() ? import(BUNDLE.href) : import('./ledger-api.js'));
