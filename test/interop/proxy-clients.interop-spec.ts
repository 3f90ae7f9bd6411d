import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitBackend } from '../support/proxy/git-backend.js';
import { registryOf } from '../support/proxy/npm-registry.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { runTool, StartedTool } from '../support/proxy/run-tool.js';
import { WebOrigin, type Handler } from '../support/proxy/web-origin.js';
import { CHROMIUM, CURL, GIT, NPM, withTools } from '../support/proxy/with-tool.js';

const SLOW_MS = 60_000;
const LARGE = randomBytes(20 * 1_048_576);

let proxy: RunningProxy;
let directory: string;

beforeAll(async () => {
  proxy = await ProxyProgram.start();
}, SLOW_MS);

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-clients-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function counters(): Promise<{ successful_requests: number; failed_requests: number }> {
  return (await (await fetch(`${proxy.url}/stats`)).json()) as { successful_requests: number; failed_requests: number };
}

const site: Handler = (request, response) => {
  if (request.method === 'PUT') {
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => hash.update(chunk)).on('end', () => response.end(hash.digest('hex')));
  } else if (request.url === '/large') response.end(LARGE);
  else response.setHeader('Set-Cookie', ['a=1', 'b=2']).end(`page ${request.url ?? ''}`);
};

withTools('curl', [CURL], (curl) => {
  let origin: WebOrigin;
  beforeEach(async () => {
    origin = await WebOrigin.start(site);
    writeFileSync(join(directory, 'root.pem'), origin.rootCertificate);
  });
  afterEach(async () => origin[Symbol.asyncDispose]());

  const run = (...args: string[]) => runTool(curl, ['--silent', '--show-error', ...args], { cwd: directory });

  it('gets a page by http and by https', async () => {
    expect(await run('--proxy', proxy.url, `${origin.http}/a`)).toEqual({ code: 0, stdout: 'page /a', stderr: '' });
    const secure = await run('--proxy', proxy.url, '--cacert', 'root.pem', `${origin.https}/b`);
    expect(secure).toEqual({ code: 0, stdout: 'page /b', stderr: '' });
  });

  it('is set by the environment as well', async () => {
    const env = { http_proxy: proxy.url };
    const { stdout } = await runTool(curl, ['--silent', `${origin.http}/env`], { cwd: directory, env });
    expect(stdout).toBe('page /env');
    expect(origin.requests).toEqual(['GET /env']);
  });

  it(
    'loads 20 MiB down and up without a wrong byte, by http and through a tunnel',
    async () => {
      writeFileSync(join(directory, 'large'), LARGE);
      for (const url of [origin.http, origin.https]) {
        const options = ['--proxy', proxy.url, '--cacert', 'root.pem'];
        await run(...options, '--output', 'got', `${url}/large`);
        expect(digest(readFileSync(join(directory, 'got')))).toBe(digest(LARGE));
        expect((await run(...options, '--upload-file', 'large', `${url}/up`)).stdout).toBe(digest(LARGE));
      }
    },
    SLOW_MS,
  );

  it('reuses its connection, and several targets on one connection are not confused', async () => {
    await using other = await WebOrigin.start((_request, response) => response.end('other'));
    const urls = [`${origin.http}/1`, `${other.http}/2`, `${origin.http}/3`];
    const { stdout, stderr } = await run('--verbose', '--proxy', proxy.url, '--write-out', '\n', ...urls);
    expect(stdout.split('\n')).toEqual(['page /1', 'other', 'page /3', '']);
    expect(stderr.match(/Re-using existing connection/g)).toHaveLength(2);
  });

  it('shows who failed: the proxy by Proxy-Status, for http and CONNECT', async () => {
    const plain = await run('--proxy', proxy.url, '--include', 'http://127.0.0.1:1/');
    expect(plain.stdout).toMatch(
      /^HTTP\/1\.1 502 Bad Gateway\r\n[^]*^Proxy-Status: proxy-client; error=connection_refused/m,
    );
    const tunnel = await run('--proxy', proxy.url, '--verbose', 'https://127.0.0.1:1/');
    expect(tunnel.code).toBe(56);
    expect(tunnel.stderr).toContain('< Proxy-Status: proxy-client; error=connection_refused');
  });

  it('sees both cookies, and a HEAD without a body', async () => {
    const { stdout } = await run('--proxy', proxy.url, '--head', `${origin.http}/head`);
    expect(stdout.match(/^set-cookie: [ab]=\d\r$/gim)).toHaveLength(2);
    expect(stdout).toMatch(/\r\n\r\n$/);
  });
});

