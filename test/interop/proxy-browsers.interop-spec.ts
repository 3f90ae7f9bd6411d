import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { chromium as playwright } from 'playwright-core';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { StartedTool } from '../support/proxy/run-tool.js';
import { CHROMIUM, withTools } from '../support/proxy/with-tool.js';
import { until } from '../support/until.js';

const SLOW_MS = 60_000;
/** One of this machine's own that is not on the loopback, which browsers reach past every proxy. */
const ADDRESS = Object.values(networkInterfaces())
  .flatMap((list = []) => list)
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

/** A site that records which of its pages were requested. */
interface Site {
  readonly server: Server;
  readonly seen: string[];
  readonly url: string;
  readonly port: number;
}

async function startSite(): Promise<Site> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>page</title>');
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, seen, port, url: `http://${ADDRESS ?? ''}:${port}` };
}

let direct: Site;
let proxied: Site;
let proxy: RunningProxy;
let directory: string;
beforeAll(async () => {
  [direct, proxied] = await Promise.all([startSite(), startSite()]);
  directory = mkdtempSync(join(tmpdir(), 'proxy-browsers-'));
  proxy = await ProxyProgram.start({
    mode: 'mixed',
    rules: [{ ports: [direct.port], to: 'direct' }],
    admin: { port: 0 },
    log: { requests: 'requests.log' },
  });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  for (const { server } of [direct, proxied]) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(directory, { recursive: true, force: true });
});

/** The pages of the site that were requested through the proxy; a browser sends other requests too. */
function throughProxy({ url }: Site): readonly string[] {
  const lines = readFileSync(join(dirname(proxy.configFile), 'requests.log'), 'utf8')
    .split('\n')
    .slice(0, -1);
  const targets = lines.map((line) => (JSON.parse(line) as { readonly target?: string }).target ?? '');
  return targets.filter((target) => `http://${target}/`.includes(new URL(url).host));
}

withTools('Chromium', [CHROMIUM], (chromium) => {
  const visit = async (option: string, { url, seen }: Site, path: string): Promise<void> => {
    const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];
    const args = [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', ...quiet],
      ...[`--user-data-dir=${join(directory, path)}`, option, `${url}/${path}`],
    ];
    const browser = new StartedTool(chromium, [...args, '--remote-debugging-port=0'], directory);
    try {
      await until(() => seen.includes(`/${path}`), SLOW_MS);
    } finally {
      await browser.end();
    }
  };

  (ADDRESS === undefined ? it.skip : it)(
    'follows the PAC file: directly, and through the proxy',
    async () => {
      const pac = `--proxy-pac-url=${proxy.admin!}/proxy.pac`;
      await visit(pac, direct, 'by-itself');
      await visit(pac, proxied, 'by-pac');
      await until(() => throughProxy(proxied).length > 0);
      expect(throughProxy(direct)).toEqual([]);
    },
    2 * SLOW_MS,
  );

  (ADDRESS === undefined ? it.skip : it)(
    'goes by SOCKS5 through a mixed listener',
    async () => {
      const before = throughProxy(proxied).length;
      await visit(`--proxy-server=socks5://${new URL(proxy.url).host}`, proxied, 'by-socks5');
      await until(() => throughProxy(proxied).length > before);
    },
    SLOW_MS,
  );

  (ADDRESS === undefined ? it.skip : it)(
    'logs in with its user name and password, and shows an error page when they are wrong',
    async () => {
      const users = [{ name: 'ann', password: 'p@ss:wörd' }];
      await using guarded = await ProxyProgram.start({ mode: 'mixed', listen: { port: 0, users } });
      const server = guarded.url;
      const browser = await playwright.launch({ executablePath: chromium, args: ['--no-sandbox'] });
      const open = async (password: string) => {
        const context = await browser.newContext({ proxy: { server, username: 'ann', password } });
        const page = await context.newPage();
        const answer = await page.goto(`${proxied.url}/logged-in`);
        const title = await page.title();
        await context.close();
        return [answer?.status(), title];
      };
      try {
        expect(await open('p@ss:wörd')).toEqual([200, 'page']);
        expect(await open('wrong')).toEqual([407, expect.stringContaining('407')]);
      } finally {
        await browser.close();
      }
    },
    2 * SLOW_MS,
  );
});
