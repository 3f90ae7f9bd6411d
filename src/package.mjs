// `npm run package`: makes the packages of both programs, in dist/packages (or --to DIR). It bundles the programs (rolldown.config.mjs) and
// builds their pages itself, and needs no `npm run build`. The packages need Node and nothing else.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import ts from 'typescript';
import { build as buildPage } from 'vite';
import {
  ledgerLibraryBundle,
  libraryBundle,
  programBundle,
  PROGRAMS,
  testingLibraryBundle,
  WHOLE,
} from '../rolldown.config.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [, , to, elsewhere] = process.argv;
const output = to === '--to' && elsewhere ? resolve(elsewhere) : join(root, 'dist', 'packages');
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The folder of the code; the pages are two folders above it, as in the workspace's dist. */
const CODE = 'dist/lib';
const LIBRARY = 'dist/library';

/** The beginning of the README of proxy-client. */
const LIBRARY_README = `\`\`\`js
import { anonymize } from 'proxy-client';

const proxy = await anonymize('socks5://me:secret@host:1080');
// proxy.url is http://127.0.0.1:PORT, without a password: for Playwright, Puppeteer, undici, axios, curl.
await proxy.close();
\`\`\`

The library has a callback that chooses the upstream, rules, counters and types: [docs/proxy-library.md](docs/proxy-library.md). The
package also installs the program with a dashboard:

`;

/** The description of each package, and the documents that it contains: the first is the guide. */
const PACKAGES = [
  {
    name: 'proxy-client',
    description: 'An HTTP and SOCKS5 proxy that sends everything through SOCKS5 servers, by rules, with a dashboard',
    docs: [
      ...['client', 'routing', 'gate', 'clients', 'operation', 'lists', 'library'].map(
        (page) => `docs/proxy-${page}.md`,
      ),
      ...['docs/gate.md', 'docs/company-proxy.md', 'docs/errors.md', 'docs/proxy-client.schema.json'],
      'docs/examples/10.proxy-configuration/proxy-client.yaml',
      ...globSync('docs/examples/16.proxy-library/*.mjs', { cwd: root }),
    ],
    readme: LIBRARY_README,
    // For resolvers that do not read `exports`.
    main: `./${LIBRARY}/index.cjs`,
    types: `./${LIBRARY}/index.d.cts`,
    exports: {
      '.': {
        import: { types: `./${LIBRARY}/index.d.ts`, default: `./${LIBRARY}/index.js` },
        require: { types: `./${LIBRARY}/index.d.cts`, default: `./${LIBRARY}/index.cjs` },
      },
      './package.json': './package.json',
    },
  },
  {
    name: 'ledger-api',
    description: 'A REST API over a blockchain ledger of assets, embedded or on Hyperledger Fabric, with an explorer',
    docs: ['docs/callers.md', 'docs/repeatable-writes.md', 'docs/errors.md', '.env.example'],
    exports: {
      './embedded': {
        import: { types: `./${LIBRARY}/index.d.ts`, default: `./${LIBRARY}/index.js` },
        require: { types: `./${LIBRARY}/index.d.cts`, default: `./${LIBRARY}/index.cjs` },
      },
      './testing': {
        import: { types: `./${LIBRARY}/testing/index.d.ts`, default: `./${LIBRARY}/testing.js` },
        require: { types: `./${LIBRARY}/testing/index.d.cts`, default: `./${LIBRARY}/testing.cjs` },
      },
      './package.json': './package.json',
    },
  },
];

const PACKAGE_OF = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** Lists the packages that were bundled, and those that are contained as they are. */
function bundledPackages(modules) {
  const whole = Object.keys(WHOLE).map((name) => join(root, 'node_modules', name));
  const folders = new Set([...modules.flatMap((id) => PACKAGE_OF.exec(id.replace(/^\0/, ''))?.[1] ?? []), ...whole]);
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { folder, name, version, license: typeof license === 'object' ? license.type : license };
  });
}

/** Returns the licences of packages. */
function licences(packages) {
  const texts = packages.map(({ folder, name, version, license = 'see its repository' }) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return `This package holds the following ones.\n\n${texts.join(`\n${'-'.repeat(80)}\n`)}`;
}

/** Returns the bill of materials of a package, in CycloneDX 1.6: scanners cannot see what a bundle contains. */
function billOfMaterials({ name, description }, packages) {
  const component = ({ name: each, version, license }) => {
    const purl = `pkg:npm/${each.replace('@', '%40')}@${version}`;
    const licenses = license === undefined ? undefined : [{ expression: license }];
    return { type: 'library', 'bom-ref': purl, name: each, version, licenses, purl };
  };
  const { version, license } = workspace;
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component({ name, version, license }), type: 'application', description } },
    // Several packages may bring the same version.
    components: [...new Map(packages.map(component).map((each) => [each.purl, each])).values()],
  };
}