withTools('git', [GIT], (git) => {
  it(
    'clones and pushes over http',
    async () => {
      const root = join(directory, 'root');
      mkdirSync(root);
      const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
      const run = async (cwd: string, ...args: string[]) => {
        const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', `http.proxy=${proxy.url}`];
        const result = await runTool(git, [...identity, ...args], { cwd, env });
        expect([args, result.code, result.code === 0 ? '' : result.stderr]).toEqual([args, 0, '']);
        return result.stdout.trim();
      };
      await run(root, 'init', '--quiet', '--bare', '--initial-branch=main', 'repo.git');
      await run(join(root, 'repo.git'), 'config', 'http.receivepack', 'true');
      await using origin = await WebOrigin.start(gitBackend(git, root));
      const before = await counters();
      await run(directory, 'clone', '--quiet', `${origin.http}/repo.git`, 'first');
      const first = join(directory, 'first');
      writeFileSync(join(first, 'large'), LARGE.subarray(0, 3 * 1_048_576));
      await run(first, 'add', 'large');
      await run(first, 'commit', '--quiet', '--message', 'large');
      await run(first, 'push', '--quiet', 'origin', 'HEAD:main');
      await run(directory, 'clone', '--quiet', `${origin.http}/repo.git`, 'second');
      const second = join(directory, 'second');
      expect(await run(second, 'rev-parse', 'HEAD')).toBe(await run(first, 'rev-parse', 'HEAD'));
      expect(digest(readFileSync(join(second, 'large')))).toBe(digest(readFileSync(join(first, 'large'))));
      const after = await counters();
      expect(after.successful_requests - before.successful_requests).toBe(origin.requests.length);
      expect(after.failed_requests).toBe(before.failed_requests);
    },
    SLOW_MS,
  );
});

withTools('npm', [NPM], (npm) => {
  it(
    'installs a package from a registry',
    async () => {
      await using origin = await WebOrigin.start(await registryOf(npm, directory));
      const user = join(directory, 'user');
      mkdirSync(user);
      writeFileSync(join(user, 'package.json'), '{"private": true}');
      const options = [
        '--registry',
        `${origin.http}/`,
        '--proxy',
        proxy.url,
        '--no-audit',
        '--no-fund',
        '--cache',
        '.cache',
      ];
      const before = await counters();
      const { code, stderr } = await runTool(npm, ['install', 'tiny-thing', ...options], { cwd: user });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERR')]);
      expect(readFileSync(join(user, 'node_modules/tiny-thing/index.js'), 'utf8')).toBe('module.exports = 42;\n');
      expect(origin.requests).toContain('GET /tiny-thing.tgz');
      const after = await counters();
      expect(after.successful_requests - before.successful_requests).toBeGreaterThanOrEqual(2);
      expect(after.failed_requests).toBe(before.failed_requests);
    },
    SLOW_MS,
  );
});

/** Reports over HTTP what it has fetched and what it received over the WebSocket. */
const PAGE = `<!doctype html><title>page</title>
<script>
const report = (text) => fetch('/seen?' + encodeURIComponent(text));
const fetched = fetch('/data').then((answer) => answer.text());
const socket = new WebSocket(location.href.replace(/^http/, 'ws'));
socket.onopen = () => socket.send('over ' + location.protocol);
socket.onmessage = async (event) => report((await fetched) + ', ' + event.data);
socket.onerror = () => report('the WebSocket failed');
</script>`;

withTools('Chromium', [CHROMIUM], (chromium) => {
  it.each(['http', 'https'] as const)(
    'shows a page by %s, with a fetch and a WebSocket',
    async (scheme) => {
      const seen = Promise.withResolvers<string>();
      await using origin = await WebOrigin.start((request, response) => {
        const [path, query = ''] = (request.url ?? '').split('?');
        if (path === '/seen') seen.resolve(decodeURIComponent(query));
        if (path === '/data') response.end(`data by ${scheme}`);
        else response.setHeader('Content-Type', 'text/html').end(PAGE);
      });
      const before = await counters();
      const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
      const args = [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
        `--user-data-dir=${join(directory, 'profile')}`,
        `--proxy-server=${proxy.url}`,
        // Chromium goes to loopback addresses directly unless configured otherwise.
        '--proxy-bypass-list=<-loopback>',
        '--ignore-certificate-errors',
        '--remote-debugging-port=0',
        `${origin[scheme]}/`,
      ];
      const browser = new StartedTool(chromium, args, directory);
      try {
        expect(await seen.promise).toBe(`data by ${scheme}, over ${scheme}:`);
      } finally {
        await browser.end();
      }
      // The browser's own requests go through the proxy too, so the count is not exact.
      expect((await counters()).successful_requests).toBeGreaterThan(before.successful_requests);
    },
    SLOW_MS,
  );
});
