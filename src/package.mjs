// `npm run package`: both programs as tarballs that need Node 24 and nothing else, in dist/packages (or --to DIR). What they are made of is put
// into a few files each (rolldown), with fixed names for what threads and commands begin with. Plain JavaScript, behind a build.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [, , to, elsewhere] = process.argv;
const output = to === '--to' && elsewhere ? resolve(elsewhere) : join(root, 'dist', 'packages');
const workspace = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Where the code lies; the pages lie two folders up, as they do in the workspace's dist. */
const CODE = 'dist/lib';

const EMBEDDED = 'libs/ledger-gateway/src/drivers/embedded';

/**
 * Each: what begins in a file of its own (a command, a thread), the commands, what stays outside since it is large and only
 * some need it, what others would use and nobody needs here, and what is to be read.
 */
const PACKAGES = [
  {
    name: 'proxy-client',
    description: 'An HTTP and SOCKS5 proxy that sends everything through SOCKS5 servers, by rules, with a dashboard',
    entries: {
      'proxy-client': 'apps/proxy-client/src/main.js',
      'admin.worker': 'apps/proxy-client/src/pages/admin.worker.js',
    },
    commands: ['proxy-client'],
    optional: [],
    unused: ['class-transformer', 'class-validator'],
    docs: ['docs/proxy-client.md', 'docs/errors.md', 'docs/examples/10.proxy-configuration/proxy-client.yaml'],
  },
  {
    name: 'ledger-api',
    description: 'A REST API over a blockchain ledger of assets, embedded or on Hyperledger Fabric, with an explorer',
    entries: {
      'ledger-api': 'apps/ledger-api/src/main.js',
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
    unused: [],
    docs: ['docs/callers.md', 'docs/repeatable-writes.md', 'docs/errors.md', '.env.example'],
  },
];

/** Packages that go along as they are, with these files: what they give is found by its path. */
const WHOLE = {
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

async function bundle({ entries, optional, unused }, folder) {
  const outside = [...Object.keys(WHOLE), ...NEVER_THERE, ...optional, ...unused];
  const build = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(root, 'dist', file)])),
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [visibleRequires],
    resolve: { conditionNames: ['node', 'import', 'default'] },
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
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    banner: ({ isEntry, name }) => (isEntry && !name.endsWith('.worker') ? '#!/usr/bin/env node' : ''),
  });
  await build.close();
  return chunks.flatMap(({ moduleIds = [] }) => moduleIds);
}

const PACKAGE_OF = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** The licences of what was put into the files. */
function licences(modules) {
  const folders = new Set(modules.flatMap((id) => PACKAGE_OF.exec(id.replace(/^\0/, ''))?.[1] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const {
      name,
      version,
      license = 'see its repository',
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${typeof license === 'string' ? license : license.type})\n${text}`;
  });
  return `This package holds the following ones.\n\n${texts.join(`\n${'-'.repeat(80)}\n`)}`;
}

function packageOf(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
}

function copyWhole(folder) {
  for (const [name, files] of Object.entries(WHOLE)) {
    const at = join(folder, 'node_modules', name);
    for (const file of files) cpSync(join(root, 'node_modules', name, file), join(at, file));
    // Without what it depends on: nothing here needs that, and an install would look for it.
    const { version, license, main } = packageOf(name);
    writeFileSync(join(at, 'package.json'), `${JSON.stringify({ name, version, license, main }, null, 2)}\n`);
  }
}

/** What of the workspace's package.json holds for a package. */
function manifest({ name, description, commands, optional }) {
  const { version, license, dependencies } = workspace;
  const whole = Object.keys(WHOLE);
  return {
    ...{ name, version, description, license, type: 'module' },
    bin: Object.fromEntries(commands.map((command) => [command, `${CODE}/${command}.js`])),
    engines: { node: '>=24.9' },
    dependencies: Object.fromEntries(whole.map((each) => [each, packageOf(each).version])),
    bundleDependencies: whole,
    ...(optional.length > 0 && {
      peerDependencies: Object.fromEntries(optional.map((each) => [each, dependencies[each]])),
      peerDependenciesMeta: Object.fromEntries(optional.map((each) => [each, { optional: true }])),
    }),
  };
}

/** Each command begins with the line by which a shell finds Node, and may be run. */
function makeExecutable(folder, commands) {
  for (const command of commands) chmodSync(join(folder, CODE, `${command}.js`), 0o755);
}

function copyDocs(folder, { name, docs }) {
  for (const file of docs) cpSync(join(root, file), join(folder, file));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const [guide] = docs;
  writeFileSync(join(folder, 'README.md'), `# ${name}\n\nSee [${guide}](${guide}), and \`${name} --help\`.\n`);
}

function sizeOf(path) {
  const { size } = statSync(path);
  return statSync(path).isFile() ? size : readdirSync(path).reduce((sum, each) => sum + sizeOf(join(path, each)), 0);
}

function mib(bytes) {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}

function pack(folder) {
  const npm = process.env['npm_execpath'];
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const options = { encoding: 'utf8', shell: !npm && process.platform === 'win32' };
  const { status, stdout, stderr } = spawnSync(
    command,
    [...first, 'pack', folder, '--json', '--pack-destination', output],
    options,
  );
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  return join(output, JSON.parse(stdout)[0].filename);
}

for (const each of PACKAGES) {
  const folder = join(output, each.name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const modules = await bundle(each, join(folder, CODE));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(each), null, 2)}\n`);
  writeFileSync(join(folder, 'LICENSES.txt'), licences(modules));
  copyWhole(folder);
  cpSync(join(root, 'dist', 'apps', each.name, 'pages'), join(folder, 'pages'), { recursive: true });
  copyDocs(folder, each);
  makeExecutable(folder, each.commands);
  const tarball = pack(folder);
  console.log(`${relative(root, tarball)}: ${mib(sizeOf(tarball))}, installed ${mib(sizeOf(folder))}`);
}
