import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/free-port.js';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { NodeOrigin } from '../../support/node-origin.js';
import { runTool, type ToolResult } from '../../support/proxy/run-tool.js';
import { until } from '../../support/until.js';

type Urls = Readonly<Record<string, string>>;

const TOOLS = resolve('test/registry/node_modules');
/** The oldest Node on which the packages run. */
const OLDEST = join(TOOLS, 'node-22/bin/node');
const REGISTRY = `storage: ./storage
auth: { htpasswd: { file: ./htpasswd } }
packages: { '**': { access: $all, publish: $all } }
web: { enable: false }
log: { type: stdout, format: json, level: fatal }
`;

const directory = mkdtempSync(join(tmpdir(), 'registry-'));
const packages = join(directory, 'packages');
const started: ChildProcess[] = [];
let registry: ChildProcess;
let env: Readonly<Record<string, string>>;

/** Runs npm or npx in a folder: with its own cache, with our registry and no other. */
async function npm(program: string, args: readonly string[], cwd: string): Promise<ToolResult> {
  return runTool(program, args, { cwd, env });
}

/** Makes an empty folder, in which nothing of this workspace is found. */
function emptyFolder(name: string): string {
  const folder = join(directory, name);
  mkdirSync(folder);
  return folder;
}

/** Starts a command, and returns the addresses of the line that reports that it is ready. */
async function start(command: readonly string[], cwd: string, more: Readonly<Record<string, string>>): Promise<Urls> {
  const [file = '', ...args] = command;
  // Its own group: npx starts the program as a child of a shell.
  const child = spawn(file, args, {
    cwd,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  started.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes(' is ready')) continue;
    child.stdout.resume();
    return JSON.parse(line) as Urls;
  }
  throw new Error(`${command.join(' ')} ended before it was ready`);
}

async function write(http: string): Promise<number> {
  const body = JSON.stringify({ id: 'a', appraisedValue: '1', color: 'red', owner: 'Ann', size: '5' });
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(`${http}/assets`, { method: 'POST', headers, body })).status;
}

/** Packages are made, published and installed, which takes 20 s where nothing else runs. */
const INSTALL_MS = 900_000;
const LEDGER = { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0' };
const PROXY = { PROXY_LISTEN_PORT: '0', PROXY_ADMIN_PORT: '0', PROXY_UPSTREAM: 'embedded' };

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    npm_config_registry: url,
    npm_config_cache: join(directory, 'cache'),
    // Everybody may publish there, but npm asks for a token.
    [`npm_config_//127.0.0.1:${port}/:_authToken`]: 'none',
    npm_config_update_notifier: 'false',
  };
  writeFileSync(join(directory, 'registry.yaml'), REGISTRY);
  const main = join(TOOLS, 'verdaccio/bin/verdaccio');
  registry = spawn(process.execPath, [main, '--config', 'registry.yaml', '--listen', `127.0.0.1:${port}`], {
    cwd: directory,
    stdio: 'ignore',
  });
  const made = runTool(process.execPath, ['src/package.mjs', '--to', packages], { cwd: process.cwd() });
  await until(async () =>
    fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  expect(await made).toMatchObject({ code: 0 });
  for (const file of readdirSync(packages).filter((name) => name.endsWith('.tgz'))) {
    expect(await npm('npm', ['publish', file], packages)).toMatchObject({ code: 0 });
  }
}, INSTALL_MS);

afterAll(async () => {
  for (const child of started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    process.kill(-child.pid!, 'SIGTERM');
    await once(child, 'close');
  }
  registry.kill();
  await once(registry, 'close');
  rmSync(directory, { recursive: true, force: true });
});

describe('the packages', () => {
  it.each(['proxy-client', 'ledger-api'])('publint finds nothing in %s', async (name) => {
    const [file] = readdirSync(packages).filter((each) => each.startsWith(`${name}-`) && each.endsWith('.tgz'));
    const linted = await runTool(process.execPath, [join(TOOLS, '.bin/publint'), file!, '--strict'], { cwd: packages });
    expect(linted).toMatchObject({ code: 0, stdout: expect.stringContaining('All good!') });
  });

  it.each([
    ['proxy-client', 'strict'],
    // Resolvers from before Node 16 find no path of a package that is not a file.
    ['ledger-api', 'node16'],
  ])('the types of %s are found by every way of resolving modules (%s)', async (name, profile) => {
    const [file] = readdirSync(packages).filter((each) => each.startsWith(`${name}-`) && each.endsWith('.tgz'));
    const args = [join(TOOLS, '.bin/attw'), file!, '--profile', profile];
    expect(await runTool(process.execPath, args, { cwd: packages })).toMatchObject({ code: 0 });
  });
});

