// `npm run build:pages`: builds the page of an app, and compresses each file; libs/page-files serves them. The files.json lists them.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

/** The folder of the files that a page loads; their names contain a hash. */
const ASSETS = 'pages';

/** Writes FILE.br and FILE.gz for each file of the page, and files.json with the hash of each. */
const compressFiles = {
  name: 'compress-files',
  writeBundle({ dir }) {
    const names = ['index.html', ...readdirSync(join(dir, ASSETS)).map((name) => `${ASSETS}/${name}`)];
    const listed = names.map((name) => {
      const file = join(dir, name);
      const bytes = readFileSync(file);
      writeFileSync(`${file}.br`, brotliCompressSync(bytes));
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
      const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
      return { path: name === 'index.html' ? '/' : `/${name}`, hash };
    });
    writeFileSync(join(dir, 'files.json'), JSON.stringify(listed));
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
