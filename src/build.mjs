// Builds dist, the programs, their pages and their bundles: node src/build.mjs. With --if-stale only when a source file is newer than the last build, which takes a few
// milliseconds to find out: the tools of the workspace need not wait for a compiler that has nothing to do. Plain JavaScript.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Its time is when the newest complete build began. */
const stamp = join(root, 'dist', '.built');

function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Folders count too: their times tell that a file has gone. */
function isStale() {
  const built = timeOf(stamp);
  const settings = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  const sources = ['src', 'apps', 'libs'].flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  ]);
  return [...settings, ...sources].some((path) => timeOf(join(root, path)) > built);
}

async function build() {
  const began = new Date();
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  if (readdirSync(join(root, 'apps')).some((app) => existsSync(join(root, 'apps', app, 'pages', 'index.html')))) {
    // Loaded when there is a page to build: Vite takes a third of a second.
    const { buildPages } = await import('./build-pages.mjs');
    await buildPages(root);
  }
  if (existsSync(join(root, 'src', 'bundle.mjs'))) {
    const { bundleForWorkspace } = await import('./bundle.mjs');
    await bundleForWorkspace();
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, '');
  utimesSync(stamp, began, began);
}

if (!process.argv.includes('--if-stale') || isStale()) await build();
