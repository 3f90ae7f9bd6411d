import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../../../../test/support/closed-port.js';
import { until } from '../../../../../test/support/until.js';
import type { NamedUpstream } from '../../config/proxy-client-config.js';
import type { ProxyFailure } from '../../failure/proxy-failure.js';
import type { ByteSource } from '../../relay/byte-source.js';
import type { Attempt, Upstream } from '../upstream.js';
import { FaultyServer, HttpProxy } from './chain-peers.js';
import { type MadeUpstreams, upstreamsOf } from './upstreams-of.js';

/** The servers that the tested upstreams use. */
export interface Servers {
  /** The port of a SOCKS5 server. */
  readonly socks5: number;
  /** The port of an HTTP proxy. */
  readonly http: number;
}

/** A kind of upstream. */
export interface UpstreamKind {
  /** Returns its configuration; the tested one is the last. Empty: the upstream `direct`. */
  readonly configure: (servers: Servers) => readonly NamedUpstream[];
  /** The category of a target that refuses connections. */
  readonly refused: string;
  /** The category of an expired attempt. */
  readonly expired: string;
}

const CLIENT = { remoteAddress: '127.0.0.1' };
/** More than the buffers of all sockets on the way. */
const LARGE = 3_000_000;
/** What a connection may read before it is started. */
const MOST_READ = 65_536;

/** What a target does with each of its connections. */
type Behaviour = (socket: Socket) => void;

/** A target whose connections end with it. */
class Target implements AsyncDisposable {
  readonly sockets: Socket[] = [];
  readonly #server: Server;

