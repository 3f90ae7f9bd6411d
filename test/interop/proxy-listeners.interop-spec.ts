import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitBackend } from '../support/proxy/git-backend.js';
import { registryOf } from '../support/proxy/npm-registry.js';
import { packageIndexOf } from '../support/proxy/package-index.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';
import { runTool, StartedTool } from '../support/proxy/run-tool.js';
import { WebOrigin } from '../support/proxy/web-origin.js';
import { CHROMIUM, CURL, GIT, NPM, PIP, PYTHON, withTools } from '../support/proxy/with-tool.js';
import { NodeOrigin } from '../support/node-origin.js';
import { ThrowawayAuthority } from '../support/throwaway-certificates.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

const SLOW_MS = 120_000;

/** How the tools reach the proxy. */
interface Way {
  readonly title: string;
  /** The URL of the proxy. */
  url: string;
}

const secure: Way = { title: 'a TLS listener', url: '' };
/** A listener without TLS whose upstream is reached by `socks5+tls` through an HTTP proxy. */
const chained: Way = { title: 'socks5+tls over http', url: '' };
const WAYS = [secure, chained];

const programs: ProxyProgram[] = [];
let directory: string;
/** The certificates of the proxy's authority, and of those of the sites too. */
let ca: string;
let everyCa: string;
let socket: string;
let spki: string;
let origin: WebOrigin;

/** Starts a proxy with the certificate, and returns the port of its first listener. */
async function start(config: object, files: Readonly<Record<string, string>>): Promise<string> {
  const program = new ProxyProgram({ config: { admin: 'off', ...config }, files });
  programs.push(program);
  const { proxy = '' } = await program.program.ready();
  return new URL(proxy).port;
}

async function startChain(files: Readonly<Record<string, string>>): Promise<string> {
  const tls = { certificate: 'c.pem', key: 'k.pem', tlsOnly: true };
  const far = await start({ listeners: [{ mode: 'socks5', port: 0, ...tls }], upstream: 'embedded' }, files);
  const near = await start({ listen: { port: 0 }, upstream: 'embedded' }, {});
  const upstreams = {
    far: { url: `socks5+tls://localhost:${far}`, ca: 'ca.pem', via: 'near' },
    near: { url: `http://127.0.0.1:${near}` },
  };
  return start({ listen: { port: 0 }, upstreams, log: { requests: 'requests.log' } }, files);
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-listeners-'));
  const authority = await ThrowawayAuthority.create('Test');
  const { certificate, privateKey } = await authority.issue('localhost');
  const { publicKey } = new X509Certificate(certificate);
  spki = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  ca = join(directory, 'ca.pem');
  everyCa = join(directory, 'every-ca.pem');
  socket = join(directory, 'proxy.sock');
  writeFileSync(ca, authority.root.certificate);
  const files = { 'c.pem': certificate, 'k.pem': privateKey, 'ca.pem': authority.root.certificate };
  chained.url = `http://127.0.0.1:${await startChain(files)}`;
  const listeners = [
    { port: 0, certificate: 'c.pem', key: 'k.pem', tlsOnly: true },
    { mode: 'mixed', socket },
  ];
  const port = await start({ listeners, upstream: 'embedded', log: { requests: 'requests.log' } }, files);
  secure.url = `https://localhost:${port}`;
  origin = await WebOrigin.start((request, response) => response.end(`page ${request.url ?? ''}`));
  writeFileSync(everyCa, [authority.root.certificate, origin.rootCertificate].join('\n'));
}, SLOW_MS);

