import { jest } from '@jest/globals';
import { NodeOrigin } from '../../../../test/support/node-origin.js';
import { exchange, RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { getThroughProxy } from '../../../../test/support/get-through-proxy.js';
import { receivedBy, startPasswordSocks } from '../../../../test/support/proxy/password-socks.js';
import { until } from '../../../../test/support/until.js';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import type { ScriptedSocks5Server } from '#socks5-protocol/testing';
import type { ConfigFile, TlsConfig } from '../config/proxy-client-config.js';
import {
  anonymize,
  createProxy,
  type FinishedConnection,
  type GroupOptions,
  type ListenerOptions,
  type ProxyConfig,
  type ProxyHooks,
  type RuleOptions,
  type UpstreamChoice,
  type UpstreamOptions,
  type UpstreamRequest,
} from './index.js';

const BODY = 'hello';
const ANSWER = `HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

let origin: RawOrigin;
let socks: ScriptedSocks5Server;
beforeEach(async () => {
  origin = await RawOrigin.answering(ANSWER);
  socks = await startPasswordSocks(origin.port);
});
afterEach(async () => {
  await socks.close();
  await origin[Symbol.asyncDispose]();
});

const SITE = 'http://shop.example/';

function upstreamAs(credentials: string): string {
  return `socks5://${credentials}@127.0.0.1:${socks.port}`;
}

/** Requests the site through a proxy, on a connection of its own. */
async function get(proxy: { readonly url: string }, fields = ''): Promise<string> {
  const client = await RawConnection.open(proxy.url);
  return client.write(`GET ${SITE} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n${fields}\r\n`).closed;
}

/** Opens a tunnel and waits for the answer. */
async function tunnelTo(proxy: { readonly url: string }, authority: string): Promise<RawConnection> {
  const client = await RawConnection.open(proxy.url);
  await client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`).until('\r\n\r\n');
  return client;
}

function basic(credentials: string): string {
  return `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
}

/** Returns a logger that collects its lines. */
function collecting(lines: string[]) {
  const note = (fields: object, message: string): void => {
    const { err } = fields as { readonly err?: Error };
    lines.push(`${message} ${JSON.stringify(fields)} ${err?.message ?? ''}`);
  };
  return { debug: note, info: note, warn: note, error: note };
}

