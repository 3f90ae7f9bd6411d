// Read by `npm run build`: builds the page of an app, and compresses each file; libs/page-files serves them. In the mode `single-file` it
// builds apps/ledger-api/pages/verify/verify-receipt.html into one file instead.
import { hash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defaultClientConditions, defineConfig } from 'vite';

/** The folder of the files that a page loads; their names contain a hash. */
const ASSETS = 'pages';

/** The limit of a page, and of each part that it loads when it is needed. */
const MAX_GZIP_BYTES = 100 * 1024;
const BROWSER_MODULES = join(import.meta.dirname, 'libs/receipts/src/browser');

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

function requireLimit(files, bytes) {
  if (bytes > MAX_GZIP_BYTES) throw new Error(`${files.join(', ')}: ${bytes} bytes by gzip, more than 100 KiB`);
}

/** Refuses a page whose files are too large together, and a part that is loaded later and is too large itself. */
const limitSizes = {
  name: 'limit-sizes',
  writeBundle({ dir }, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const filesOf = (name, found = new Set()) => {
      const { imports = [], viteMetadata } = bundle[name] ?? {};
      if (!found.has(name)) [found.add(name), ...imports.map((each) => filesOf(each, found))];
      for (const css of viteMetadata?.importedCss ?? []) found.add(css);
      return found;
    };
    const page = new Set(chunks.filter(({ isEntry }) => isEntry).flatMap(({ fileName }) => [...filesOf(fileName)]));
    const parts = chunks.filter(({ isDynamicEntry }) => isDynamicEntry).map(({ fileName }) => filesOf(fileName));
    for (const files of [page, ...parts.map((part) => part.difference(page))]) {
      const bytes = [...files].reduce((sum, file) => sum + readFileSync(join(dir, `${file}.gz`)).length, 0);
      if (bytes > MAX_GZIP_BYTES)
        throw new Error(`${[...files].join(', ')}: ${bytes} bytes, more than 100 KiB by gzip`);
    }
  },
};

/** Puts the script and the style into the document, whose policy permits them by their hashes, and nothing else. */
const singleFile = {
  name: 'single-file',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle);
    const script = files.find(({ type }) => type === 'chunk');
    const style = files.find(({ fileName }) => fileName.endsWith('.css'));
    const document = files.find(({ fileName }) => fileName.endsWith('.html'));
    const code = script.code.trim().replaceAll('</script', String.raw`<\/script`);
    const css = String(style.source).trim();
    const source = (text) => `'sha256-${hash('sha256', text, 'base64')}'`;
    const policy = [
      "default-src 'none'",
      `script-src ${source(code)}`,
      `style-src ${source(css)}`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types svelte-trusted-html',
    ].join('; ');
    const head = `<meta http-equiv="Content-Security-Policy" content="${policy}" />`;
    document.source = String(document.source)
      .replace(/\s*<script\b[^]*?<\/script>/, '')
      .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
      .replace('<meta charset="utf-8" />', (charset) => `${charset}\n    ${head}`)
      .replace('</head>', () => `<style>${css}</style>\n  <script type="module">${code}</script>\n  </head>`);
    document.fileName = 'verify-receipt.html';
    requireLimit([document.fileName], gzipSync(document.source).length);
    delete bundle[script.fileName];
    delete bundle[style.fileName];
  },
};

export default defineConfig(({ mode }) => ({
  // Relative, so that a page also works below another path.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  plugins: [svelte({ configFile: false }), ...(mode === 'single-file' ? [singleFile] : [compressFiles, limitSizes])],
  resolve: {
    conditions: ['source', ...defaultClientConditions],
    // The verification of receipts runs in Node and in browsers.
    alias: ['buffer', 'crypto'].map((name) => ({
      find: `node:${name}`,
      replacement: join(BROWSER_MODULES, `node-${name}.ts`),
    })),
  },
  build: {
    emptyOutDir: mode !== 'single-file',
    assetsDir: ASSETS,
    // The Content-Security-Policy does not allow data: URLs.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    target: 'es2023',
    // That of the page names the packages in the single file too.
    license: mode !== 'single-file' && { fileName: 'licenses.md' },
    rolldownOptions: {
      checks: { pluginTimings: false },
      ...(mode === 'single-file' && {
        input: join(import.meta.dirname, 'apps/ledger-api/pages/verify/verify-receipt.html'),
      }),
    },
  },
}));
