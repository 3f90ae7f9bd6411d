// `npm run build:pages`: builds the page of an app, and compresses each file; libs/page-files serves them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The folder of the files that a page loads; their names contain a hash. */
const ASSETS = 'pages';

/** Writes FILE.br and FILE.gz for each file of the page. */
const compressFiles = {
  name: 'compress-files',
  writeBundle({ dir }) {
    for (const name of ['index.html', ...readdirSync(join(dir, ASSETS)).map((asset) => join(ASSETS, asset))]) {
      const file = join(dir, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    }
  },
};

export default defineConfig({
  // Relative, so that a page also works below another path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [svelte({ configFile: false }), compressFiles],
  build: {
    emptyOutDir: true,
    assetsDir: ASSETS,
    // The Content-Security-Policy does not allow data: URLs.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    target: 'es2023',
    license: { fileName: 'licenses.md' },
    rolldownOptions: { checks: { pluginTimings: false } },
  },
});
