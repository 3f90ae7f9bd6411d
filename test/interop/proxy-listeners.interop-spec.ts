import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitBackend } from '../support/proxy/git-backend.js';
import { registryOf } from '../support/proxy/npm-registry.js';
import { ProxyProgram } from '../support/proxy/proxy-program.js';
import { runTool, StartedTool } from '../support/proxy/run-tool.js';
import { WebOrigin } from '../support/proxy/web-origin.js';
import { CHROMIUM, CURL, GIT, NPM, withTools } from '../support/proxy/with-tool.js';
import { NodeOrigin } from '../support/node-origin.js';
import { ThrowawayAuthority } from '../support/throwaway-certificates.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';

const SLOW_MS = 120_000;

let proxy: ProxyProgram;
/** The URL of a listener that requires TLS. */
let secure: string;
let directory: string;
/** The certificate of the authority. */
let ca: string;
let socket: string;
let spki: string;
let origin: WebOrigin;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'proxy-listeners-'));
  const authority = await ThrowawayAuthority.create('Test');
  const { certificate, privateKey } = await authority.issue('localhost');
  const { publicKey } = new X509Certificate(certificate);
  spki = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  ca = join(directory, 'ca.pem');
  socket = join(directory, 'proxy.sock');
  writeFileSync(ca, authority.root.certificate);
  proxy = new ProxyProgram({
    config: {
      listeners: [
        { port: 0, certificate: 'c.pem', key: 'k.pem', tlsOnly: true },
        { mode: 'mixed', socket },
      ],
      upstream: 'embedded',
      admin: 'off',
      log: { requests: 'requests.log' },
    },
    files: { 'c.pem': certificate, 'k.pem': privateKey },
  });
  const { proxy: url = '' } = await proxy.program.ready();
  secure = `https://localhost:${new URL(url).port}`;
  origin = await WebOrigin.start((request, response) => response.end(`page ${request.url ?? ''}`));
  writeFileSync(join(directory, 'origin.pem'), origin.rootCertificate);
});

afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await origin[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

withTools('curl', [CURL], (curl) => {
  const page = async (...args: string[]): Promise<string> => {
    const tls = ['--proxy-cacert', ca, '--cacert', join(directory, 'origin.pem')];
    const { code, stdout, stderr } = await runTool(curl, ['--silent', '--show-error', ...tls, ...args], {
      cwd: directory,
    });
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  it('reads pages through a TLS listener, in the clear and through tunnels', async () => {
    expect(await page('--proxy', secure, `${origin.http}/a`)).toBe('page /a');
    expect(await page('--proxy', secure, `${origin.https}/b`)).toBe('page /b');
    expect(await page('--proxy', secure, '--proxytunnel', `${origin.http}/c`)).toBe('page /c');
  });

  it('reads pages through a Unix socket, by HTTP and by SOCKS5', async () => {
    expect(await page('--unix-socket', socket, `${origin.http}/d`)).toBe('page /d');
    expect(await page('--proxy', `socks5h://localhost${socket}`, `${origin.https}/e`)).toBe('page /e');
    expect(await page('--preproxy', `socks5h://localhost${socket}`, `${origin.http}/f`)).toBe('page /f');
  });
});

withTools('git through a TLS listener', [GIT], (git) => {
  it('clones', async () => {
    const root = join(directory, 'root');
    mkdirSync(root);
    const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
    const run = async (cwd: string, ...args: string[]) => {
      const settings = ['-c', 'user.name=t', '-c', 'user.email=t@example.com'];
      const { code, stderr } = await runTool(git, [...settings, ...args], { cwd, env });
      expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
    };
    await run(root, 'init', '--quiet', '--initial-branch=main', 'repo.git');
    await run(join(root, 'repo.git'), 'commit', '--quiet', '--allow-empty', '--message', 'first');
    await using backend = await WebOrigin.start(gitBackend(git, root));
    const via = ['-c', `http.proxy=${secure}`, '-c', `http.proxySSLCAInfo=${ca}`];
    await run(directory, ...via, 'clone', '--quiet', `${backend.http}/repo.git/.git`, 'clone');
  });
});

withTools('npm through a TLS listener', [NPM], (npm) => {
  it(
    'installs a package',
    async () => {
      await using registry = await WebOrigin.start(await registryOf(npm, directory));
      const user = join(directory, 'user');
      mkdirSync(user);
      writeFileSync(join(user, 'package.json'), '{"private": true}');
      const options = ['--registry', `${registry.http}/`, '--proxy', secure, '--cafile', ca, '--cache', '.cache'];
      const { code, stderr } = await runTool(npm, ['install', 'tiny-thing', '--no-audit', '--no-fund', ...options], {
        cwd: user,
      });
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERR')]);
      expect(readFileSync(join(user, 'node_modules/tiny-thing/index.js'), 'utf8')).toBe('module.exports = 42;\n');
    },
    SLOW_MS,
  );
});

withTools('Chromium through a TLS listener', [CHROMIUM], (chromium) => {
  it(
    'accepts the certificate by the hash of its public key',
    async () => {
      const seen: string[] = [];
      await using site = await NodeOrigin.start((request, response) => {
        seen.push(request.url ?? '');
        response.end('<!doctype html><title>page</title>');
      });
      const port = Number(new URL(site.url).port);
      const args = [
        ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
        ...['--disable-background-networking', '--disable-component-update', '--remote-debugging-port=0'],
        ...[`--user-data-dir=${join(directory, 'browser')}`, `--proxy-server=${secure}`],
        // Browsers reach the loopback past a proxy otherwise.
        ...['--proxy-bypass-list=<-loopback>', `--ignore-certificate-errors-spki-list=${spki}`],
      ];
      const browser = new StartedTool(chromium, [...args, `http://127.0.0.1:${port}/through-tls`], directory);
      try {
        await until(() => seen.includes('/through-tls'), SLOW_MS);
      } finally {
        await browser.end();
      }
      const log = () => readFileSync(join(proxy.configFile, '../requests.log'), 'utf8');
      await until(() => log().includes(`127.0.0.1:${port}/through-tls`));
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
