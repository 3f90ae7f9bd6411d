// Runs before `npm start`, `npm test` and the tools, on any version of Node: installs the packages of package-lock.json unless they are
// installed. With --tests those of test/browser and test/registry too (150 MB). With --build it builds the programs if there is no build yet.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const WANTS = { tests: process.argv.includes('--tests'), build: process.argv.includes('--build') };

/** The `packages` of a lock file; npm writes node_modules/.package-lock.json last, so an interrupted installation has none. */
function packagesIn(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : {};
}

function isInstalled(folder) {
  const installed = packagesIn(join(folder, 'node_modules/.package-lock.json'));
  return Object.entries(packagesIn(join(folder, 'package-lock.json'))).every(
    ([path, { optional, devOptional, version }]) =>
      path === '' || optional || devOptional || installed[path]?.version === version,
  );
}

/** Runs npm, and ends this program if it fails. Its output goes to standard error: standard output belongs to the tool that runs next. */
function npm(folder, args) {
  const own = process.env['npm_execpath'];
  const [command, first] = own ? [process.execPath, [own]] : ['npm', []];
  const options = { cwd: folder, stdio: ['ignore', 2, 2], shell: !own && process.platform === 'win32' };
  const { status, error } = spawnSync(command, [...first, ...args, '--loglevel=error'], options);
  if (status === 0) return;
  console.error(`npm ${args.join(' ')} failed in ${folder}${error ? `: ${error.message}` : ''}.`);
  process.exit(1);
}

function install(folder, what) {
  if (isInstalled(folder)) return;
  console.error(`Installing ${what} (once, up to a minute) …`);
  npm(folder, ['ci']);
}

// The packaged browser is for Linux on x64. Elsewhere, or with CHROMIUM_PATH, the tests use the one of the machine.
const hasPackagedBrowser = process.platform === 'linux' && process.arch === 'x64' && !process.env['CHROMIUM_PATH'];

install(ROOT, 'the packages of package-lock.json');
if (WANTS.tests && hasPackagedBrowser) install(join(ROOT, 'test/browser'), 'the browser of the tests');
if (WANTS.tests) install(join(ROOT, 'test/registry'), 'the registry of the tests');
if (WANTS.build && !existsSync(join(ROOT, 'dist/src/main.js'))) npm(ROOT, ['run', '--silent', 'build']);