describe('anonymize', () => {
  it('logs in to the upstream for clients that cannot', async () => {
    const proxy = await anonymize(upstreamAs('me:se%24%24cret'));
    expect(proxy.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await getThroughProxy(proxy.url, SITE)).toEqual({ status: 200, body: BODY });
    const tunnel = await tunnelTo(proxy, 'shop.example:443');
    await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    expect(receivedBy(socks)).toEqual(['me:se$$cret', 'me:se$$cret']);
    expect(socks.connections.map(({ target }) => target?.host)).toEqual(['shop.example', 'shop.example']);
    expect(proxy.stats()).toMatchObject({ successful_requests: 2, failed_requests: 0 });
    await proxy.close();
    await tunnel.closed;
    await expect(RawConnection.open(proxy.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('logs in to an HTTP proxy', async () => {
    await using proxy = await anonymize(`http://me:secret@${origin.authority}`);
    expect(await get(proxy)).toContain(' 200 OK');
    expect(origin.heads[0]).toMatch(/^GET http:\/\/shop\.example\/ HTTP\/1\.1\r\n/);
    expect(origin.heads[0]).toContain(basic('me:secret'));
  });

  it('accepts a URL object, and a password with an @ that is not encoded', async () => {
    for (const url of [new URL(`http://me:s%40cret@${origin.authority}`), `http://me:s@cret@${origin.authority}`]) {
      await using proxy = await anonymize(url);
      expect(await get(proxy)).toContain(' 200 OK');
      expect(origin.heads.at(-1)).toContain(basic('me:s@cret'));
    }
    // Its default port is not in a URL object.
    await using proxy = await anonymize(new URL('http://me:secret@127.0.0.1:80'));
    expect(proxy.url).toMatch(/^http:/);
  });

  it.each(['socks5://me:s3cret@host', 'nonsense://me:s3cret@host:1', '', 'socks5://me:s3%cret@host:1'])(
    'refuses %s without naming the password',
    async (url) => {
      const error = await anonymize(url).catch((caught: unknown) => caught as Error);
      expect(error).toMatchObject({ code: 'PROXY.CONFIG' });
      const { message, stack = '' } = error as Error;
      expect(message).toMatch(/^createProxy: upstream: /);
      expect(JSON.stringify(error) + stack).not.toContain('s3');
    },
  );
});

describe('createProxy', () => {
  it.each<[string, object, string]>([
    ['an unknown key', { upstraem: 'x' }, 'unknown key "upstraem"; did you mean "upstream"?'],
    ['a wrong type', { listen: [] }, 'listen: must be a group of keys'],
    ['a key of the program', { admin: { port: 1 } }, 'admin: belongs to the program proxy-client'],
    ['another one', { log: { requests: 'stdout' } }, 'log: belongs to the program proxy-client'],
    ['an unknown upstream', { rules: [{ to: 'wrok' }] }, 'rules[0].to: is not the name of an upstream'],
    ['an open listener', { listen: { host: '0.0.0.0' } }, 'listen.host: is not a loopback address'],
    ['no configuration', null as never, 'must be a group of keys'],
  ])('reports %s', async (_, config, fault) => {
    const message = expect.stringContaining(`createProxy: ${fault}`) as unknown;
    await expect(createProxy(config)).rejects.toMatchObject({ code: 'PROXY.CONFIG', message });
  });

  it.each([
    [
      { chooseUpstreams: () => 'reject' },
      'createProxy: hooks: unknown key "chooseUpstreams"; did you mean "chooseUpstream"?',
    ],
    [{ chooseUpstream: 1 }, 'createProxy: hooks.chooseUpstream: must be a function'],
    [{ logger: {} }, 'createProxy: hooks.logger: must have the methods debug, info, warn, error'],
    [null, 'createProxy: hooks: must be an object'],
  ])('refuses invalid hooks: %j', async (hooks, message) => {
    await expect(createProxy({}, hooks as object)).rejects.toMatchObject({ code: 'PROXY.CONFIG', message });
  });

  it('refuses to anonymize nothing', async () => {
    await expect(anonymize(undefined as unknown as string)).rejects.toMatchObject({ code: 'PROXY.CONFIG' });
  });

  it('ends with an error for a configuration that contains itself', async () => {
    const listen: Record<string, unknown> = {};
    listen['users'] = [listen];
    await expect(createProxy({ listen })).rejects.toMatchObject({ code: 'PROXY.CONFIG' });
  });

  it('reports a port that is in use', async () => {
    const { port } = origin;
    await expect(createProxy({ listen: { port } })).rejects.toMatchObject({
      code: 'PROXY.LISTEN',
      message: `Cannot listen on 127.0.0.1:${port}: the port is in use (EADDRINUSE). See listen.port in createProxy.`,
    });
  });

  it('selects upstreams by rules', async () => {
    await using proxy = await createProxy({
      upstreams: { first: upstreamAs('one:1'), second: upstreamAs('two:2') },
      rules: [
        { hosts: ['*.example'], ports: [80], to: 'second' },
        { ports: ['400-500'], to: 'reject' },
      ],
    });
    expect(await get(proxy)).toContain(' 200 OK');
    await tunnelTo(proxy, 'other.test:22');
    expect(receivedBy(socks)).toEqual(['two:2', 'one:1']);
    expect((await tunnelTo(proxy, 'other.test:443')).received).toContain(' 403 ');
  });

  it('accepts SOCKS5 clients, and names its URL accordingly', async () => {
    await using proxy = await createProxy({ mode: 'socks5', upstream: upstreamAs('me:secret') });
    expect(proxy.url).toMatch(/^socks5:/);
    const client = await RawConnection.open(proxy.url);
    await client.write('\x05\x01\x00').until('\x05\x00');
    await client.write('\x05\x01\x00\x03\x01a\x00\x50').until('\x05\x00\x00');
    await client.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    expect(receivedBy(socks)).toEqual(['me:secret']);
  });

  it('is silent, and passes its log on to a logger', async () => {
    const upstream = `socks5://127.0.0.1:${CLOSED_PORT}`;
    const lines: string[] = [];
    await using proxy = await createProxy({ upstream }, { logger: collecting(lines) });
    await using silent = await createProxy({ upstream });
    expect(await get(proxy)).toContain(' 502 ');
    expect(await get(silent)).toContain(' 502 ');
    expect(lines).toEqual([expect.stringContaining('upstream_unreachable')]);
  });

  it('shares nothing with other proxies of the process', async () => {
    const upstream = upstreamAs('me:secret');
    await using small = await createProxy({
      upstream,
      limits: { connections: 1 },
      listen: { users: [{ name: 'ann', password: 'right' }] },
    });
    await using other = await createProxy({ upstream });
    await tunnelTo(other, 'a.test:1');
    await tunnelTo(other, 'a.test:2');
    expect(await get(small)).toContain(' 407 ');
    expect(await get(small, basic('ann:right'))).toContain(' 200 OK');
    expect(small.stats()).toMatchObject({ total_connections: 1, active_connections: 0, successful_requests: 1 });
    expect(other.stats()).toMatchObject({ total_connections: 2, active_connections: 2, successful_requests: 2 });
    await small.close();
    await tunnelTo(other, 'a.test:3');
  });
});

describe('onAsk', () => {
  const ask = async (hooks: ProxyHooks) => {
    await using origin = await NodeOrigin.start((_request, response) => response.end('hello'));
    await using proxy = await createProxy({ upstream: origin.url, default: 'ask' }, hooks);
    const get = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';
    return await exchange(proxy.url, get);
  };

  it('decides about targets that no rule names, at once or later', async () => {
    const asked: unknown[] = [];
    const answer = await ask({
      onAsk: async (question) => {
        asked.push(question);
        return Promise.resolve({ answer: 'yes', for: 'once' });
      },
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(asked).toEqual([{ target: 'a.example:80', client: '127.0.0.1', user: undefined, rule: undefined }]);
    expect(await ask({ onAsk: () => 'no' })).toContain('a person has answered no for a.example:80');
  });

  it('refuses such requests if it is missing', async () => {
    expect(await ask({})).toContain('none is there to answer');
  });

  it('leaves the question open when it fails, and logs that', async () => {
    const errors: string[] = [];
    const logger = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (_: object, message: string) => void errors.push(message),
    };
    const failing = { onAsk: () => 'perhaps' as 'no', logger };
    await using origin = await NodeOrigin.start((_request, response) => response.end('hello'));
    await using proxy = await createProxy(
      { upstream: origin.url, default: 'ask', gate: { ask: { timeout: '1s' } } },
      failing,
    );
    const get = 'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n';
    expect(await exchange(proxy.url, get)).toMatch(/^HTTP\/1\.1 503 /);
    expect(errors).toContain('the callback onAsk has failed');
  });
});

describe('chooseUpstream', () => {
  it('is asked with user, host and port before a connection is used', async () => {
    const asked: UpstreamRequest[] = [];
    const users = ['ann', 'bob'].map((name) => ({ name, password: 'right' }));
    await using proxy = await createProxy(
      { upstream: `socks5://127.0.0.1:${CLOSED_PORT}`, listen: { users } },
      {
        chooseUpstream: async (request) => {
          asked.push(request);
          await new Promise(setImmediate);
          return upstreamAs(`${request.user}:1`);
        },
      },
    );
    for (const user of ['ann', 'bob', 'ann']) {
      expect(await get(proxy, basic(`${user}:right`))).toContain(' 200 OK');
    }
    expect(asked).toEqual(['ann', 'bob', 'ann'].map((user) => ({ user, host: 'shop.example', port: 80 })));
    // The third request used the pooled connection of the first one.
    expect(receivedBy(socks)).toEqual(['ann:1', 'bob:1']);
  });

  it('never uses a pooled connection of another upstream, though only the password differs', async () => {
    const passwords = ['right', 'other', 'right'];
    await using proxy = await createProxy(
      {},
      { chooseUpstream: () => ({ host: '127.0.0.1', port: socks.port, username: 'me', password: passwords.shift()! }) },
    );
    for (let count = 0; count < 3; count += 1) expect(await get(proxy)).toContain(' 200 OK');
    expect(receivedBy(socks)).toEqual(['me:right', 'me:other']);
  });

  it('may return a URL object', async () => {
    await using proxy = await createProxy({}, { chooseUpstream: () => new URL(upstreamAs('me:1')) });
    expect(await get(proxy)).toContain(' 200 OK');
    expect(receivedBy(socks)).toEqual(['me:1']);
  });

  it('serves a body that arrives before the answer', async () => {
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<string>();
    await using proxy = await createProxy(
      {},
      {
        chooseUpstream: async () => {
          asked.resolve(undefined);
          return answer.promise;
        },
      },
    );
    const client = await RawConnection.open(proxy.url);
    client.write(`POST ${SITE} HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 3\r\n\r\nabc`);
    await asked.promise;
    answer.resolve(upstreamAs('me:1'));
    await client.until(BODY);
    expect(origin.sides[0]!.received).toMatch(/\r\n\r\nabc$/);
  });

  it.each<[string, UpstreamChoice | Error, string, string]>([
    ['reject', 'reject', ' 403 ', 'rejected'],
    ['an unknown name', 'secret-name', ' 500 ', 'chooseUpstream: must be'],
    ['a malformed URL', 'socks5://me:secret@', ' 500 ', 'chooseUpstream: must be'],
    ['an unknown key', { secret: 'secret' } as UpstreamOptions, ' 500 ', 'chooseUpstream: unknown key'],
    ['an error', new Error('the database is down'), ' 500 ', 'the database is down'],
  ])('fails a request for %s, and logs the reason without secrets', async (_, choice, status, reason) => {
    const lines: string[] = [];
    const ended: FinishedConnection[] = [];
    await using proxy = await createProxy(
      { upstream: upstreamAs('me:1') },
      {
        logger: collecting(lines),
        onEnd: (connection) => ended.push(connection),
        chooseUpstream: () => {
          if (choice instanceof Error) throw choice;
          return choice;
        },
      },
    );
    expect(await get(proxy)).toContain(status);
    expect((await tunnelTo(proxy, 'shop.example:443')).received).toContain(status);
    expect(lines).toEqual([expect.stringContaining(reason), expect.stringContaining(reason)]);
    expect(lines.join().replaceAll('"secret"', '')).not.toMatch(/me:secret|secret-name/);
    expect(socks.connections).toEqual([]);
    // No upstream was chosen.
    expect(ended.map(({ method, upstream }) => [method, upstream])).toEqual([
      ['GET', undefined],
      ['CONNECT', undefined],
    ]);
  });

  it('fails a request if it throws an object that cannot be read', async () => {
    const lines: string[] = [];
    const { proxy: unreadable, revoke } = Proxy.revocable({}, {});
    revoke();
    await using proxy = await createProxy(
      {},
      {
        logger: collecting(lines),
        chooseUpstream: () => {
          throw unreadable as Error;
        },
      },
    );
    expect(await get(proxy)).toContain(' 500 ');
    expect(lines).toEqual([expect.stringContaining('an object that cannot be read was thrown')]);
  });

  it('may name an upstream, direct, or nothing for that of the rules; it is not asked about refused requests', async () => {
    const choices = [undefined, 'second', 'direct'];
    await using proxy = await createProxy(
      {
        upstreams: { first: upstreamAs('one:1'), second: upstreamAs('two:2') },
        rules: [{ hosts: ['bad.test'], to: 'reject' }],
      },
      { chooseUpstream: () => choices.shift() },
    );
    expect((await tunnelTo(proxy, 'bad.test:443')).received).toContain(' 403 ');
    for (let count = 0; count < 3; count += 1) {
      const tunnel = await tunnelTo(proxy, origin.authority);
      await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    }
    expect(receivedBy(socks)).toEqual(['one:1', 'two:2']);
    expect(origin.used).toBe(3);
  });

  it('may name an upstream through which its own is reached', async () => {
    await using carrier = await startPasswordSocks(socks.port);
    const chosen = { host: 'inner.example', port: 1080, username: 'me', password: '1' };
    const via = ['carrier', 'nowhere'];
    const lines: string[] = [];
    await using proxy = await createProxy(
      { upstreams: { carrier: `socks5://you:2@127.0.0.1:${carrier.port}` } },
      { logger: collecting(lines), chooseUpstream: () => ({ ...chosen, via: via.shift() }) },
    );
    expect(await get(proxy)).toContain(' 200 OK');
    expect([receivedBy(carrier), receivedBy(socks)]).toEqual([['you:2'], ['me:1']]);
    expect(carrier.connections[0]!.target).toMatchObject({ host: 'inner.example', port: 1080 });
    expect(await get(proxy)).toContain(' 500 ');
    expect(lines).toEqual([expect.stringContaining('nowhere')]);
    expect(origin.used).toBe(1);
  });

  it('opens no connection for a client that has left meanwhile', async () => {
    const asked: string[] = [];
    const answer = Promise.withResolvers<string>();
    const ended: FinishedConnection[] = [];
    await using proxy = await createProxy(
      {},
      {
        chooseUpstream: async ({ host }) => {
          asked.push(host);
          return answer.promise;
        },
        onEnd: (connection) => ended.push(connection),
      },
    );
    const [request, tunnel] = [await RawConnection.open(proxy.url), await RawConnection.open(proxy.url)];
    request.write('GET http://one.test/ HTTP/1.1\r\nHost: one.test\r\n\r\n');
    tunnel.write('CONNECT two.test:1 HTTP/1.1\r\nHost: two.test:1\r\n\r\n');
    await until(() => asked.length === 2);
    for (const { socket } of [request, tunnel]) socket.resetAndDestroy();
    await until(() => ended.length === 2);
    answer.resolve(upstreamAs('me:1'));
    await new Promise(setImmediate);
    expect(socks.connections).toEqual([]);
    expect(ended.map(({ error, upstream }) => [error, upstream])).toEqual(Array(2).fill(['client_left', undefined]));
  });
});

describe('onEnd', () => {
  it('and a logger may throw or reject without harm to the program', async () => {
    const fails = (): never => {
      throw new TypeError('a defect of the caller');
    };
    const logger = { debug: fails, info: fails, warn: fails, error: fails };
    const rejected = jest.fn(async () => Promise.reject(new TypeError('a rejection of the caller')));
    const rejects = rejected as unknown as () => void;
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);
    const rejecting = { debug: rejects, info: rejects, warn: rejects, error: rejects };
    for (const hooks of [
      { onEnd: rejects, logger },
      { onEnd: fails, logger },
      { onEnd: fails, logger: rejecting },
    ]) {
      await using proxy = await createProxy({ upstream: `http://${origin.authority}` }, hooks);
      expect(await get(proxy)).toContain(' 200 OK');
    }
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);
    expect(rejected.mock.calls.length).toBeGreaterThan(1);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('receives the bytes of each request and tunnel once, at its end', async () => {
    const ended: FinishedConnection[] = [];
    await using proxy = await createProxy(
      { upstream: upstreamAs('me:secret'), rules: [{ hosts: ['bad.test'], to: 'reject' }] },
      { onEnd: (connection) => ended.push(connection) },
    );
    await get(proxy);
    const tunnel = await tunnelTo(proxy, 'shop.example:443');
    await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    expect(ended).toHaveLength(1);
    tunnel.half();
    await tunnel.closed;
    await tunnelTo(proxy, 'bad.test:1');
    await until(() => ended.length === 3);
    const [request] = ended;
    expect(ended).toMatchObject([
      { method: 'GET', target: SITE, status: 200, received: ANSWER.length, upstream: 'upstream', client: '127.0.0.1' },
      { method: 'CONNECT', target: 'shop.example:443', status: 200, sent: 18, received: ANSWER.length },
      { method: 'CONNECT', target: 'bad.test:1', status: 403, error: 'rejected', rule: 1, sent: 0, received: 0 },
    ]);
    expect(request!.sent).toBe(origin.heads[0]!.length);
    expect(JSON.stringify(ended)).not.toContain('secret');
  });

  it('may throw', async () => {
    const lines: string[] = [];
    await using proxy = await createProxy(
      { upstream: upstreamAs('me:1') },
      {
        logger: collecting(lines),
        onEnd: () => {
          throw new Error('full');
        },
      },
    );
    expect(await get(proxy)).toContain(' 200 OK');
    expect(await get(proxy)).toContain(' 200 OK');
    await until(() => lines.length === 2);
    expect(lines[0]).toContain('full');
  });
});

describe('reload', () => {
  it('applies another configuration to later requests, and keeps the port and open tunnels', async () => {
    await using proxy = await createProxy({ upstream: upstreamAs('one:1') });
    const { url } = proxy;
    const tunnel = await tunnelTo(proxy, 'a.test:1');
    await Promise.all([proxy.reload({ upstream: 'embedded' }), proxy.reload({ upstream: upstreamAs('two:2') })]);
    expect(proxy.url).toBe(url);
    await get(proxy);
    await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    expect(receivedBy(socks)).toEqual(['one:1', 'two:2']);
  });

  it('closes the idle connections of an upstream that it removes, and no others', async () => {
    await using proxy = await createProxy({ upstream: upstreamAs('one:1') });
    expect(await get(proxy)).toContain(' 200 OK');
    await proxy.reload({ upstream: upstreamAs('one:1'), via: 'off' });
    expect(await get(proxy)).toContain(' 200 OK');
    expect(receivedBy(socks)).toEqual(['one:1']);
    await proxy.reload({ upstream: upstreamAs('two:2') });
    await origin.sides[0]!.closed;
    expect(await get(proxy)).toContain(' 200 OK');
    expect(receivedBy(socks)).toEqual(['one:1', 'two:2']);
  });

  it('changes nothing if it fails, and fails after close', async () => {
    const proxy = await createProxy({ upstream: upstreamAs('one:1') });
    await expect(proxy.reload({ rules: [{ to: 'nowhere' }] })).rejects.toMatchObject({ code: 'PROXY.CONFIG' });
    await expect(proxy.reload({ listen: { port: origin.port } })).rejects.toMatchObject({ code: 'PROXY.LISTEN' });
    expect(await get(proxy)).toContain(' 200 OK');
    await proxy.close();
    await expect(proxy.reload({})).rejects.toThrow('The proxy is closed.');
  });
});

describe('close', () => {
  it('reports every tunnel before it resolves, also those that it cuts', async () => {
    const ended: FinishedConnection[] = [];
    const proxy = await createProxy(
      { upstream: upstreamAs('one:1') },
      { onEnd: (connection) => ended.push(connection) },
    );
    for (const port of [1, 2]) {
      const tunnel = await tunnelTo(proxy, `a.test:${port}`);
      await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    }
    await proxy.close();
    expect(ended).toMatchObject([{ received: ANSWER.length }, { received: ANSWER.length }]);
    await proxy.close();
  });

  it('lets tunnels finish if it drains', async () => {
    const proxy = await createProxy({ upstream: upstreamAs('one:1'), timeouts: { drain: 0 } });
    const tunnel = await tunnelTo(proxy, 'a.test:1');
    const closed = proxy.close({ drain: true });
    await tunnel.write('GET / HTTP/1.1\r\n\r\n').until(BODY);
    tunnel.half();
    await closed;
    expect(proxy.stats().active_connections).toBe(0);
  });
});

describe('the types', () => {
  type Keys<T> = keyof NonNullable<T>;
  type Entry<T> = T extends readonly (infer E)[] ? NonNullable<E> : never;
  type Group = Extract<Entry<ConfigFile['upstreams']>, { readonly kind: 'group' }>;
  type Server<Kind> = Extract<Entry<ConfigFile['upstreams']>, { readonly kind: Kind }>;
  type ServerKeys = keyof Server<'socks5'> | keyof Server<'http'> | keyof TlsConfig;
  /** The keys of a listener as a library's user writes them: files instead of what was read from them. */
  type InFile<K> = Exclude<K, 'systemd' | 'tls'> | 'certificate' | 'key';
  /** Compiles only if both types are the same. */
  const same = <A extends B, B extends C, C = A>(): A | B | C | undefined => undefined;

  it('have the keys of the configuration file', () => {
    same<Exclude<Keys<ConfigFile>, 'admin' | 'log'>, Keys<ProxyConfig>>();
    same<InFile<Keys<ConfigFile['listen']>>, Keys<ProxyConfig['listen']>>();
    same<InFile<Exclude<Keys<Entry<ConfigFile['listeners']>>, 'setBy'>>, keyof ListenerOptions>();
    same<
      | Exclude<ServerKeys, 'kind' | 'name' | 'credentials' | 'tls' | 'negotiate'>
      | ('protocol' | 'url' | 'username' | 'password' | 'auth' | 'servicePrincipal' | 'keytab'),
      keyof UpstreamOptions
    >();
    same<Exclude<keyof Group, 'kind' | 'name'>, keyof GroupOptions>();
    same<Keys<Entry<ConfigFile['rules']>>, keyof RuleOptions>();
    same<Keys<ConfigFile['timeouts']>, Keys<ProxyConfig['timeouts']>>();
    same<Keys<ConfigFile['limits']>, Keys<ProxyConfig['limits']>>();
    expect(same<Keys<ConfigFile['pool']>, Keys<ProxyConfig['pool']>>()).toBeUndefined();
  });
});
