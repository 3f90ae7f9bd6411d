import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import type { NamedUpstream, UpstreamConfig } from '../config/proxy-client-config.js';
import type { FailureCategory } from '../failure/failure-table.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { ThrowawayAuthority } from '../../../../test/support/throwaway-certificates.js';
import { FaultyServer, HttpProxy, type Misbehaviour, TlsFront } from './testing/chain-peers.js';
import { connectThrough } from './testing/connect-through.js';
import { group, upstreamsOf, type MadeUpstreams } from './testing/upstreams-of.js';
import type { Upstream } from './upstream.js';

const PROTOCOLS = ['socks5', 'socks5+tls', 'http', 'https'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const CHAINS: readonly (readonly [Protocol, Protocol, Protocol])[] = [
  ['http', 'socks5+tls', 'https'],
  ['socks5', 'https', 'socks5+tls'],
  ['https', 'socks5+tls', 'https'],
];
const NAMES = ['a', 'b', 'c', 'd'] as const;

let authority: ThrowawayAuthority;
let foreign: ThrowawayAuthority;
let socks: LocalSocks5Server;
let http: HttpProxy;
let echo: Server;
const closing = new AsyncDisposableStack();
const fronts = new Map<number, Promise<TlsFront>>();

beforeAll(async () => {
  authority = await ThrowawayAuthority.create('Test');
  foreign = await ThrowawayAuthority.create('Other');
  socks = new LocalSocks5Server();
  await socks.listen();
  http = closing.use(await HttpProxy.start());
  echo = createServer({ allowHalfOpen: true }, (socket) => socket.on('error', () => undefined).pipe(socket));
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
});

afterAll(async () => {
  await closing.disposeAsync();
  await socks.close();
  echo.close();
});

/** Returns the port of a server with TLS in front of it. */
async function frontOf(port: number): Promise<number> {
  const front = fronts.get(port) ?? startFront(port);
  fronts.set(port, front);
  return (await front).port;
}

async function startFront(port: number): Promise<TlsFront> {
  return closing.use(await TlsFront.start(() => port, await authority.issue('localhost')));
}

async function serverOf(
  protocol: Protocol,
  rest: Partial<UpstreamConfig> & { port?: number } = {},
): Promise<UpstreamConfig> {
  const isHttp = protocol.startsWith('http');
  const { port = isHttp ? http.port : socks.address.port, ...others } = rest;
  const hasTls = protocol === 'https' || protocol === 'socks5+tls';
  const common = {
    host: '127.0.0.1',
    port: hasTls ? await frontOf(port) : port,
    ...(hasTls && { tls: { ca: authority.root.certificate } }),
  };
  const config: UpstreamConfig = isHttp
    ? { kind: 'http', ...common, plain: 'forward' }
    : { kind: 'socks5', ...common, handshake: 'auto', warm: 0 };
  return { ...config, ...others } as UpstreamConfig;
}

/** The upstreams of a test, which ends with them. */
class Made implements Disposable {
  readonly #made: MadeUpstreams;

  constructor(...args: Parameters<typeof upstreamsOf>) {
    this.#made = upstreamsOf(...args);
  }

  named(name: string): Upstream {
    return this.#made.upstreams.byName.get(name)!;
  }

  get states() {
    return this.#made.upstreams.status().upstreams.map(({ state }) => state);
  }

  get upstreams() {
    return this.#made.upstreams;
  }

  get stats() {
    return this.#made.stats;
  }

  [Symbol.dispose](): void {
    this.#made.upstreams.close();
  }
}

/** A chain; its last server has the last name. */
class Chain extends Made {
  readonly #last: string;

  constructor(servers: readonly UpstreamConfig[], timeout = 20_000) {
    const upstreams = servers.map((config, index): NamedUpstream => {
      const via = NAMES[index - 1];
      return { name: NAMES[index] ?? '', ...config, ...(via !== undefined && { via }) };
    });
    super({ upstreams, timeouts: { connect: timeout, handshake: timeout } });
    this.#last = NAMES[servers.length - 1] ?? '';
  }

  get upstream(): Upstream {
    return this.named(this.#last);
  }
}

const target = () => ({ host: '127.0.0.1', port: (echo.address() as AddressInfo).port });

/** Sends bytes through an upstream to a target that returns them. */
async function roundTrip(upstream: Upstream, bytes: number): Promise<number> {
  const connection = await connectThrough(upstream, target());
  const socket = connection.socket as Socket;
  let received = 0;
  const ended = new Promise<void>((onEnd) => {
    connection.start({ read: (chunk) => (received += chunk.length) > 0, onEnd });
  });
  socket.end(Buffer.alloc(bytes, 'x'));
  await ended;
  socket.destroy();
  return received;
}

/** Returns the hop and category of a failure. */
async function failureThrough(upstream: Upstream): Promise<{ hop: string; failure: ProxyFailure }> {
  return new Promise((resolve, reject) => {
    upstream.begin(
      { target: target(), client: {} },
      {
        connected: () => {
          reject(new Error('connected'));
        },
        failed: (failure, { name }) => {
          resolve({ failure, hop: name });
        },
      },
    );
  });
}

describe.each(PROTOCOLS.flatMap((first) => PROTOCOLS.map((second) => [first, second] as const)))(
  'a chain of %s and %s',
  (first, second) => {
    it('passes bytes and the end of both directions on, also with what it has learned', async () => {
      using chain = new Chain([await serverOf(first), await serverOf(second)]);
      for (const bytes of [1, 100_000, 300_000]) expect(await roundTrip(chain.upstream, bytes)).toBe(bytes);
      expect(chain.states).toEqual(['up', 'up']);
      const { bytesSent, bytesReceived } = chain.stats.snapshot();
      expect([bytesSent, bytesReceived]).toEqual([400_001, 400_001]);
    });
  },
);

/** The ways to fail, with the category that the hop has then. */
const FAULTS: readonly (readonly [Misbehaviour, FailureCategory])[] = [
  ['reset', 'upstream_closed'],
  ['half-close', 'upstream_closed'],
  ['truncate', 'upstream_closed'],
  ['garbage', 'protocol_error'],
  ['password', 'auth_failed'],
];
/** The timeout of a server that hangs; the other servers of its chain must answer within it. */
const HANG_MS = 5000;
const LOGIN = { credentials: { username: 'me', password: 'wrong' } };

/** A hop of a chain, whose server a test replaces. */
class Hop {
  readonly name: string;
  readonly protocol: Protocol;

  constructor(
    readonly protocols: readonly Protocol[],
    readonly index: number,
  ) {
    this.name = NAMES[index] ?? '';
    this.protocol = protocols[index] ?? 'http';
  }

  get hasTls(): boolean {
    return this.protocol === 'https' || this.protocol === 'socks5+tls';
  }

  /** Makes the chain with another server at this hop, with its usual TLS in front of it unless `isPlain`. */
  async withFault(rest: object, { isPlain = false, timeout }: { isPlain?: boolean; timeout?: number } = {}) {
    const servers = await Promise.all(
      this.protocols.map(async (each, at) => serverOf(each, at === this.index && !isPlain ? rest : {})),
    );
    if (isPlain) servers[this.index] = { ...servers[this.index], ...rest } as UpstreamConfig;
    return new Chain(servers, timeout);
  }

  async expectFault(chain: Chain, category: FailureCategory, isDown = true): Promise<void> {
    const { failure, hop } = await failureThrough(chain.upstream);
    const detail = expect.stringContaining(`hop ${this.name}`) as unknown;
    expect([hop, failure.category, failure.facts.detail]).toEqual([this.name, category, detail]);
    const { states } = chain;
    if (isDown) expect(states[this.index]).toBe('down');
    expect(states.filter((_, at) => at !== this.index)).not.toContain('down');
    expect(chain.upstream.isDown).toBe(states[this.index] === 'down');
  }
}

const HOPS = CHAINS.flatMap((protocols) => [0, 1, 2].map((index) => new Hop(protocols, index)));

// In one block, where they wait at the same time.
describe('a hop that hangs', () => {
  it.concurrent.each(HOPS.map((hop) => [hop.protocols, hop.index, hop] as const))(
    'is named in a chain %j, hop %i',
    async (_protocols, _index, hop) => {
      await using server = await FaultyServer.start('hang');
      using chain = await hop.withFault({ port: server.port }, { timeout: HANG_MS });
      await hop.expectFault(chain, 'timeout', false);
      fronts.delete(server.port);
    },
  );

  it.concurrent.each(HOPS.filter(({ hasTls }) => hasTls).map((hop) => [hop.protocols, hop.index, hop] as const))(
    'in its TLS handshake is named in a chain %j, hop %i',
    async (_protocols, _index, hop) => {
      await using server = await FaultyServer.start('hang');
      using chain = await hop.withFault({ port: server.port }, { isPlain: true, timeout: HANG_MS });
      await hop.expectFault(chain, 'timeout');
    },
  );
});

describe.each(HOPS.map((hop) => [hop.protocols, hop.index, hop] as const))(
  'in a chain %j, hop %i',
  (_protocols, _index, hop) => {
    it.each(FAULTS)('is named when it fails: %s', async (misbehaviour, category) => {
      await using server = await FaultyServer.start(misbehaviour);
      const rest = misbehaviour === 'password' ? LOGIN : {};
      using chain = await hop.withFault({ port: server.port, ...rest });
      await hop.expectFault(chain, category, category !== 'upstream_closed');
      fronts.delete(server.port);
    });

    it('is named when it refuses the connection', async () => {
      using chain = await hop.withFault({ port: CLOSED_PORT }, { isPlain: true });
      await hop.expectFault(chain, 'upstream_unreachable');
    });

    it('is named when it cannot reach the next one, unless that is the reason', async () => {
      await using server = await FaultyServer.start('refuse');
      using chain = await hop.withFault({ port: server.port });
      const { failure, hop: failed } = await failureThrough(chain.upstream);
      fronts.delete(server.port);
      const own = hop.protocol.startsWith('http') ? 'upstream_cannot_connect' : 'host_unreachable';
      const expected = hop.index === 2 ? ['c', own] : [NAMES[hop.index + 1], 'upstream_unreachable'];
      expect([failed, failure.category]).toEqual(expected);
      expect(chain.states[hop.index]).toBe('up');
    });

    if (hop.hasTls) {
      it('is named when its certificate is from another authority', async () => {
        using chain = await hop.withFault({ tls: { ca: foreign.root.certificate } }, { isPlain: true });
        await hop.expectFault(chain, 'upstream_certificate_untrusted');
      });

      it('is named when its certificate is for another name', async () => {
        const tls = { ca: authority.root.certificate, serverName: 'other.example' };
        using chain = await hop.withFault({ tls }, { isPlain: true });
        await hop.expectFault(chain, 'upstream_certificate_name');
      });

      it.each(['garbage', 'reset'] as const)('is named when its TLS handshake fails: %s', async (misbehaviour) => {
        await using server = await FaultyServer.start(misbehaviour);
        using chain = await hop.withFault({ port: server.port }, { isPlain: true });
        await hop.expectFault(chain, 'upstream_tls_failed');
      });
    }
  },
);

describe('a server that requires a certificate', () => {
  it.each(['socks5+tls', 'https'] as const)(
    'accepts it, and refuses %s without it as a TLS failure',
    async (protocol) => {
      const { certificate, privateKey } = await authority.issue('me');
      const ca = authority.root.certificate;
      const inner = protocol === 'https' ? http.port : socks.address.port;
      await using front = await TlsFront.start(() => inner, await authority.issue('localhost'), ca);
      const server = { ...(await serverOf(protocol)), port: front.port };
      using accepted = new Chain([{ ...server, tls: { ca, certificate, key: privateKey } } as UpstreamConfig]);
      expect(await roundTrip(accepted.upstream, 1000)).toBe(1000);
      expect(front.clients).toEqual(['me']);
      using refused = new Chain([{ ...server, tls: { ca } } as UpstreamConfig]);
      const { failure } = await failureThrough(refused.upstream);
      expect([failure.category, refused.states]).toEqual(['upstream_tls_failed', ['down']]);
    },
  );
});

describe('a chain', () => {
  it('may have a group as a hop, whose members replace one another', async () => {
    const broken = { name: 'a', ...(await serverOf('socks5')), port: CLOSED_PORT } as NamedUpstream;
    const working = { name: 'b', ...(await serverOf('https')) } as NamedUpstream;
    const last = { name: 'c', ...(await serverOf('socks5+tls')), via: 'group' } as NamedUpstream;
    using made = new Made({ upstreams: [last, broken, working, group(['a', 'b'])] });
    expect(await roundTrip(made.named('c'), 1000)).toBe(1000);
    const states = new Map(made.upstreams.status().upstreams.map(({ name, state }) => [name, state]));
    expect(states).toEqual(
      new Map([
        ['c', 'up'],
        ['a', 'down'],
        ['b', 'up'],
      ]),
    );
  });

  it('has a pool key for each kind, TLS setting, previous hop and user of a previous hop that isolates', async () => {
    const plain = { name: 'a', ...(await serverOf('socks5')) } as NamedUpstream;
    const tor = { name: 'b', ...(await serverOf('socks5')), isolate: 'user' } as NamedUpstream;
    const over = async (name: string, via: string | undefined, rest = {}) =>
      ({ name, ...(await serverOf('https')), ...(via !== undefined && { via }), ...rest }) as NamedUpstream;
    const upstreams = [plain, tor, await over('c', undefined), await over('d', 'a'), await over('e', 'b')];
    using made = new Made({ upstreams: [...upstreams, await over('f', 'a', { tls: {} })] });
    const keyFor = (name: string, user?: string) =>
      made.named(name).keyFor({ target: target(), client: { user }, mayForward: true }, 'x:80');
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => keyFor(name));
    expect(new Set([...keys, keyFor('e', 'ann'), keyFor('e', 'bob')]).size).toBe(8);
    expect(keyFor('e', 'ann')).toBe(keyFor('e', 'ann'));
    expect(keyFor('d', 'ann')).toBe(keyFor('d', 'bob'));
  });
});
