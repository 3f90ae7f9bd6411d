import { afterEach, describe, expect, it } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { COMPILE_CACHE } from '../../support/program.js';
import { until } from '../../support/until.js';

type Urls = Readonly<Record<string, string>>;
type Name = 'ledger-api' | 'proxy-client';

/** The two forms in which a program runs, and the command of each: the command decides which one it is. */
const FORMS: Readonly<Record<string, (name: Name) => readonly string[]>> = {
  'the bundle': (name) => [`dist/apps/${name}/bundle/lib/${name}.js`],
  'nest start': (name) => ['node_modules/@nestjs/cli/bin/nest.js', 'start', name],
};
const directory = mkdtempSync(join(tmpdir(), 'forms-'));
const environment = {
  // The program is started by `node`, which must be the one of the workspace.
  PATH: [dirname(process.execPath), process.env['PATH']].join(':'),
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  LEDGER_API_PORT: '0',
  LEDGER_API_HTTPS_PORT: '0',
  LEDGER_DATA_DIR: join(directory, 'ledger'),
  PROXY_LISTEN_PORT: '0',
  PROXY_ADMIN_PORT: '0',
  PROXY_UPSTREAM: 'embedded',
};
let child: ChildProcess | undefined;

/** Starts a program, and returns the first line of its output with a text: its URLs are in the line that reports that it is ready. */
async function start(command: readonly string[], text = ' is ready'): Promise<Urls> {
  child = spawn(
    process.execPath,
    command.map((part) => (/^(dist|node_modules)\//.test(part) ? resolve(part) : part)),
    {
      cwd: process.cwd(),
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.includes(text)) {
      child.stdout!.resume();
      return JSON.parse(line) as Urls;
    }
  }
  throw new Error('the program exited before it was ready');
}

/** The process ids of a process and of its descendants. */
function tree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.flatMap((each) => tree(Number(each)))];
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    for (const pid of tree(child.pid!)) process.kill(pid, 'SIGKILL');
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
});

const SMOKE: Readonly<Record<Name, (urls: Urls) => Promise<void>>> = {
  'ledger-api': async ({ http, docs, explorer }) => {
    const body = JSON.stringify({ id: 'a', appraisedValue: '1', color: 'red', owner: 'Ann', size: '5' });
    const headers = { 'Content-Type': 'application/json' };
    expect((await fetch(`${http!}/assets`, { method: 'POST', headers, body })).status).toBe(201);
    expect(await (await fetch(`${http!}/assets?color=red`)).json()).toMatchObject({ data: [{ owner: 'Ann' }] });
    expect((await fetch(docs!)).status).toBe(200);
    expect(await (await fetch(explorer!)).text()).toContain('<script type="module"');
  },
  'proxy-client': async ({ proxy, admin }) => {
    expect((await getThroughProxy(proxy!, 'http://127.0.0.1:1/')).status).toBe(502);
    expect(await (await fetch(`${admin!}/stats`)).json()).toMatchObject({ failed_requests: 1 });
    expect((await fetch(`${admin!}/docs`)).status).toBe(200);
    expect(await (await fetch(admin!)).text()).toContain('<script type="module"');
  },
};

describe.each(Object.keys(FORMS))('%s', (form) => {
  it.each([
    ['ledger-api', 'SIGTERM'],
    ['proxy-client', 'SIGTERM'],
    ['proxy-client', 'SIGINT'],
  ] as const)('of %s serves, and %s leaves no process running', async (name, signal) => {
    const urls = await start(FORMS[form]!(name));
    await SMOKE[name](urls);
    const pids = tree(child!.pid!);
    child!.kill(signal);
    expect(await once(child!, 'exit')).toEqual([0, null]);
    await until(() => !pids.some(isRunning));
  });
});

describe('a stack trace of the bundle', () => {
  it.each([
    ['ledger-api', 'start.ts'],
    ['proxy-client', 'cli/start.ts'],
  ] as const)('of %s names the source file', async (name, file) => {
    const source = readFileSync(`apps/${name}/src/${file}`, 'utf8').split('\n');
    const line = source.findIndex((text) => text.includes('process.send?.(')) + 1;
    // Node calls `send` where the program reports that it is ready.
    const preload = `data:text/javascript,process.send=()=>{console.log(JSON.stringify({stack:new Error('ready').stack}))}`;
    const [main] = FORMS['the bundle']!(name);
    const { stack } = await start(['--enable-source-maps', '--import', preload, main!], '"stack"');
    expect(stack).toContain(`/apps/${name}/src/${file}:${line}:`);
  });
});

describe.each(['ledger-tool', 'ledger-identity'])('%s --help', (tool) => {
  it('loads neither Nest nor rxjs', () => {
    const coverage = mkdtempSync(join(tmpdir(), 'loaded-'));
    // Node lists the loaded files in the coverage report.
    const { status } = spawnSync(process.execPath, [`dist/apps/ledger-api/bundle/lib/${tool}.js`, '--help'], {
      env: { NODE_V8_COVERAGE: coverage },
    });
    expect(status).toBe(0);
    const [report = ''] = globSync(join(coverage, '*.json'));
    const { result } = JSON.parse(readFileSync(report, 'utf8')) as { result: { url: string }[] };
    rmSync(coverage, { recursive: true });
    const loaded = result.filter(({ url }) => url.startsWith('file:')).map(({ url }) => fileURLToPath(url));
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.filter((file) => /nestjs|rxjs/i.test(readFileSync(file, 'utf8')))).toEqual([]);
  });
});
