// npm run screenshots [-- --all FOLDER]: writes the pictures of the README to docs/pictures; with --all, every state of every
// page in both themes, on a desktop, a tablet and a phone, and on paper, to FOLDER. It then fails if axe-core finds anything
// serious in one of them. Plain JavaScript that uses dist.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import startBrowser from '../browser/start.mjs';
import stopBrowser from '../browser/stop.mjs';
import { dashboardScenes } from './scenes/dashboard.mjs';
import { explorerScenes } from './scenes/explorer.mjs';

const PICTURES = 'docs/pictures';
const SIZES = {
  desktop: { width: 1440, height: 900 },
  tablet: { width: 768, height: 1024 },
  phone: { width: 390, height: 844 },
};
/** The size of the pictures of the README. */
const PICTURE = { width: 1280, height: 860 };
const THEMES = ['light', 'dark'];
const QUALITY = 80;
const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
/** How long the pages of a busy program are open before a picture is taken. */
const OPEN_MS = { picture: 50_000, state: 8000 };

const { values } = parseArgs({ options: { all: { type: 'string' }, only: { type: 'string', multiple: true } } });
/** Generators of scenes: `name`, `show(page)` that opens the page, `isPicture` for the README. */
const SOURCES = [explorerScenes, dashboardScenes];

await startBrowser();
const endpoint = process.env['BROWSER_ENDPOINT'];
if (endpoint === undefined) process.exit(1);
const browser = await chromium.connect(endpoint);

let findings = 0;

/** Prints the serious findings of axe-core in a state. */
async function findIn(page, file) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false })`);
  for (const { id, impact, nodes } of violations.filter((each) => /serious|critical/.test(each.impact))) {
    findings += 1;
    console.error(`${file}: ${impact}: ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  }
}

/** How pictures of the README, and those of every state, are taken. */
const STYLE =
  values.all === undefined
    ? { viewport: () => PICTURE, scale: 1.5, format: 'webp', quality: { quality: QUALITY } }
    : { viewport: (size) => SIZES[size], scale: 1, format: 'png', quality: {} };

async function shoot({ name, show, wholePage = false }, theme, size, folder) {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: STYLE.viewport(size),
    deviceScaleFactor: STYLE.scale,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await show(page);
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: STYLE.format,
    ...STYLE.quality,
    captureBeyondViewport: values.all !== undefined || wholePage,
  });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, values.all === undefined ? `${name}-${theme}.webp` : `${name}-${theme}-${size}.png`);
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(file, bytes);
  console.log(`${file}: ${Math.round(bytes.length / 1024)} KiB`);
  if (values.all !== undefined) await findIn(page, file);
  if (values.all !== undefined && theme === 'light' && size === 'desktop') {
    const path = join(folder, `${name}.pdf`);
    await page.pdf({ path, preferCSSPageSize: true });
    await page.emulateMedia({ media: 'print' });
    await findIn(page, path);
  }
  await context.close();
}

for (const scenes of SOURCES) {
  for await (const scene of scenes(values.all === undefined ? OPEN_MS.picture : OPEN_MS.state)) {
    if (values.only?.every((part) => !scene.name.includes(part)) === true) continue;
    for (const theme of THEMES) {
      if (values.all !== undefined) for (const size of Object.keys(SIZES)) await shoot(scene, theme, size, values.all);
      else if (scene.isPicture) await shoot(scene, theme, 'desktop', PICTURES);
    }
  }
}
await browser.close();
await stopBrowser();
if (findings > 0) process.exitCode = 1;
