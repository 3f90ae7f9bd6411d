// Puts a program and what it is made of into a few files each (rolldown), from what tsc has built, with fixed names for what threads
// and commands begin with. The package of each program is made of that (package.mjs), and in the workspace both run so: they
// start in half the time and need less memory (docs/adr/0170). Plain JavaScript.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const EMBEDDED = 'libs/ledger-gateway/src/drivers/embedded';

/**
 * Each: what begins in a file of its own (a command, a thread), the commands, what stays outside since it is large and only
 * some need it, and what others would use and nobody needs here.
 */
export const PROGRAMS = {
  'proxy-client': {
    entries: {
      'proxy-client': 'apps/proxy-client/src/proxy-client.js',
      'admin.worker': 'apps/proxy-client/src/pages/admin.worker.js',
    },
    commands: ['proxy-client'],
    optional: [],
    unused: [],
  },
  'ledger-api': {
    entries: {
      'ledger-api': 'apps/ledger-api/src/ledger-api.js',
      'ledger-tool': 'src/tools/ledger/main.js',
      'ledger-identity': 'src/tools/identity/main.js',
      'reading.worker': `${EMBEDDED}/reading/reading.worker.js`,
      'writer.worker': `${EMBEDDED}/writer/writer.worker.js`,
      'signer.worker': `${EMBEDDED}/writer/signer.worker.js`,
      'verifier.worker': `${EMBEDDED}/maintenance/verifier.worker.js`,
      'examiner.worker': `${EMBEDDED}/maintenance/examiner.worker.js`,
    },
    commands: ['ledger-api', 'ledger-tool', 'ledger-identity'],
    optional: ['@grpc/grpc-js', '@hyperledger/fabric-gateway', 'fabric-ca-client', 'fabric-network'],
    // Fastify's compilers of schemas, which createAdapter does without.
    unused: ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  },
};

/** Packages that stay as they are, with the files that go along in a package: what they give is found by its path. */
export const WHOLE = {
  'swagger-ui-dist': [
    ...['LICENSE', 'NOTICE', 'index.js', 'absolute-path.js', 'favicon-16x16.png', 'favicon-32x32.png'],
    ...[
      'index.css',
      'swagger-initializer.js',
      'swagger-ui.css',
      'swagger-ui-bundle.js',
      'swagger-ui-standalone-preset.js',
    ],
  ],
};

/** What Nest would use if it were there. */
const NEVER_THERE = [
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
];

/** Nest asks for some packages in a form that no bundler of this kind sees; as `require` it is the same. */
const visibleRequires = {
  name: 'visible-requires',
  transform: {
    filter: { code: /createRequire\(import\.meta\.url\)\(/ },
    handler: (code) => ({
      code: code.replaceAll(/createRequire\(import\.meta\.url\)\((?=['"])/g, 'require('),
      map: null,
    }),
  },
};

/** Nest's own pipe, which nobody uses here, loads all of class-validator with its telephone numbers: we take the few rules that we use. */
const noPipeOfNest = {
  name: 'no-pipe-of-nest',
  resolveId: {
    filter: { id: /^class-(transformer|validator)($|\/)/ },
    handler: (id, importer = '') => (/[\\/]@nestjs[\\/]/.test(importer) ? { id, external: true } : undefined),
  },
};

const NO_MAP = { version: 3, sources: [], names: [], mappings: '' };

/** Our own code with the map that tsc has made of it, so that stack traces show its source; other code without one. */
const ownMaps = {
  name: 'own-maps',
  load: {
    filter: { id: /\.m?js$/ },
    handler: (id) => {
      const isOurs = !id.includes('node_modules') && existsSync(`${id}.map`);
      return { code: readFileSync(id, 'utf8'), map: isOurs ? readFileSync(`${id}.map`, 'utf8') : NO_MAP };
    },
  },
};

/**
 * Bundles a program into a folder, and gives the ids of the modules that it is made of.
 * @param isPackage - for a package: without maps
 */
export async function bundle(name, folder, { isPackage }) {
  const { entries, optional, unused } = PROGRAMS[name];
  const outside = [...Object.keys(WHOLE), ...NEVER_THERE, ...optional, ...unused];
  const rxjs = join(root, 'node_modules', 'rxjs', 'dist', 'esm');
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(Object.entries(entries).map(([entry, file]) => [entry, join(root, 'dist', file)])),
    external: (id) => outside.some((each) => id === each || id.startsWith(`${each}/`)),
    plugins: [noPipeOfNest, visibleRequires, ...(isPackage ? [] : [ownMaps])],
    resolve: {
      conditionNames: ['node', 'import', 'default'],
      // As modules, of which what nobody uses can be left out.
      mainFields: ['module', 'main'],
      alias: { 'rxjs/operators': join(rxjs, 'operators', 'index.js'), rxjs: join(rxjs, 'index.js') },
    },
    onLog: (_level, { code, message }) => {
      // What cannot be found now would be missing on other machines.
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
  });
  const { output: chunks } = await build.write({
    dir: folder,
    format: 'esm',
    // Nest and class-validator know classes by their names.
    keepNames: true,
    // A text with one character beyond Latin-1 takes two bytes for each of its characters in memory.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
    sourcemap: !isPackage,
    sourcemapExcludeSources: true,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    banner: ({ isEntry, name: entry }) => (isEntry && !entry.endsWith('.worker') ? '#!/usr/bin/env node' : ''),
  });
  await build.close();
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** How long what was bundled before is kept: a program that was started of it loads some of its files later. */
const KEPT_MS = 24 * 3_600_000;

/** Bundles both programs as `main` starts them where that is as new as the modules that it was made of. */
export async function bundleForWorkspace() {
  for (const name of Object.keys(PROGRAMS)) {
    const began = new Date();
    // The built pages lie two folders above.
    const folder = join(root, 'dist', 'apps', name, 'bundle', 'lib');
    await bundle(name, folder, { isPackage: false });
    utimesSync(join(folder, `${name}.js`), began, began);
    for (const path of readdirSync(folder).map((file) => join(folder, file))) {
      if (statSync(path).mtimeMs < began - KEPT_MS) rmSync(path);
    }
  }
}