  private constructor(behaviour: Behaviour) {
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.sockets.push(socket.on('error', () => undefined));
      behaviour(socket);
    });
  }

  static async start(behaviour: Behaviour): Promise<Target> {
    const target = new Target(behaviour);
    target.#server.listen(0, '127.0.0.1');
    await once(target.#server, 'listening');
    return target;
  }

  get address(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

/** An attempt to connect with everything that it reported. */
class Recorded {
  readonly outcomes: ('connected' | 'failed')[] = [];
  readonly attempt: Attempt;
  /** Whether an outcome was reported before `begin` returned. */
  readonly isEarly: boolean;
  source: ByteSource | undefined;
  failure: ProxyFailure | undefined;
  upstream: Upstream | undefined;

  constructor(upstream: Upstream, target: { readonly host: string; readonly port: number }) {
    this.attempt = upstream.begin(
      { target, client: CLIENT },
      {
        connected: (source, upstream) => {
          this.outcomes.push('connected');
          Object.assign(this, { source, upstream });
        },
        failed: (failure, upstream) => {
          this.outcomes.push('failed');
          Object.assign(this, { failure, upstream });
        },
      },
    );
    this.isEarly = this.outcomes.length > 0;
  }

  async settled(): Promise<this> {
    await until(() => this.outcomes.length > 0);
    return this;
  }
}

/** Reads a connection to its end. */
class Reading {
  bytes = 0;
  text = '';
  hasEnded = false;
  hasClosed = false;
  readonly socket: Socket;

  constructor(source: ByteSource) {
    this.socket = source.socket as Socket;
    source.start({
      read: (chunk) => {
        this.bytes += chunk.length;
        if (this.text.length < 100) this.text += chunk.toString('latin1');
        return true;
      },
      onEnd: () => (this.hasEnded = true),
      onClose: () => (this.hasClosed = true),
    });
  }
}

const echo: Behaviour = (socket) => socket.pipe(socket);

/**
 * Tests the interface {@link Upstream}, as the rest of the program relies on it. Each kind of upstream passes all of it, with real servers
 * and targets.
 */
export function complies({ configure, refused, expired }: UpstreamKind): void {
  const closing = new AsyncDisposableStack();
  let socks5: LocalSocks5Server;
  let servers: Servers;
  let made: MadeUpstreams;

  beforeAll(async () => {
    socks5 = new LocalSocks5Server();
    await socks5.listen();
    servers = { socks5: socks5.address.port, http: closing.use(await HttpProxy.start()).port };
  });

  afterEach(() => {
    made.upstreams.close();
  });

  afterAll(async () => {
    await closing.disposeAsync();
    await socks5.close();
  });

  function upstreamWith(used: Servers): Upstream {
    const upstreams = configure(used);
    const first: NamedUpstream = { name: 'unused', kind: 'embedded' };
    made = upstreamsOf({ upstreams: upstreams.length === 0 ? [first] : upstreams });
    return made.upstreams.byName.get(upstreams.at(-1)?.name ?? 'direct')!;
  }

  async function connect(target: Target): Promise<Recorded & { readonly source: ByteSource }> {
    const recorded = await new Recorded(upstreamWith(servers), target.address).settled();
    expect(recorded.outcomes).toEqual(['connected']);
    return recorded as Recorded & { readonly source: ByteSource };
  }

  it('reports one connection, after begin has returned, and its bytes pass and are metered', async () => {
    await using target = await Target.start(echo);
    const recorded = await connect(target);
    const { source, upstream, isEarly } = recorded;
    expect([isEarly, upstream?.isDown]).toEqual([false, false]);
    const reading = new Reading(source);
    reading.socket.end(Buffer.alloc(LARGE));
    await until(() => reading.hasEnded && reading.hasClosed);
    expect([reading.bytes, recorded.outcomes]).toEqual([LARGE, ['connected']]);
    expect(made.stats.snapshot()).toMatchObject({ bytesSent: LARGE, bytesReceived: LARGE });
  });

  it('reads at most one buffer before it is started', async () => {
    await using target = await Target.start((socket) => socket.write(Buffer.alloc(LARGE)));
    const { source } = await connect(target);
    const { bytesRead } = source.socket;
    await until(() => target.sockets[0]!.bytesWritten > 0);
    for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
    expect(source.socket.bytesRead - bytesRead).toBeLessThanOrEqual(MOST_READ);
    const reading = new Reading(source);
    await until(() => reading.bytes === LARGE);
    reading.socket.destroy();
  });

  it('delivers what a target sends first, also with the reply', async () => {
    await using target = await Target.start((socket) => socket.write('220 ready\r\n'));
    const { source } = await connect(target);
    const reading = new Reading(source);
    await until(() => reading.text === '220 ready\r\n');
    reading.socket.write('quit');
    await until(() => target.sockets[0]!.readableLength === 4);
    reading.socket.destroy();
  });

  it('passes on the end of each direction alone', async () => {
    await using target = await Target.start((socket) => {
      socket.resume().once('end', () => socket.write('all of it, thank you'));
    });
    const reading = new Reading((await connect(target)).source);
    reading.socket.end('a request');
    await until(() => reading.text === 'all of it, thank you');
    expect([reading.hasEnded, reading.hasClosed]).toEqual([false, false]);
    target.sockets[0]!.end();
    await until(() => reading.hasEnded && reading.hasClosed);
  });

  it('passes on that the target has ended, while the client still sends', async () => {
    let received = '';
    await using target = await Target.start((socket) => {
      socket.on('data', (chunk: Buffer) => (received += chunk.toString())).end('bye');
    });
    const reading = new Reading((await connect(target)).source);
    await until(() => reading.hasEnded);
    reading.socket.end('more');
    await until(() => received === 'more' && reading.hasClosed);
    expect(reading.text).toBe('bye');
  });

  it('closes the connection when the target aborts it, and the other way round', async () => {
    await using target = await Target.start(echo);
    const aborted = new Reading((await connect(target)).source);
    aborted.socket.write('x');
    await until(() => aborted.bytes === 1);
    target.sockets[0]!.resetAndDestroy();
    await until(() => aborted.hasClosed);
    made.upstreams.close();
    const aborting = new Reading((await connect(target)).source);
    aborting.socket.write('x');
    await until(() => aborting.bytes === 1);
    aborting.socket.destroy();
    await until(() => target.sockets[1]!.destroyed);
  });

  it('reports one failure when the target refuses', async () => {
    const upstream = upstreamWith(servers);
    const recorded = await new Recorded(upstream, { host: '127.0.0.1', port: CLOSED_PORT }).settled();
    expect(recorded).toMatchObject({ isEarly: false, failure: { category: refused } });
    // Without an effect: the outcome was reported.
    recorded.attempt.expire();
    recorded.attempt.abort();
    await using target = await Target.start(echo);
    const next = await new Recorded(upstream, target.address).settled();
    expect([recorded.outcomes, next.outcomes]).toEqual([['failed'], ['connected']]);
    new Reading(next.source!).socket.destroy();
    expect(made.stats.snapshot()).toMatchObject({ bytesSent: 0, bytesReceived: 0 });
  });

  it('reports one failure when it is expired, and opens no connection afterwards', async () => {
    await using hanging = await FaultyServer.start('hang');
    await using target = await Target.start(echo);
    const upstream = upstreamWith({ socks5: hanging.port, http: hanging.port });
    const recorded = new Recorded(upstream, { ...target.address, host: 'localhost' });
    recorded.attempt.expire();
    await recorded.settled();
    recorded.attempt.expire();
    recorded.attempt.abort();
    expect(recorded).toMatchObject({ outcomes: ['failed'], failure: { category: expired } });
    await until(() => hanging.open === 0 && target.sockets.every((socket) => socket.readableEnded));
  });

  it('reports nothing when it is cancelled before its outcome, and closes its connections', async () => {
    await using hanging = await FaultyServer.start('hang');
    await using target = await Target.start(echo);
    const waiting = new Recorded(upstreamWith({ socks5: hanging.port, http: hanging.port }), target.address);
    // Direct connections do not use the server.
    if (expired === 'timeout') await until(() => hanging.open > 0);
    waiting.attempt.abort();
    const begun = new Recorded(upstreamWith(servers), target.address);
    begun.attempt.abort();
    const later = await connect(target);
    new Reading(later.source).socket.destroy();
    await until(() => hanging.open === 0 && target.sockets.every((socket) => socket.readableEnded));
    expect([waiting.outcomes, begun.outcomes]).toEqual([[], []]);
  });

  it('leaves a connection alone that was reported, whatever happens to the attempt', async () => {
    await using target = await Target.start(echo);
    const recorded = await connect(target);
    recorded.attempt.expire();
    recorded.attempt.abort();
    const reading = new Reading(recorded.source);
    reading.socket.end('still open');
    await until(() => reading.hasEnded);
    expect([reading.text, recorded.outcomes]).toEqual(['still open', ['connected']]);
  });

  it('has one pool key for the same client and origin, and another for each other origin', () => {
    const upstream = upstreamWith(servers);
    const query = { target: { host: 'a.test', port: 80 }, client: CLIENT };
    const keys = ['a.test:80', 'a.test:80', 'b.test:80'].map((origin) => upstream.keyFor(query, origin));
    expect([keys[0] === keys[1], keys[0] === keys[2]]).toEqual([true, false]);
  });
}
