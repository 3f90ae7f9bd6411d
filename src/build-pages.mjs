// Builds the pages for people of every app that has some (apps/APP/pages/index.html) into dist/apps/APP/pages, each file also
// compressed, and lists them in files.json: libs/page-files serves what stands there. Plain JavaScript.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';

/** What a page loads stands under this path; its name holds a hash. */
const LOADED = 'pages';

/** The apps of the workspace that have pages. */
export function appsWithPages(root) {
  return readdirSync(join(root, 'apps')).filter((app) => existsSync(join(root, 'apps', app, 'pages', 'index.html')));
}

export async function buildPages(root) {
  for (const app of appsWithPages(root)) await buildPage(root, app);
}

async function buildPage(root, app) {
  const output = join(root, 'dist', 'apps', app, 'pages');
  await build({
    root: join(root, 'apps', app, 'pages'),
    configFile: false,
    // Relative, so that a page also works below a path of whatever stands in front.
    base: './',
    publicDir: false,
    logLevel: 'warn',
    plugins: [svelte({ configFile: false })],
    build: {
      outDir: output,
      emptyOutDir: true,
      assetsDir: LOADED,
      // A data: URL is no part of 'self'.
      assetsInlineLimit: 0,
      modulePreload: false,
      reportCompressedSize: false,
      target: 'es2023',
      license: { fileName: 'licenses.md' },
      // On a busy machine it would tell of how slow that is.
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  });
  const names = ['index.html', ...readdirSync(join(output, LOADED)).map((name) => `${LOADED}/${name}`)];
  const listed = names.map((name) => ({
    path: name === 'index.html' ? '/' : `/${name}`,
    hash: compress(join(output, name)),
  }));
  writeFileSync(join(output, 'files.json'), JSON.stringify(listed));
}

/** Writes FILE.br and FILE.gz; returns the hash of the file. */
function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}