describe('the bill of materials', () => {
  it.each([
    ['proxy-client', ['svelte', 'ipaddr.js', 'swagger-ui-dist']],
    ['ledger-api', ['svelte', 'fastify', 'swagger-ui-dist']],
  ])('of %s is valid CycloneDX, and lists what was bundled', async (name, contained) => {
    const file = join(packages, name, 'sbom.cdx.json');
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: { name: string }[] };
    expect(components.map((component) => component.name)).toEqual(expect.arrayContaining(contained));
    const validator = `
      import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
      const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
      process.exitCode = (await validator.validate(process.argv[1])) === null ? 0 : 1;`;
    const args = ['--input-type=module', '--eval', validator, readFileSync(file, 'utf8')];
    expect(await runTool(process.execPath, args, { cwd: dirname(TOOLS) })).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

describe('in an empty folder', () => {
  it('npx runs proxy-client', async () => {
    const urls = await start(['npx', '--yes', 'proxy-client', '--mode', 'http'], emptyFolder('npx-proxy'), PROXY);
    expect((await getThroughProxy(urls['proxy']!, 'http://127.0.0.1:1/')).status).toBe(502);
  });

  it('npx runs ledger-api, and ledger-tool of the same package verifies what it wrote', async () => {
    const folder = emptyFolder('npx-ledger');
    const { http } = await start(['npx', '--yes', 'ledger-api'], folder, LEDGER);
    expect(await write(http!)).toBe(201);
    expect(await npm('npx', ['--yes', '--package=ledger-api', '--', 'ledger-tool', 'verify'], folder)).toMatchObject({
      code: 0,
    });
  });
});

/** The message where the optional package is not installed. */
const NO_KOFFI = 'auth: negotiate needs the package koffi, which is not installed: npm install koffi@3.3.4';

describe('proxy-client as a dependency', () => {
  const FIRST_LINES = (load: string) => `${load}
void (async () => {
  const proxy = await createProxy({ upstream: 'embedded' });
  console.log(proxy.url);
  await proxy.close();
})();
`;
  const PROGRAMS: Readonly<Record<string, string>> = {
    'program.mjs': FIRST_LINES("import { createProxy } from 'proxy-client';"),
    'program.cjs': FIRST_LINES("const { createProxy } = require('proxy-client');"),
    'program.mts': FIRST_LINES(
      "import { createProxy, type RunningProxy } from 'proxy-client';\nexport type Mine = RunningProxy;",
    ),
    'program.cts': FIRST_LINES("import library = require('proxy-client');\nconst { createProxy } = library;"),
  };
  const folder = join(directory, 'dependent');

  beforeAll(async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"dependent","version":"1.0.0"}');
    expect(await npm('npm', ['install', 'proxy-client'], folder)).toMatchObject({ code: 0, stderr: '' });
    for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
    symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'));
  }, INSTALL_MS);

  it.each(['program.mjs', 'program.cjs', 'program.mts'])('is loaded by %s', async (name) => {
    const ran = await runTool(process.execPath, [name], { cwd: folder });
    expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\n$/), stderr: '' });
  });

  it.each(['program.mts', 'program.cts'])('has types for %s', async (name) => {
    const compiler = resolve('node_modules/typescript-native/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
    const compiled = await runTool(process.execPath, [compiler, ...options, name], { cwd: folder });
    expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it.each([
    [
      'threads.mjs',
      "import { createProxy } from 'proxy-client'; import { get } from 'node:http'; import { text } from 'node:stream/consumers';",
    ],
    [
      'threads.cjs',
      "const { createProxy } = require('proxy-client'), { get } = require('http'), { text } = require('stream/consumers');",
    ],
  ])('runs PAC scripts, and states what Kerberos needs: %s', async (name, load) => {
    await using company = await NodeOrigin.start((request, response) => response.end(`forwarded ${request.url}`));
    const script = `function FindProxyForURL(url, host) { return 'PROXY ${company.authority}'; }`;
    writeFileSync(join(folder, 'company.pac'), script);
    writeFileSync(
      join(folder, name),
      `${load}
void (async () => {
  const proxy = await createProxy({ upstreams: { company: { pac: { file: 'company.pac' } } } });
  const { hostname: host, port } = new URL(proxy.url);
  console.log(await text(await new Promise((resolve) => get({ host, port, path: 'http://shop.example/' }, resolve))));
  await proxy.close();
  const upstream = { url: 'http://127.0.0.1:1', auth: 'negotiate' };
  await createProxy({ upstream }).catch(({ code, message }) => console.log(code, message));
})();
`,
    );
    for (const node of [process.execPath, OLDEST]) {
      expect(await runTool(node, [name], { cwd: folder })).toEqual({
        code: 0,
        stdout: `forwarded http://shop.example/\nPROXY.CONFIG upstream: ${NO_KOFFI}\n`,
        stderr: '',
      });
    }
  });

  it('states exactly once what Kerberos needs: at --check, at the start, and at a reload of the running program', async () => {
    const kerberos = ['upstreams:'];
    for (const name of ['first', 'second']) kerberos.push(`  ${name}: { url: 'http://127.0.0.1:1', auth: negotiate }`);
    const config = (...lines: readonly string[]) => ['listen: { port: 0 }', 'admin: off', ...lines, ''].join('\n');
    const main = join(folder, 'node_modules/.bin/proxy-client');
    writeFileSync(join(folder, 'kerberos.yaml'), config(...kerberos));
    for (const args of [['--check'], ['--check', 'a.example:443'], []]) {
      const ran = await runTool(main, ['--config', 'kerberos.yaml', ...args], { cwd: folder, env });
      expect(ran).toEqual({ code: 1, stdout: '', stderr: `upstreams.first: ${NO_KOFFI}\n` });
    }
    writeFileSync(join(folder, 'running.yaml'), config('upstream: embedded'));
    const urls = await start([main, '--config', 'running.yaml', '--watch'], folder, {});
    const lines = createInterface({ input: started.at(-1)!.stdout! })[Symbol.asyncIterator]();
    writeFileSync(join(folder, 'running.yaml'), config(...kerberos));
    const { value: line } = (await lines.next()) as { value: string };
    expect(JSON.parse(line)).toMatchObject({
      msg: 'configuration not reloaded: the previous one stays in force',
      faults: [`upstreams.first: ${NO_KOFFI}`],
    });
    expect((await getThroughProxy(urls['proxy']!, 'http://127.0.0.1:1/')).status).toBe(502);
    const { optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      optionalDependencies: Readonly<Record<string, string>>;
    };
    expect(NO_KOFFI).toContain(`koffi@${optionalDependencies['koffi']!}`);
  });

  it('is loaded by the oldest Node that it supports', async () => {
    for (const name of ['program.mjs', 'program.cjs']) {
      expect(await runTool(OLDEST, [name], { cwd: folder })).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

describe('on the oldest Node', () => {
  const folder = join(directory, 'oldest');

  beforeAll(async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"oldest","version":"1.0.0"}');
    expect(await npm('npm', ['install', 'proxy-client', 'ledger-api'], folder)).toMatchObject({ code: 0 });
  }, INSTALL_MS);

  const main = (command: string) => join(folder, 'node_modules/.bin', command);

  it('proxy-client serves', async () => {
    const urls = await start([OLDEST, main('proxy-client')], folder, PROXY);
    expect((await getThroughProxy(urls['proxy']!, 'http://127.0.0.1:1/')).status).toBe(502);
    expect((await fetch(`${urls['admin']!}/stats`)).status).toBe(200);
  });

  it.each(['log.mjs', 'log.cjs', 'log.mts', 'log.cts'])(
    'ledger-api/embedded is loaded by %s, or has types for it',
    async (name) => {
      const loads: Readonly<Record<string, string>> = {
        'log.cjs': "const { openLedger } = require('ledger-api/embedded');",
        'log.cts': "import library = require('ledger-api/embedded');\nconst { openLedger } = library;",
      };
      const load = loads[name] ?? "import { openLedger } from 'ledger-api/embedded';";
      const isTyped = name.endsWith('ts');
      writeFileSync(
        join(folder, name),
        `${load}
void (async () => {
  const log = await openLedger${isTyped ? '<{ login: { user: string } }>' : ''}('audit-${name}');
  const { id } = await log.append('login', { user: 'ana' });
  ${isTyped ? '// @ts-expect-error -- another type' : ''}
  ${isTyped ? "await log.append('login', { user: 5 });" : ''}
  console.log((await log.get('login', id))?.document.user);
})();
`,
      );
      if (!isTyped) {
        expect(await runTool(OLDEST, [name], { cwd: folder })).toMatchObject({ code: 0, stdout: 'ana\n' });
        expect(await runTool(process.execPath, [name], { cwd: folder })).toEqual({
          code: 0,
          stdout: 'ana\n',
          stderr: '',
        });
        return;
      }
      const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'];
      const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node'];
      const compiler = resolve('node_modules/typescript-native/bin/tsc');
      const compiled = await runTool(process.execPath, [compiler, ...options, ...types, name], { cwd: folder });
      expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
    },
  );

  it('ledger-api writes, and its tools verify, back up and rebuild', async () => {
    const { http } = await start([OLDEST, main('ledger-api')], folder, LEDGER);
    expect(await write(http!)).toBe(201);
    expect(await (await fetch(`${http!}/assets?color=red`)).json()).toMatchObject({ data: [{ owner: 'Ann' }] });
    for (const args of [
      ['verify'],
      ['backup', 'copy'],
      ['verify', '--data-dir', 'copy'],
      ['rebuild', '--data-dir', 'copy'],
    ]) {
      expect([args, await runTool(OLDEST, [main('ledger-tool'), ...args], { cwd: folder })]).toMatchObject([
        args,
        { code: 0 },
      ]);
    }
  });
});

describe('ledger-api as a dependency of tests of chaincode', () => {
  const folder = join(directory, 'tests');
  const loads: Readonly<Record<string, string>> = {
    'notes.mjs': "import { startLedger } from 'ledger-api/testing';",
    'notes.cjs': "const { startLedger } = require('ledger-api/testing');",
    'notes.mts': "import { startLedger, type TestLedger } from 'ledger-api/testing';\nexport type Mine = TestLedger;",
    'notes.cts': "import library = require('ledger-api/testing');\nconst { startLedger } = library;",
  };
  const program = (name: string) => `${loads[name]!}
void (async () => {
  const ledger = await startLedger({ chaincodes: { notes: './chaincode' }, callers: { ana: { role: 'auditor' } } });
  const { blockNumber } = await ledger.submit('notes', 'Put', 'a', { text: 'hello' });
  console.log(blockNumber, JSON.stringify((await ledger.evaluate('notes', 'Get', 'a')).result));
  await ledger.submit('notes', 'Delete', 'a').catch((error) => console.log(error.code, error.status));
  await ledger.as('ana').submit('notes', 'Delete', 'a');
  ${name.endsWith('ts') ? '// @ts-expect-error -- the function is missing' : ''}
  ${name.endsWith('ts') ? "await ledger.submit('notes');" : ''}
  await ledger.close();
})();
`;

  beforeAll(async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), '{"name":"tests","version":"1.0.0"}');
    expect(await npm('npm', ['install', 'ledger-api'], folder)).toMatchObject({ code: 0 });
    cpSync('docs/examples/25.testing-chaincode/chaincode', join(folder, 'chaincode'), { recursive: true });
    // As `npm install` puts them there: the packages of the chaincode, and the one by which the ledger reaches it.
    symlinkSync(resolve('node_modules'), join(folder, 'chaincode/node_modules'));
    symlinkSync(resolve('node_modules/@grpc'), join(folder, 'node_modules/@grpc'));
    for (const name of Object.keys(loads)) writeFileSync(join(folder, name), program(name));
  }, INSTALL_MS);

  it.each(['notes.mjs', 'notes.cjs'])('starts ledgers for %s', async (name) => {
    for (const node of [process.execPath, OLDEST]) {
      expect(await runTool(node, [name], { cwd: folder })).toEqual({
        code: 0,
        stdout: '1 {"text":"hello"}\nAPI.CHAINCODE_REFUSED 422\n',
        stderr: '',
      });
    }
  });

  it.each(['notes.mts', 'notes.cts'])('has types for %s', async (name) => {
    const compiler = resolve('node_modules/typescript-native/bin/tsc');
    const options = ['--noEmit', '--strict', '--target', 'esnext', '--module', 'nodenext'];
    const types = ['--typeRoots', resolve('node_modules/@types'), '--types', 'node'];
    const compiled = await runTool(process.execPath, [compiler, ...options, ...types, name], { cwd: folder });
    expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('serves ledgers for tests in other languages', async () => {
    const args = ['serve', '--ephemeral', '--chaincode', 'notes=./chaincode', '--caller', 'ana:role=auditor'];
    const child = spawn(join(folder, 'node_modules/.bin/ledger-tool'), args, {
      ...{ cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'], detached: true },
    } as const);
    started.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const answer = async () => JSON.parse((await lines.next()).value!) as Readonly<Record<string, string>>;
    const { key } = await answer();
    child.stdin.write('open\n');
    const { url } = await answer();
    const body = JSON.stringify({ function: 'Put', arguments: ['a', 'hello'] });
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': key! };
    const put = await fetch(`${url!}/contracts/notes/submit`, { method: 'POST', headers, body });
    expect(put.status).toBe(200);
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
