// Runs before `npm start`, `npm test` and the tools, on whatever Node the machine has: plain JavaScript, nothing but Node's own modules.
// Installs the packages of package-lock.json when they are missing or older than the lock file; otherwise costs a few milliseconds.
// With --browser those of test/browser: 66 MB that nobody needs who only starts the programs.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const workspace = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = process.argv.includes('--browser') ? join(workspace, 'test', 'browser') : workspace;
const npm = process.env['npm_execpath'];

/** npm's own record of what stands in node_modules; `npm ci` writes it last, so a broken install leaves none. */
const installed = join(root, 'node_modules', '.package-lock.json');
const wanted = join(root, 'package-lock.json');

/** Whether node_modules holds exactly what the lock file asks for, by version (optional packages may be absent). */
function isInstalled() {
  if (!existsSync(installed)) return false;
  if (statSync(installed).mtimeMs >= statSync(wanted).mtimeMs) return true;
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(JSON.parse(readFileSync(wanted, 'utf8')).packages).every(
    ([path, entry]) => path === '' || entry.optional || entry.devOptional || have[path]?.version === entry.version,
  );
}

function install() {
  const what = root === workspace ? 'the packages of package-lock.json' : 'the browser of the tests';
  console.error(`Installing ${what} (once, a minute or two) …`);
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const { status, error } = spawnSync(command, [...first, 'ci', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: root,
    // Not to standard output, which is that of a tool, such as a new key.
    stdio: ['ignore', 2, 2],
    shell: !npm && process.platform === 'win32',
  });
  if (error ?? status !== 0) {
    console.error(`npm ci failed${error ? `: ${error.message}` : ''}. Run it by hand in ${root} to see why.`);
    process.exit(1);
  }
}

/** Git hooks are a convenience of a checkout; a copy without .git or an install without development packages has none. */
function installHooks() {
  const lefthook = join(root, 'node_modules', 'lefthook', 'bin', 'index.js');
  if (!existsSync(join(root, '.git')) || !existsSync(lefthook) || process.env['CI']) return;
  try {
    execFileSync(process.execPath, [lefthook, 'install'], { cwd: root, stdio: 'ignore' });
  } catch {
    console.error('Git hooks were not installed; commits are then only checked by CI.');
  }
}

/** The package holds one for Linux on x64; elsewhere, and where one is named, the tests use that of the machine. */
function takesOwnBrowser() {
  return process.platform !== 'linux' || process.arch !== 'x64' || Boolean(process.env['CHROMIUM_PATH']);
}

if (process.argv.includes('--hooks')) installHooks();
else if (root !== workspace && takesOwnBrowser()) process.exit();
else if (!isInstalled()) install();
