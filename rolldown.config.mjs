// Read by `npm run build`: bundles each program, straight from its TypeScript sources, into a few files. A bundle starts in half the time
// of its modules and needs less memory (docs/adr/0170). `npm run package` makes the packages of the same bundles.
import { globSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = import.meta.dirname;
/** Modules of packages whose `module` field names ES5, which V8 runs more slowly. */
const MODERN = {
  'class-validator': modern('class-validator', 'esm2015/index.js'),
  'rxjs/operators': modern('rxjs', 'dist/esm/operators/index.js'),
  rxjs: modern('rxjs', 'dist/esm/index.js'),
};

function modern(name, file) {
  return join(dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`))), file);
}

/**
 * The programs. `entries`: files with a fixed name, which start a command or a worker thread. `optional`: large packages that only some
 * users need; they are installed separately. `unused`: packages that others import and these programs never call.
 */
export const PROGRAMS = {
  'proxy-client': {
    entries: {
      'proxy-client': 'apps/proxy-client/src/main.ts',
      'command-bridge': 'apps/proxy-client/src/cli/inside/bridge.ts',
      'command-connect': 'apps/proxy-client/src/cli/inside/command-connect.ts',
      ...workersIn('apps/proxy-client'),
    },
    commands: ['proxy-client'],
    optional: ['koffi'],
    unused: [],
  },
  'ledger-api': {
    entries: {
      'ledger-api': 'apps/ledger-api/src/main.ts',
      'ledger-tool': 'src/tools/ledger/main.ts',
      'ledger-identity': 'src/tools/identity/main.ts',
      ...workersIn('libs'),
    },
    commands: ['ledger-api', 'ledger-tool', 'ledger-identity'],
    optional: ['@grpc/grpc-js', '@hyperledger/fabric-gateway', 'fabric-ca-client', 'fabric-network'],
    // Fastify's schema compilers; createAdapter replaces them.
    unused: ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler'],
  },
};

/** What only the workspace runs: the launcher, the development network of Fabric, generators. Packages are not bundled. */
const WORKSPACE = {
  main: 'src/main.ts',
  fabric: 'src/fabric-network/main.ts',
  chaincode: 'src/chaincode/main.ts',
  generate: 'src/generate.ts',
};

/** What tests and benchmarks run outside the programs. */
const TESTED = {
  ledgers: 'test/support/ledgers.ts',
  'proxy-stats': 'apps/proxy-client/src/stats/proxy-stats.ts',
  'admin-listener': 'apps/proxy-client/src/admin/admin-listener.ts',
  ...workersIn('libs'),
  ...workersIn('apps/proxy-client'),
};

/** Packages that are not bundled, because they find their own files by path; with the files that a package of ours contains. */
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

/** Optional packages that Nest tries to load; they are not installed. */
const NOT_INSTALLED = [
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
];

/** The worker threads below a folder, as entries. Threads are started by file name. */
function workersIn(folder) {
  const files = globSync(`${folder}/**/*.worker.ts`, { cwd: ROOT });
  return Object.fromEntries(files.map((file) => [basename(file, '.ts'), file]));
}

/** Nest loads some packages by createRequire(…)(…), which the bundler does not recognize; `require` is equivalent. */
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

/** Nest's ValidationPipe is not used. It would load all of class-validator, telephone numbers included. */
const noValidationPipe = {
  name: 'no-validation-pipe',
  resolveId: {
    filter: { id: /^class-(transformer|validator)($|\/)/ },
    handler: (id, importer = '') => (/[\\/]@nestjs[\\/]/.test(importer) ? { id, external: true } : undefined),
  },
};

/** Node keeps source maps in memory, so only our own code has one. */
const noMapsOfPackages = {
  name: 'no-maps-of-packages',
  transform: {
    filter: { id: /[\\/]node_modules[\\/]/ },
    handler: (code) => ({ code, map: { version: 3, sources: [], names: [], mappings: '' } }),
  },
};

/** The binary of QuickJS, next to the worker that reads it. */
const quickjsBinary = {
  name: 'quickjs-binary',
  generateBundle(_options, bundle) {
    if (!Object.values(bundle).some(({ name }) => name === 'pac.worker')) return;
    const source = readFileSync(fileURLToPath(import.meta.resolve('quickjs-wasi/quickjs.wasm')));
    this.emitFile({ type: 'asset', fileName: 'quickjs.wasm', source });
  },
};

/** A running program may still load a file of the previous build, so old files are removed after a day. */
const removeOldFiles = {
  name: 'remove-old-files',
  writeBundle({ dir }) {
    const oldest = Date.now() - 24 * 3_600_000;
    for (const path of readdirSync(dir).map((file) => join(dir, file))) {
      if (statSync(path).isFile() && statSync(path).mtimeMs < oldest) rmSync(path);
    }
  },
};

const BASE = {
  cwd: ROOT,
  platform: 'node',
  // The oldest Node on which the packages run; it has no `using`.
  transform: { target: 'node22.20' },
  tsconfig: 'tsconfig.json',
  resolve: {
    conditionNames: ['source', 'node', 'import', 'default'],
    extensionAlias: { '.js': ['.ts', '.js'] },
    // ES modules, from which unused code can be removed.
    mainFields: ['module', 'main'],
    alias: MODERN,
  },
  onLog: (_level, { code, message }) => {
    if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
  },
};

const OUTPUT = {
  format: 'esm',
  // Nest and class-validator identify classes by name.
  keepNames: true,
  // One character outside Latin-1 makes V8 store the whole text with two bytes per character.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true, asciiOnly: true } },
  comments: false,
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
};
const MAPS = { sourcemap: true, sourcemapExcludeSources: true };

/** The options that bundle a program into a folder; its pages are expected in `../../pages`. */
export function programBundle(name, dir, { isPackage = false } = {}) {
  const { entries, optional, unused } = PROGRAMS[name];
  const external = [...Object.keys(WHOLE), ...NOT_INSTALLED, ...optional, ...unused];
  return {
    ...BASE,
    input: entries,
    external: (id) => external.some((each) => id === each || id.startsWith(`${each}/`)),
    plugins: [
      noValidationPipe,
      visibleRequires,
      quickjsBinary,
      ...(isPackage ? [] : [noMapsOfPackages, removeOldFiles]),
    ],
    output: {
      ...OUTPUT,
      ...(isPackage ? {} : MAPS),
      dir,
      banner: ({ isEntry, name: entry }) => (isEntry && !entry.endsWith('.worker') ? '#!/usr/bin/env node' : ''),
    },
  };
}

/** The options that bundle our own code, and the helpers of the transpiler, only. */
function ownBundle(input, dir) {
  const external = (id) => !/^([./#\0]|@oxc-project\/)/.test(id) && !Object.values(input).includes(id);
  return { ...BASE, input, external, plugins: [quickjsBinary, removeOldFiles], output: { ...OUTPUT, ...MAPS, dir } };
}

/** The packages that the library of proxy-client may contain, and its maximum size in bytes. */
const IN_LIBRARY = ['fastest-levenshtein', 'ipaddr.js'];
const LIBRARY_SIZE = 400_000;

/** The threads that the library starts: for PAC scripts and Kerberos, when they are configured. */
const LIBRARY_THREADS = ['pac.worker', 'kerberos.worker'];

/** Others load the library into their programs: it is one small file, without a framework, a logger or a parser of files. */
const smallLibrary = {
  name: 'small-library',
  generateBundle(_options, bundle) {
    // Threads are started by a file next to the library. Their code, with QuickJS, is in the package only once.
    for (const name of LIBRARY_THREADS) {
      this.emitFile({ type: 'asset', fileName: `${name}.js`, source: `import '../lib/${name}.js';\n` });
    }
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const modules = chunks.flatMap(({ moduleIds, imports }) => [...moduleIds, ...imports]);
    const packages = modules.map((id) => /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]);
    const others = new Set(packages.filter((name) => name !== undefined && !IN_LIBRARY.includes(name)));
    if (others.size > 0) throw new Error(`The library of proxy-client contains ${[...others].join(', ')}.`);
    const size = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    if (chunks.length > 1 || size > LIBRARY_SIZE) {
      throw new Error(`The library of proxy-client has ${chunks.length} files of ${size} bytes together.`);
    }
  },
};

/** The options that bundle the library of proxy-client into a folder next to `lib`: as `index.js`, or as CommonJS in `index.cjs`. */
export function libraryBundle(dir, format = 'esm') {
  const input = { index: 'apps/proxy-client/src/library/index.ts' };
  const entryFileNames = format === 'cjs' ? '[name].cjs' : OUTPUT.entryFileNames;
  return {
    ...BASE,
    input,
    plugins: [smallLibrary],
    output: { ...OUTPUT, dir, format, entryFileNames, codeSplitting: false },
  };
}

/** The packages that the library of ledger-api may contain, and its maximum size in bytes. */
const IN_LEDGER_LIBRARY = [
  ...['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse', 're2js'],
  // Certificates.
  ...['@peculiar/x509', 'asn1js', 'pvtsutils', 'pvutils', 'reflect-metadata', 'tslib', 'tsyringe'],
];
const LEDGER_LIBRARY_SIZE = 1_048_576;

/**
 * Removes the tabs with which the bundler indents, a tenth of the code, and its comments with the paths of modules. Our sources, and
 * their templates, are indented by spaces.
 */
const withoutIndentation = {
  name: 'without-indentation',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk')
        chunk.code = chunk.code.replaceAll(/^\t+|^\t*\/\/ (?:libs|node_modules)\/\S+\n/gm, '');
    }
  },
};

/** Fails for a framework, or another package that the library should not contain. */
const smallLedgerLibrary = {
  name: 'small-ledger-library',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const ids = chunks.flatMap(({ moduleIds }) => moduleIds);
    const packages = ids.map((id) => /[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1]);
    const others = new Set(
      packages.filter((name) => name !== undefined && !/^@peculiar\//.test(name) && !IN_LEDGER_LIBRARY.includes(name)),
    );
    if (others.size > 0) throw new Error(`The library of ledger-api contains ${[...others].join(', ')}.`);
    // Node 22 and later can require an ES module.
    const source = "'use strict';\nmodule.exports = require('./index.js');\n";
    this.emitFile({ type: 'asset', fileName: 'index.cjs', source });
    const size = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
    if (size > LEDGER_LIBRARY_SIZE) throw new Error(`The library of ledger-api has ${size} bytes.`);
  },
};

/** The options that bundle the library `ledger-api/embedded`, with its worker threads, into a folder. */
export function ledgerLibraryBundle(dir) {
  return {
    ...BASE,
    input: { index: 'libs/ledger-library/src/index.ts', ...workersIn('libs/embedded-ledger') },
    plugins: [visibleRequires, withoutIndentation, smallLedgerLibrary],
    // With line breaks: Node prints the line of an uncaught error.
    output: { ...OUTPUT, dir, minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } } },
  };
}

/** The options that bundle the library `ledger-api/testing`, which starts the program, into the folder of the other library. */
export function testingLibraryBundle(dir) {
  return {
    ...BASE,
    input: { testing: 'apps/ledger-api/src/test-library/index.ts' },
    plugins: [withoutIndentation, testingAsCommonJs],
    output: { ...OUTPUT, dir, minify: false },
  };
}

/** Node 22 and later can require an ES module. */
const testingAsCommonJs = {
  name: 'testing-as-commonjs',
  generateBundle() {
    const source = "'use strict';\nmodule.exports = require('./testing.js');\n";
    this.emitFile({ type: 'asset', fileName: 'testing.cjs', source });
  },
};

/** A program that `npm run chaincode -- package` puts into a chaincode package: one readable file. A peer installs fabric-shim only. */
function chaincodeBundle(contract, dir) {
  return {
    ...BASE,
    input: { start: `libs/${contract}/src/peer/start.ts` },
    external: ['fabric-shim'],
    plugins: [visibleRequires, removeOldFiles],
    output: { ...OUTPUT, minify: false, dir },
  };
}

export default [
  ...Object.keys(PROGRAMS).map((name) => programBundle(name, `dist/apps/${name}/bundle/lib`)),
  libraryBundle('dist/apps/proxy-client/bundle/library'),
  ledgerLibraryBundle('dist/apps/ledger-api/library'),
  testingLibraryBundle('dist/apps/ledger-api/library'),
  ownBundle(WORKSPACE, 'dist/src'),
  chaincodeBundle('asset-contract', 'dist/src/peer'),
  chaincodeBundle('records-contract', 'dist/src/peer-records'),
  ownBundle(TESTED, 'dist/test'),
];
