import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { runTool } from '../../support/proxy/run-tool.js';

const MARK = '=== end of block';

/** The commands of the README, in order. */
function blocksOf(readme: string): string[] {
  return [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** What an installed proxy-client may take on the disk, in bytes: its library is in it twice, for `import` and for `require`, and QuickJS for PAC scripts. */
const PROXY_LIMIT = 7_600_000;

const directory = mkdtempSync(join(tmpdir(), 'readme-'));
const clone = join(directory, 'clone');
/** Where the last commands of the README install both packages. */
const prefix = join(directory, '.local');
const [bin, modules] = [join(prefix, 'bin'), join(prefix, 'lib', 'node_modules')];
const started: ChildProcess[] = [];
/** Node itself, a shell's `env`, and what was installed: nothing of the workspace. */
const env = { PATH: [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':') };

async function run(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  return runTool(join(bin, command), args, { cwd: directory, env: { ...env, ...more } });
}

/** Starts an installed command, and returns the URLs of its ready message. */
async function start(command: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(join(bin, command), args, {
    cwd: directory,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  started.push(child);
  child.stdout?.resume();
  const [{ urls }] = (await once(child, 'message')) as [{ urls: Readonly<Record<string, string>> }];
  return urls;
}

function sizeOf(path: string): number {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, each) => sum + sizeOf(join(path, each)), 0);
}

/** Copies what a clone has, with the packages that are installed here: their installation is what CI begins with. */
function copyAsClone(): void {
  const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(existsSync);
  for (const file of files) cpSync(file, join(clone, file), { recursive: true });
  const installed = join(process.cwd(), 'node_modules');
  const { status } = spawnSync('cp', ['-al', installed, join(clone, 'node_modules')], { stdio: 'ignore' });
  if (status !== 0) execFileSync('cp', ['-a', installed, clone]);
}

let outputs: string[] = [];
let errors = '';
beforeAll(async () => {
  copyAsClone();
  // Other programs may use the usual ports of this machine.
  const [api, proxy, admin] = [await freePort(), await freePort(), await freePort()];
  const environment = `LEDGER_API_PORT=${api} PROXY_LISTEN_PORT=${proxy} PROXY_ADMIN_PORT=${admin}`;
  const blocks = blocksOf(readFileSync(join(clone, 'README.md'), 'utf8')).map((block) =>
    block
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${api}`)
      .replaceAll(/(127\.0\.0\.1:|port: )8080/g, `$1${proxy}`)
      .replaceAll(/^npm start/gm, `${environment} npm start`),
  );
  // Job control as in a terminal. `wait` returns the exit code of the job that was ended.
  const trap = `trap '[ "$BASH_COMMAND" = wait ] || echo "failed: $BASH_COMMAND" >&2' ERR`;
  const script = ['set -m', trap, ...blocks.map((block) => `${block}echo '${MARK}'`)].join('\n');
  writeFileSync(join(directory, 'blocks.sh'), script);
  const { stdout, stderr } = spawnSync('bash', [join(directory, 'blocks.sh')], {
    cwd: clone,
    encoding: 'utf8',
    env: {
      // The installed programs are started by `node`, which must be the one of the workspace.
      PATH: [dirname(process.execPath), process.env['PATH']].join(':'),
      HOME: directory,
      npm_config_update_notifier: 'false',
      npm_config_offline: 'true',
    },
  });
  outputs = stdout.split(`${MARK}\n`);
  errors = stderr;
  // Everything is built and installed meanwhile, on a machine that runs other tests too.
}, 900_000);

afterAll(async () => {
  for (const child of started) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
});

describe('the commands of the README', () => {
  it('all succeed, pasted in order into one terminal on a fresh clone', () => {
    expect(errors.split('\n').filter((line) => line.startsWith('failed: '))).toEqual([]);
    expect(outputs.at(-1)).toBe('');
  });

  it.each([
    ['start both programs', '"status"'],
    ['create an asset, change its owner and read its history', '"owner":"Ben"'],
    ['prove a transaction', 'PROVEN'],
    ['verify the ledger', 'No errors found.'],
    ['send a request through the proxy', '"status"'],
    ['start the proxy alone, with a configuration', '"status"'],
    ['explain which way a request takes', 'reject'],
    ['install the packages', 'proxy-client'],
  ])('%s', (title, text) => {
    const order = ['start both', 'create', 'prove', 'verify', 'send', 'start the proxy', 'explain', 'install'];
    expect(outputs[order.findIndex((start) => title.startsWith(start))]).toContain(text);
  });
});

it('installs into an empty prefix without a registry, and holds nothing of this machine', () => {
  expect(sizeOf(join(modules, 'proxy-client'))).toBeLessThan(PROXY_LIMIT);
  for (const name of ['proxy-client', 'ledger-api']) {
    const files = readdirSync(join(modules, name), { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'));
    expect(texts.filter((text) => text.includes(clone))).toEqual([]);
    // The explorer and .env.example named commands that exist in the workspace only.
    expect(texts.filter((text) => /npm run (?:ledger|identity)\b/.test(text))).toEqual([]);
  }
});

describe('proxy-client, installed', () => {
  it('prints its version, and checks a configuration', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await run('proxy-client', ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    writeFileSync(join(directory, 'bad.yaml'), 'via: maybe');
    expect(await run('proxy-client', ['--config', 'bad.yaml'])).toMatchObject({
      code: 1,
      stderr: 'bad.yaml: via: must be on or off\n',
    });
  });

  it('forwards, and has all pages of its admin listener', async () => {
    writeFileSync(join(directory, 'proxy.yaml'), 'listen: { port: 0 }\nupstream: embedded\nadmin: { port: 0 }');
    const { proxy = '', admin = '' } = await start('proxy-client', ['--config', 'proxy.yaml']);
    expect(await getThroughProxy(proxy, `${admin}/health`)).toMatchObject({ status: 403 });
    const document: unknown = await (await fetch(`${admin}/docs-json`)).json();
    expect(document).toEqual(JSON.parse(readFileSync('docs/openapi/proxy-client.json', 'utf8')));
    expect(await (await fetch(admin)).text()).toContain('<script type="module"');
    for (const path of ['/metrics', '/proxy.pac', '/upstreams', '/docs', '/docs/swagger-ui-bundle.js']) {
      expect([path, (await fetch(admin + path)).status]).toEqual([path, 200]);
    }
  });
});

describe('the library of proxy-client, installed', () => {
  const installed = join(modules, 'proxy-client');
  const consumer = `import { anonymize, createProxy, type FinishedConnection, type RunningProxy } from 'proxy-client';

const ended: FinishedConnection[] = [];
const proxy: RunningProxy = await anonymize('socks5://me:secret@127.0.0.1:1080');
await proxy.reload({ upstream: { host: '127.0.0.1', port: 1080, username: 'me', password: { file: 'secret' } } });
await using other = await createProxy(
  { upstreams: { a: 'embedded', b: { of: ['a'] } }, rules: [{ to: 'b' }] },
  { chooseUpstream: async ({ user, host, port }) => (port === 443 ? host + user : undefined), onEnd: (each) => ended.push(each) },
);
console.log(proxy.url, other.stats().total_connections);
// @ts-expect-error A wrong key.
await createProxy({ upstraems: {} }).catch(({ code }) => console.log(code));
await proxy.close({ drain: true });
`;

  it('runs, and is the first thing in the README', async () => {
    mkdirSync(join(directory, 'node_modules'), { recursive: true });
    symlinkSync(installed, join(directory, 'node_modules', 'proxy-client'));
    writeFileSync(join(directory, 'secret'), 'secret\n');
    writeFileSync(join(directory, 'consumer.mts'), consumer);
    const ran = await runTool(process.execPath, ['consumer.mts'], { cwd: directory });
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ 0\nPROXY\.CONFIG\n$/),
    });
    const code = /```js\n([^]*?)```/.exec(readFileSync(join(installed, 'README.md'), 'utf8'))?.[1];
    expect(code).toContain("await anonymize('socks5://me:secret@host:1080')");
  });

  it('has types, by which a wrong key does not compile', async () => {
    symlinkSync(join(process.cwd(), 'node_modules', '@types'), join(directory, 'node_modules', '@types'));
    const compiler = join(process.cwd(), 'node_modules', 'typescript-native', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
    const compiled = await runTool(process.execPath, [compiler, ...options, 'consumer.mts'], { cwd: directory });
    expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('is the file that the tests of the library run', () => {
    const built = readFileSync('dist/apps/proxy-client/bundle/library/index.js', 'utf8');
    expect(readFileSync(join(installed, 'dist', 'library', 'index.js'), 'utf8')).toBe(built);
  });
});

describe('ledger-api, installed', () => {
  const ledger = { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_DATA_DIR: join(directory, 'ledger') };

  it('keeps a ledger, which its tool verifies', async () => {
    const { http = '', docs = '' } = await start('ledger-api', [], ledger);
    const body = JSON.stringify({ id: 'a', appraisedValue: '1', color: 'red', owner: 'Ann', size: '5' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${http}/assets`, { method: 'POST', headers, body })).status).toBe(201);
    expect(await (await fetch(`${http}/assets/a`)).json()).toMatchObject({ data: { owner: 'Ann' } });
    expect(await (await fetch(new URL('/', http))).text()).toContain('<script type="module"');
    const shown = (await (await fetch(`${docs}-json`)).json()) as { paths: object };
    const committed = JSON.parse(readFileSync('docs/openapi/ledger-api.json', 'utf8')) as { paths: object };
    expect(shown.paths).toEqual(committed.paths);
    const verified = await run('ledger-tool', ['verify', '--data-dir', ledger.LEDGER_DATA_DIR]);
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('No errors found.')]);
  });

  it.each(['ledger-api', 'ledger-tool', 'ledger-identity'])(
    'shows the installed name of %s in its help, and its version; the tools showed commands of the workspace',
    async (command) => {
      const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
      expect(await run(command, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
      const help = await run(command, ['--help']);
      expect([help.code, help.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^Usage: ${command} `))]);
      expect(help.stdout).not.toContain('npm run');
    },
  );

  it('states how to install the packages of Fabric, and loads them from the same node_modules', async () => {
    const none = { FABRIC_CONNECTION_PROFILE: 'none', FABRIC_WALLET_DIR: 'none', FABRIC_IDENTITY: 'none' };
    const opened = async () => run('ledger-api', [], { ...ledger, ...none, LEDGER_DRIVER: 'fabric' });
    const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const command = `npm install fabric-network@${dependencies['fabric-network']!}`;
    expect(await opened()).toMatchObject({ code: 1, stderr: expect.stringContaining(command) });
    symlinkSync(join(process.cwd(), 'node_modules', 'fabric-network'), join(modules, 'fabric-network'));
    expect(await opened()).toMatchObject({ code: 1, stderr: expect.stringContaining('none') });
  });
});
