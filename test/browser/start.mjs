// Before the tests of the pages: starts one browser for all of them, whose address is in BROWSER_ENDPOINT; BROWSER_PROGRAM is its
// executable and environment. Without a browser the tests are skipped, by name.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';

const PACKED = join(import.meta.dirname, 'node_modules', '@sparticuz', 'chromium');
/** A folder of our own: what the package inflates to is otherwise taken from wherever it is found among the temporary files. */
const INFLATED = join(import.meta.dirname, 'node_modules', '.inflated');

/** Runs in a separate process, because it reads its folder from the environment. */
const INFLATE = `
import chromium from '@sparticuz/chromium';
chromium.setGraphicsMode = false;
await chromium.executablePath();
`;

/** @returns the browser, and what its environment needs; undefined where there is none */
function findBrowser() {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return { executablePath: named };
  if (process.platform !== 'linux' || process.arch !== 'x64' || !existsSync(PACKED)) return undefined;
  if (!existsSync(INFLATED)) inflate();
  const executablePath = join(INFLATED, 'chromium');
  const { stdout } = spawnSync('ldd', [executablePath], { encoding: 'utf8' });
  const libraries = /not found/.test(stdout ?? '') ? { LD_LIBRARY_PATH: join(INFLATED, 'al2023', 'lib') } : {};
  const fonts = existsSync('/etc/fonts') ? {} : { FONTCONFIG_PATH: join(INFLATED, 'fonts') };
  return { executablePath, env: { ...process.env, ...libraries, ...fonts } };
}

/** Whole or not at all: one that is cut short must not be taken for a browser. */
function inflate() {
  const folder = mkdtempSync(`${INFLATED}-`);
  // The libraries, for systems that lack them, come along when it takes itself for a function of AWS.
  const env = { ...process.env, TMPDIR: folder, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', INFLATE], {
    cwd: import.meta.dirname,
    env,
    encoding: 'utf8',
  });
  if (status === 0) renameSync(folder, INFLATED);
  else {
    rmSync(folder, { recursive: true });
    throw new Error(`The browser of the tests cannot be inflated:\n${stderr}`);
  }
}

export default async function start() {
  const browser = findBrowser();
  if (browser === undefined) {
    console.error(
      'The tests of the pages are skipped: there is no browser. CHROMIUM_PATH names one; npm test installs one on Linux.',
    );
    return;
  }
  const server = await chromium.launchServer({ ...browser, handleSIGINT: false });
  process.env['BROWSER_ENDPOINT'] = server.wsEndpoint();
  // For programs that start a browser themselves.
  process.env['BROWSER_PROGRAM'] = JSON.stringify(browser);
  globalThis.browserOfTests = server;
}