function packageOf(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function copyWhole(folder) {
  for (const [name, files] of Object.entries(WHOLE)) {
    const at = join(folder, 'node_modules', name);
    for (const file of files) cpSync(join(root, 'node_modules', name, file), join(at, file));
    // Without its dependencies, which are not used: an offline installation would look for them.
    const { version, license, main } = packageOf(name);
    writeFileSync(join(at, 'package.json'), `${JSON.stringify({ name, version, license, main }, null, 2)}\n`);
  }
}

/** Bundles the library of proxy-client twice: as ES module and as CommonJS. */
async function buildProxyLibraryInto(folder) {
  const { output: chunks } = await build(libraryBundle(folder));
  await build(libraryBundle(folder, 'cjs'));
  writeTypes(folder, 'apps/proxy-client/src/library', ['index', 'types', 'config-types']);
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Bundles the library of ledger-api, which has worker threads, once. */
async function buildLedgerLibraryInto(folder) {
  const { output: chunks } = await build(ledgerLibraryBundle(folder));
  writeTypes(folder, 'libs/ledger-library/src', ['index', 'public-types']);
  await build(testingLibraryBundle(folder));
  writeTypes(join(folder, 'testing'), 'apps/ledger-api/src/test-library', ['index', 'public-types']);
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds);
}

const LIBRARIES = { 'proxy-client': buildProxyLibraryInto, 'ledger-api': buildLedgerLibraryInto };

/** Writes the declarations of a library's types, which import nothing else. */
function writeTypes(folder, sources, names) {
  for (const name of names) {
    const source = readFileSync(join(root, sources, `${name}.ts`), 'utf8');
    const { outputText, diagnostics } = ts.transpileDeclaration(source, { reportDiagnostics: true });
    if (diagnostics.length > 0) throw new Error(`The types of ${name}.ts are not explicit.`);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, `${name}.d.ts`), outputText);
    writeFileSync(join(folder, `${name}.d.cts`), outputText.replaceAll(".js';", ".cjs';"));
  }
}

/** Returns the package.json of a package. */
function manifest({ name, description, main, types, exports }) {
  const { version, license, dependencies, optionalDependencies } = workspace;
  const { commands, optional } = PROGRAMS[name];
  const whole = Object.keys(WHOLE);
  return {
    ...{ name, version, description, license, type: 'module' },
    ...{ main, types, exports },
    bin: Object.fromEntries(commands.map((command) => [command, `${CODE}/${command}.js`])),
    engines: { node: '>=22.20' },
    dependencies: Object.fromEntries(whole.map((each) => [each, packageOf(each).version])),
    bundleDependencies: whole,
    ...(optional.length > 0 && {
      peerDependencies: Object.fromEntries(
        optional.map((each) => [each, dependencies[each] ?? optionalDependencies[each]]),
      ),
      peerDependenciesMeta: Object.fromEntries(optional.map((each) => [each, { optional: true }])),
    }),
  };
}

function copyDocs(folder, { name, docs, readme = '' }) {
  for (const file of docs) cpSync(join(root, file), join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const [guide] = docs;
  writeFileSync(join(folder, 'README.md'), `# ${name}\n\n${readme}See [${guide}](${guide}), and \`${name} --help\`.\n`);
}

/** The scripts of the workspace, and the installed commands. */
const INSTALLED_COMMANDS = { ledger: 'ledger-tool', identity: 'ledger-identity' };

/** Texts name the scripts of the workspace; a package names the commands that it installs. */
function nameCommands(text) {
  return text.replaceAll(/npm run (ledger|identity)\b(?: --)?/g, (_, script) => INSTALLED_COMMANDS[script]);
}

function nameCommandsIn(folder, docs) {
  // The folder contains binaries too.
  const isText = (file) => file.endsWith('.js');
  const code = readdirSync(join(folder, CODE))
    .filter(isText)
    .map((file) => join(CODE, file));
  for (const file of [...code, ...docs].map((each) => join(folder, each))) {
    writeFileSync(file, nameCommands(readFileSync(file, 'utf8')));
  }
}

/** Builds the page again, because its files are compressed, and listed with their hashes. Returns the modules that it is made of. */
async function buildPageInto(folder, name) {
  const page = {
    configFile: join(root, 'vite.config.mjs'),
    root: join(root, 'apps', name, 'pages'),
    plugins: [{ name: 'name-commands', enforce: 'pre', transform: nameCommands }],
    build: { outDir: join(folder, 'pages') },
  };
  const built = await buildPage(page);
  if (name === 'ledger-api') await buildPage({ ...page, mode: 'single-file' });
  return built.output.flatMap(({ moduleIds = [] }) => moduleIds);
}

function mib(bytes) {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

/** Returns the name of the tarball, its size and that of its files. */
function pack(folder) {
  const npm = process.env['npm_execpath'];
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const options = { encoding: 'utf8', shell: !npm && process.platform === 'win32' };
  const args = ['pack', folder, '--json', '--pack-destination', output];
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], options);
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  return JSON.parse(stdout)[0];
}

for (const each of PACKAGES) {
  const folder = join(output, each.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { output: chunks } = await build(programBundle(each.name, join(folder, CODE), { isPackage: true }));
  const modules = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
  modules.push(...(await LIBRARIES[each.name](join(folder, LIBRARY))));
  modules.push(...(await buildPageInto(folder, each.name)));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(each), null, 2)}\n`);
  const packages = bundledPackages(modules);
  writeFileSync(join(folder, 'LICENSES.txt'), licences(packages));
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(each, packages), null, 2)}\n`);
  copyWhole(folder);
  copyDocs(folder, each);
  nameCommandsIn(folder, each.docs);
  // Each begins with `#!/usr/bin/env node`.
  for (const command of PROGRAMS[each.name].commands) chmodSync(join(folder, CODE, `${command}.js`), 0o755);
  const { filename, size, unpackedSize } = pack(folder);
  console.log(`${relative(root, join(output, filename))}: ${mib(size)}, installed ${mib(unpackedSize)}`);
}