afterAll(async () => {
  for (const program of programs) await program[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** Creates a directory for a test. */
function emptyDirectory(): string {
  return mkdtempSync(join(directory, 'test-'));
}

withTools('curl', [CURL], (curl) => {
  const page = async (...args: string[]): Promise<string> => {
    const tls = ['--proxy-cacert', ca, '--cacert', everyCa];
    const { code, stdout, stderr } = await runTool(curl, ['--silent', '--show-error', ...tls, ...args], {
      cwd: directory,
    });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  it.each(WAYS)('reads pages through $title, in the clear and through tunnels', async (way) => {
    expect(await page('--proxy', way.url, `${origin.http}/a`)).toBe('page /a');
    expect(await page('--proxy', way.url, `${origin.https}/b`)).toBe('page /b');
    expect(await page('--proxy', way.url, '--proxytunnel', `${origin.http}/c`)).toBe('page /c');
  });

  it('reads pages through a Unix socket, by HTTP and by SOCKS5', async () => {
    expect(await page('--unix-socket', socket, `${origin.http}/d`)).toBe('page /d');
    expect(await page('--proxy', `socks5h://localhost${socket}`, `${origin.https}/e`)).toBe('page /e');
    expect(await page('--preproxy', `socks5h://localhost${socket}`, `${origin.http}/f`)).toBe('page /f');
  });
});

withTools('git', [GIT], (git) => {
  it.each(WAYS)('clones through $title, by http and by https', async (way) => {
    const cwd = emptyDirectory();
    const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    const run = async (...args: string[]) => {
      const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
      const { code, stderr } = await runTool(git, [...settings, ...args], { cwd, env });
      expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
    };
    await run('init', '--quiet', '--initial-branch=main', 'root/repo.git');
    await run('-C', 'root/repo.git', 'commit', '--quiet', '--allow-empty', '--message', 'first');
    await using backend = await WebOrigin.start(gitBackend(git, join(cwd, 'root')));
    writeFileSync(join(cwd, 'site.pem'), backend.rootCertificate);
    const via = ['-c', `http.proxy=${way.url}`, '-c', `http.proxySSLCAInfo=${ca}`, '-c', 'http.sslCAInfo=site.pem'];
    await run(...via, 'clone', '--quiet', `${backend.http}/repo.git/.git`, 'by-http');
    await run(...via, 'clone', '--quiet', `${backend.https}/repo.git/.git`, 'by-https');
  });
});

withTools('npm', [NPM], (npm) => {
  it.each(WAYS)(
    'installs a package through $title',
    async (way) => {
      const cwd = emptyDirectory();
      await using registry = await WebOrigin.start(await registryOf(npm, cwd));
      writeFileSync(join(cwd, 'package.json'), '{"private": true}');
      const options = ['--registry', `${registry.http}/`, '--proxy', way.url, '--cafile', ca, '--cache', '.cache'];
      const { code, stderr } = await runTool(npm, ['install', 'tiny-thing', '--no-audit', '--no-fund', ...options], {
        cwd,
      });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERR')]);
      expect(readFileSync(join(cwd, 'node_modules/tiny-thing/index.js'), 'utf8')).toBe('module.exports = 42;\n');
    },
    SLOW_MS,
  );
});

withTools('pip', [PIP, PYTHON], (pip, python) => {
  it.each(WAYS)(
    'installs a package through $title, by http and by https',
    async (way) => {
      const cwd = emptyDirectory();
      await using index = await WebOrigin.start(await packageIndexOf(python, cwd));
      writeFileSync(join(cwd, 'every.pem'), [readFileSync(ca, 'utf8'), index.rootCertificate].join('\n'));
      const env = { PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_CACHE_DIR: '1' };
      for (const scheme of ['http', 'https'] as const) {
        const from = ['--index-url', `${index[scheme]}/simple/`, '--proxy', way.url, '--cert', 'every.pem'];
        const options = [...from, '--trusted-host', '127.0.0.1', '--no-deps', '--target', scheme];
        const { code, stderr } = await runTool(pip, ['install', '--quiet', ...options, 'tiny-thing'], { cwd, env });
        expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERROR')]);
        expect(readFileSync(join(cwd, scheme, 'tiny_thing.py'), 'utf8')).toBe('ANSWER = 42\n');
      }
    },
    SLOW_MS,
  );
});

withTools('Chromium', [CHROMIUM], (chromium) => {
  it.each(WAYS)(
    'loads a page through $title',
    async (way) => {
      const seen: string[] = [];
      await using site = await NodeOrigin.start((request, response) => {
        seen.push(request.url ?? '');
        response.end('<!doctype html><title>page</title>');
      });
      const port = Number(new URL(site.url).port);
      const args = [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update', '--remote-debugging-port=0'],
        ...[`--user-data-dir=${emptyDirectory()}`, `--proxy-server=${way.url}`],
        // Browsers reach the loopback past a proxy otherwise. The proxy's certificate is accepted by the hash of its public key.
        ...['--proxy-bypass-list=<-loopback>', `--ignore-certificate-errors-spki-list=${spki}`],
      ];
      const browser = new StartedTool(chromium, [...args, `http://127.0.0.1:${port}/page`], directory);
      try {
        await until(() => seen.includes('/page'), SLOW_MS);
      } finally {
        await browser.end();
      }
      const logs = () =>
        programs.map(({ configFile }) => join(configFile, '../requests.log')).filter((file) => existsSync(file));
      await until(() => logs().some((file) => readFileSync(file, 'utf8').includes(`127.0.0.1:${port}/page`)));
    },
    SLOW_MS,
  );
});

const ACTIVATE = { name: 'systemd', variable: 'SYSTEMD_SOCKET_ACTIVATE', names: ['systemd-socket-activate'] };
withTools('systemd-socket-activate', [ACTIVATE, CURL], (activate, curl) => {
  it('starts the program at the first connection, which is served', async () => {
    const port = await freePort();
    writeFileSync(
      join(directory, 'activated.yaml'),
      JSON.stringify({ listeners: [{ systemd: 'proxy' }], upstream: 'embedded', admin: 'off' }),
    );
    const main = join(process.cwd(), 'dist/apps/proxy-client/bundle/lib/proxy-client.js');
    const program = [process.execPath, main, '--config', 'activated.yaml'];
    const started = new StartedTool(
      activate,
      ['--listen', `127.0.0.1:${port}`, '--fdname', 'proxy', ...program],
      directory,
    );
    try {
      const args = ['--silent', '--retry-connrefused', '--retry', '20', '--proxy', `http://127.0.0.1:${port}`];
      const { stdout } = await runTool(curl, [...args, `${origin.http}/activated`], { cwd: directory });
      expect(stdout).toBe('page /activated');
    } finally {
      await started.end();
    }
  });
});
