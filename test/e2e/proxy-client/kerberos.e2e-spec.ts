import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { NodeOrigin } from '../../support/node-origin.js';
import { KerberosRealm } from '../../support/peers/kerberos-realm.js';
import { KERBEROS_TOOLS } from '../../support/peers/kerberos-tools.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { CURL, withTools } from '../../support/proxy/with-tool.js';
import { runTool } from '../../support/proxy/run-tool.js';

/** More in the night. */
const REQUESTS = Number(process.env['KERBEROS_REQUESTS'] ?? 30);

withTools('an HTTP proxy with Kerberos', [...KERBEROS_TOOLS, CURL], (squid = '', helper = '') => {
  let realm: KerberosRealm;
  let origin: NodeOrigin;
  let port: number;
  beforeAll(async () => {
    realm = await KerberosRealm.start();
    port = await realm.squid(squid, helper);
    origin = await NodeOrigin.start((incoming, response) => {
      let length = 0;
      incoming
        .on('data', (chunk: Buffer) => (length += chunk.length))
        .on('end', () => response.end(`received ${length}`));
    });
  });
  afterAll(async () => {
    await origin[Symbol.asyncDispose]();
    await realm[Symbol.asyncDispose]();
  });

  const corp = (settings: object = {}) => ({ url: `http://localhost:${port}`, auth: 'negotiate', ...settings });
  const start = async (upstreams: object, environment: Readonly<Record<string, string>> = {}): Promise<RunningProxy> =>
    ProxyProgram.start({ upstream: undefined, upstreams }, { ...realm.environment, ...environment });
  const curl = async (proxy: RunningProxy, ...args: readonly string[]) =>
    (await runTool('curl', ['--silent', '--proxy', proxy.url, ...args])).stdout;

  it('accepts plain requests on one connection and on many, tunnels, and a body of 3 MB', async () => {
    await using proxy = await start({ corp: corp() });
    expect(await curl(proxy, origin.url, origin.url, origin.url)).toBe('received 0'.repeat(3));
    expect(await curl(proxy, '--proxytunnel', origin.url)).toBe('received 0');
    expect(await curl(proxy, '--data', 'a'.repeat(100_000), origin.url)).toBe('received 100000');
    const many = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => curl(proxy, ...(index % 2 ? ['--proxytunnel'] : []), origin.url)),
    );
    expect(new Set(many)).toEqual(new Set(['received 0']));
  });

  it(`serves ${REQUESTS} of ${REQUESTS} requests: tunnels of HTTP and SOCKS5, each with its own token, and plain ones`, async () => {
    await using proxy = await ProxyProgram.start(
      { mode: 'mixed', upstream: undefined, upstreams: { corp: corp() } },
      realm.environment,
    );
    const { host } = new URL(proxy.url);
    const ways = [
      ['--proxy', proxy.url],
      ['--proxytunnel', '--proxy', proxy.url],
      ['--proxy', `socks5h://${host}`],
    ];
    const before = realm.acceptedTokens;
    const answers: string[] = [];
    const todo = Array.from({ length: REQUESTS }, (_, index) => ways[index % ways.length]!);
    const next = async (): Promise<void> => {
      for (let way = todo.pop(); way !== undefined; way = todo.pop()) {
        answers.push((await runTool('curl', ['--silent', ...way, origin.url])).stdout);
      }
    };
    await Promise.all(Array.from({ length: 8 }, next));
    expect(answers.filter((answer) => answer !== 'received 0')).toEqual([]);
    // Each tunnel has its own connection; plain requests share some.
    expect(realm.acceptedTokens - before).toBeGreaterThanOrEqual((2 * REQUESTS) / 3);
  });

  it('is reached in a chain and in a group, with tickets of a keytab', async () => {
    const keyed = corp({ keytab: realm.path('me.keytab') });
    const upstreams = {
      any: { of: ['broken', 'corp'] },
      broken: 'http://127.0.0.1:1',
      corp: keyed,
      last: corp({ via: 'corp' }),
    };
    await using proxy = await start(upstreams, { KRB5CCNAME: 'FILE:/none' });
    expect(await curl(proxy, origin.url)).toBe('received 0');
  });

  it.each<readonly [string, object, Readonly<Record<string, string>>, RegExp]>([
    ['without a ticket', {}, { KRB5CCNAME: 'FILE:/none' }, /^There is no Kerberos ticket: run kinit/],
    [
      'for a service that the realm does not know',
      { servicePrincipal: 'HTTP/unknown' },
      {},
      /^The Kerberos server does not know HTTP\/unknown: use the full name/,
    ],
    [
      'for a realm that is not known',
      { servicePrincipal: 'HTTP@a.elsewhere' },
      {},
      /^No Kerberos realm is known for HTTP\/a\.elsewhere/,
    ],
    [
      'of another service',
      { servicePrincipal: 'HTTP/other' },
      {},
      /^The upstream server refused the ticket for HTTP\/other: wrong service name/,
    ],
  ])('fails with its own text %s', async (_title, settings, environment, text) => {
    await using proxy = await start({ corp: corp(settings) }, environment);
    expect(await curl(proxy, origin.url)).toMatch(text);
    expect(await curl(proxy, '--include', '--proxytunnel', origin.url)).toMatch(
      /^HTTP\/1.1 502 [^]*Proxy-Status: proxy-client; error=proxy_configuration_error/,
    );
  });

  it('is tested step by step by --check', async () => {
    const config = { upstreams: { corp: corp() } };
    await using checked = new ProxyProgram({ config, args: ['--check', origin.authority], env: realm.environment });
    expect((await checked.outcome()).stdout).toMatch(
      /tcp +ok .*\nticket +ok +HTTP@localhost\nauthentication +ok +by Kerberos\nconnect +ok/,
    );
    await using failed = new ProxyProgram({
      config,
      args: ['--check', origin.authority],
      env: { ...realm.environment, KRB5CCNAME: 'FILE:/none' },
    });
    const { stdout, code } = await failed.outcome();
    expect(stdout).toMatch(/ticket +failed +corp .*There is no Kerberos ticket/);
    expect(code).toBe(4);
  });

  it('is reached by the library, for which the threads of the program work', async () => {
    const script = `import { createProxy } from 'proxy-client';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
const proxy = await createProxy(JSON.parse(process.env.CONFIG));
const { hostname: host, port } = new URL(proxy.url);
console.log(await new Promise((resolve) => get({ host, port, path: process.env.SITE }, (response) => resolve(text(response)))));
await proxy.close();`;
    const args = ['--import', './test/support/proxy/library-import.mjs', '--input-type=module', '--eval', script];
    const run = async (settings: object) =>
      runTool(process.execPath, args, {
        env: {
          ...realm.environment,
          CONFIG: JSON.stringify({ upstreams: { corp: corp(settings) } }),
          SITE: origin.url,
        },
      });
    expect(await run({})).toEqual({ code: 0, stdout: 'received 0\n', stderr: '' });
    expect(await run({ servicePrincipal: 'HTTP/unknown' })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^The Kerberos server does not know HTTP\/unknown/),
    });
  });

  it('is asked once more on a new connection after a 407 on a used one', async () => {
    const tokens: (string | undefined)[] = [];
    const forgetful = createServer((incoming, response) => {
      const token = incoming.headers['proxy-authorization'];
      tokens.push(token);
      if (token === undefined) response.writeHead(407, { 'Proxy-Authenticate': 'Negotiate' }).end();
      else response.end('forwarded');
    });
    forgetful.listen(0, '127.0.0.1');
    await once(forgetful, 'listening');
    try {
      const { port: own } = forgetful.address() as AddressInfo;
      await using proxy = await start({ corp: { url: `http://localhost:${own}`, auth: 'negotiate' } });
      expect(await curl(proxy, 'http://a.example/1', 'http://a.example/2')).toBe('forwardedforwarded');
      expect(tokens.map((token) => token?.slice(0, 10))).toEqual(['Negotiate ', undefined, 'Negotiate ']);
      expect(tokens[0]).not.toBe(tokens[2]);
    } finally {
      forgetful.closeAllConnections();
      forgetful.close();
    }
  });

  it('does not hold other requests when the Kerberos server accepts connections and stays silent', async () => {
    await realm.endServer();
    const sockets: Socket[] = [];
    const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => undefined)));
    silent.listen(realm.port, '127.0.0.1');
    await once(silent, 'listening');
    try {
      // The tickets of the user are used up: the keytab must obtain one.
      const upstreams = { corp: corp({ keytab: realm.path('me.keytab') }), other: 'embedded' };
      await using proxy = await ProxyProgram.start(
        {
          upstream: undefined,
          upstreams,
          rules: [
            { hosts: ['localhost'], to: 'other' },
            { hosts: ['127.0.0.1'], to: 'corp' },
          ],
        },
        { ...realm.environment, KRB5CCNAME: 'FILE:/none' },
      );
      // They do not wait for one another: only the first asks the server.
      const waiting = Promise.all(Array.from({ length: 10 }, async () => curl(proxy, origin.url)));
      expect(await curl(proxy, origin.url.replace('127.0.0.1', 'localhost'))).toBe('received 0');
      const answers = new Set(await waiting);
      expect(answers.size).toBe(1);
      expect([...answers][0]).toMatch(
        /^The Kerberos server does not answer in time|^The Kerberos server of the realm cannot be reached/,
      );
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
