import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';
import { runTool } from '../support/proxy/run-tool.js';
import { CURL, withTools } from '../support/proxy/with-tool.js';

const NAMESPACE = `proxy-test-${process.pid}`;
/** The addresses of the bridge and the container, as Docker assigns them. */
const [HOST, GUEST, OTHER_GUEST] = ['172.29.83.1', '172.29.83.2', '172.29.84.2'];
const [OUTER, INNER] = [`pxo${process.pid % 100_000}`, `pxi${process.pid % 100_000}`];

function ip(...args: readonly string[]): boolean {
  return spawnSync('ip', args, { stdio: 'ignore' }).status === 0;
}

/** A separate network with one gateway: this machine. */
function makeNetwork(): boolean {
  return (
    ip('netns', 'add', NAMESPACE) &&
    ip('link', 'add', OUTER, 'type', 'veth', 'peer', 'name', INNER, 'netns', NAMESPACE) &&
    ip('address', 'add', `${HOST}/24`, 'dev', OUTER) &&
    ip('link', 'set', OUTER, 'up') &&
    ip('-n', NAMESPACE, 'address', 'add', `${GUEST}/24`, 'dev', INNER) &&
    ip('-n', NAMESPACE, 'address', 'add', `${OTHER_GUEST}/32`, 'dev', INNER) &&
    ip('-n', NAMESPACE, 'link', 'set', INNER, 'up') &&
    ip('-n', NAMESPACE, 'route', 'add', 'default', 'via', HOST) &&
    ip('route', 'add', `${OTHER_GUEST}/32`, 'dev', OUTER)
  );
}

function removeNetwork(): void {
  ip('link', 'delete', OUTER);
  ip('netns', 'delete', NAMESPACE);
}

const works = makeNetwork();
if (!works) removeNetwork();

(works ? describe : describe.skip)('a client in a separate network, like that of containers (needs ip netns)', () => {
  let origin: Server;
  let proxy: RunningProxy;
  let port: number;
  beforeAll(async () => {
    origin = createServer((request, response) => response.end(`page of ${request.url ?? ''}`)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    port = (origin.address() as AddressInfo).port;
    proxy = await ProxyProgram.start({
      listen: undefined,
      listeners: [
        {
          ...{ mode: 'mixed', port: 0, host: HOST, clients: [GUEST] },
          users: [{ name: 'ci', password: 'secret' }],
        },
      ],
      rules: [{ networks: ['127.0.0.0/8'], ports: [port], to: 'upstream' }],
      admin: { port: 0 },
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    origin.close();
    origin.closeAllConnections();
    removeNetwork();
  });

  withTools('curl', [CURL], (curl) => {
    const run = async (...args: readonly string[]) =>
      runTool('ip', ['netns', 'exec', NAMESPACE, curl, '--silent', '--max-time', '20', ...args]);
    const place = () => new URL(proxy.url).host;

    it.each([['--proxy'], ['--socks5-hostname']])(
      'gets a page with its password (%s), also by its environment',
      async (option) => {
        const url = `http://127.0.0.1:${port}/x`;
        expect(await run(option, `ci:secret@${place()}`, url)).toMatchObject({ code: 0, stdout: 'page of /x' });
        const variable = option === '--proxy' ? `http://ci:secret@${place()}` : `socks5h://ci:secret@${place()}`;
        const { stdout } = await runTool('ip', ['netns', 'exec', NAMESPACE, curl, '--silent', url], {
          env: { ALL_PROXY: variable },
        });
        expect(stdout).toBe('page of /x');
      },
    );

    it('reaches nothing of the machine that no rule names, and no admin page', async () => {
      const admin = new URL(proxy.admin!);
      const refused = [
        [`http://127.0.0.1:${admin.port}/connections`, '403'],
        [`http://${HOST}:${admin.port}/`, '403'],
        ['http://127.0.0.1:1/', '403'],
      ] as const;
      const proxied = ['--output', '/dev/null', '--write-out', '%{http_code}', '--proxy', `ci:secret@${place()}`];
      for (const [target, status] of refused) {
        const { stdout } = await run(...proxied, target);
        expect([target, stdout]).toEqual([target, status]);
      }
      expect((await run(`http://${HOST}:${admin.port}/readyz`)).code).toBe(7);
    });

    it('is not served from an address that is not among the clients', async () => {
      const { code } = await run(
        '--interface',
        OTHER_GUEST,
        '--proxy',
        `ci:secret@${place()}`,
        `http://127.0.0.1:${port}/`,
      );
      expect([52, 56]).toContain(code);
    });
  });
});
