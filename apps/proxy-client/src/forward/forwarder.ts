import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Authorize } from '../gate/authorize.js';
import type { OrdinaryRequest } from '../listener/ordinary-request.js';
import type { ForwardHandler, OrdinaryClient } from '../listener/proxy-handlers.js';
import type { Relays } from '../tunnel/relays.js';
import type { SelectUpstream, Upstream } from '../upstream/upstream.js';
import { ClientPeer, type PeerServices } from './exchange/client-peer.js';
import { HttpClientSide, type ClientSide } from './exchange/client-side.js';
import { Exchange, type ExchangeOptions, type Way } from './exchange/exchange.js';
import { UpgradeSide } from './exchange/upgrade-side.js';
import { Upload } from './exchange/upload.js';
import { Origins } from './pool/origins.js';
import { answerHere } from './request/answer-here.js';
import { OrdinarySide } from './exchange/ordinary-side.js';
import { Pipelines } from './exchange/pipelines.js';
import { prepareRequest, type PreparedRequest } from './request/prepared-request.js';
import { Routes, type Route } from './request/routes.js';
import { sweepPeriod } from './sweep-period.js';

export interface ForwarderOptions extends Omit<PeerServices, 'origins' | 'limits'> {
  readonly config: Pick<ProxyClientConfig, 'timeouts' | 'limits' | 'pool' | 'via'>;
  readonly authorize: Authorize;
  readonly select: SelectUpstream;
  readonly relays: Relays;
  /** A request on this client's connection was found in order and has a target. */
  readonly proxied: (socket: Socket) => void;
}

/**
 * Plain HTTP: each request is checked, rewritten and sent on through the upstream, each answer relayed as it comes.
 *
 *     client ── GET http://… ──▶ checks ──▶ authorize ──▶ pool or upstream (SOCKS5) ──▶ origin
 *     client ◀── answer; or the failure ── response reader ◀── origin
 */
export class Forwarder implements ForwardHandler {
  readonly #options: ForwarderOptions;
  readonly #services: PeerServices;
  readonly #origins: Origins;
  readonly #routes: Routes;
  readonly #peers = new Map<Socket, ClientPeer>();
  /** Requests that wait for their turn, and what has become known of their bodies meanwhile. */
  readonly #waiting = new WeakMap<ServerResponse, ProxyFailure | null>();
  readonly #pipelines = new Pipelines();
  readonly #ways = new WeakMap<Route, Way>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ForwarderOptions) {
    const { timeouts, limits, pool, via } = options.config;
    this.#options = options;
    this.#origins = new Origins(pool, limits.headerBytes);
    this.#services = { ...options, origins: this.#origins, limits: timeouts };
    this.#routes = new Routes(via);
    const period = sweepPeriod([timeouts.read, timeouts.write, timeouts.response, pool.idle]);
    this.#timer = setInterval(() => {
      this.#sweep();
    }, period).unref();
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): void {
    if (response.socket === null) {
      // node:http gives the answer its socket when those before it are written.
      this.#waiting.set(response, null);
      this.#pipelines.queue(request.socket);
      response.once('socket', () => {
        this.#pipelines.unqueue(request.socket);
        this.#begin(request, response);
      });
    } else if (hasBody(request)) {
      // A body that is malformed in the same read is known of then, before anything is sent. Not nextTick: node:http runs
      // those between the pieces of one read.
      this.#waiting.set(response, null);
      setImmediate(() => {
        this.#begin(request, response);
      });
    } else this.#serve(request, response);
  }

  handleOrdinary(request: OrdinaryRequest, client: OrdinaryClient): boolean {
    const prepared = this.#inOrder(request, client.socket);
    if (prepared === undefined) return false;
    this.#exchange(prepared, { client: new OrdinarySide(client, request.method) });
    return true;
  }

  handleUpgrade(request: IncomingMessage, socket: Socket): void {
    const peer = this.#peers.get(socket);
    if (peer?.exchange === undefined) this.#serveUpgrade(request, socket);
    else {
      // Pipelined: answers go out in the order of the requests (RFC 9112, section 9.3.2).
      peer.afterwards(() => {
        this.#serveUpgrade(request, socket);
      });
    }
  }

  handleMalformedBody(response: ServerResponse, failure: ProxyFailure): void {
    const { socket } = response.req;
    const exchange = this.#peers.get(socket)?.exchange;
    if (this.#waiting.has(response)) this.#waiting.set(response, failure);
    else if (exchange?.client instanceof HttpClientSide && exchange.client.answers(response)) exchange.fail(failure);
    else socket.destroySoon();
  }

  /** Ends the idle connections; requests have ended. */
  close(): void {
    clearInterval(this.#timer);
    this.#origins.pool.close();
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    const failure = this.#waiting.get(response) ?? undefined;
    this.#waiting.delete(response);
    if (request.socket.destroyed) return;
    this.#serve(request, response, failure);
  }

  /** @param malformed - what is already known to be wrong with its body */
  #serve(request: IncomingMessage, response: ServerResponse, malformed?: ProxyFailure): void {
    const client = new HttpClientSide(request, response);
    const prepared = this.#prepare(request, client);
    if (prepared === undefined) return;
    if (malformed !== undefined) {
      this.#refuse(client, request, malformed);
      return;
    }
    if (prepared === 'here') {
      answerHere(request, response);
      return;
    }
    const upload = prepared.body === 'none' ? undefined : new Upload(request, prepared);
    this.#exchange(prepared, { client, upload });
  }

  #serveUpgrade(request: IncomingMessage, socket: Socket): void {
    const client = new UpgradeSide(this.#options.relays, socket);
    const prepared = this.#prepare(request, client, request.headers.upgrade);
    if (prepared === undefined || prepared === 'here') return;
    this.#exchange(prepared, {
      client,
      onSwitch: (upstream, toClient) => {
        client.join(upstream, toClient);
      },
    });
  }

  /** The request as it goes out, once it was found in order and allowed; else it has been answered. */
  #prepare(request: IncomingMessage, client: ClientSide, upgrade?: string): PreparedRequest | 'here' | undefined {
    try {
      const prepared = prepareRequest(request, this.#routes, upgrade);
      if (prepared === undefined) return 'here';
      const decision = this.#options.authorize(client.socket, prepared.target);
      if (decision !== 'allow') throw new ProxyFailure(decision);
      return prepared;
    } catch (error) {
      this.#refuse(client, request, ProxyFailure.from(error));
      return undefined;
    }
  }

  /** The request as it goes out; undefined when it is to be answered otherwise than by its origin. */
  #inOrder(request: OrdinaryRequest, socket: Socket): PreparedRequest | undefined {
    try {
      const prepared = prepareRequest(request, this.#routes);
      if (prepared !== undefined && this.#options.authorize(socket, prepared.target) === 'allow') return prepared;
    } catch {
      // It is found again, and answered, where the request goes instead.
    }
    return undefined;
  }

  #exchange(request: PreparedRequest, options: Pick<ExchangeOptions, 'client' | 'upload' | 'onSwitch'>): void {
    const { socket } = options.client;
    const upstream = this.#options.select(request.target, socket);
    const peer = this.#peers.get(socket) ?? this.#meet(socket);
    const { client, upload, onSwitch } = options;
    const exchange = new Exchange({
      client,
      upload,
      onSwitch,
      host: peer,
      request,
      way: this.#way(upstream, request.route),
    });
    peer.exchange = exchange;
    exchange.begin();
  }

  /** The same key each time, so that looking it up costs no hash of its characters. */
  #way(upstream: Upstream, route: Route): Way {
    const known = this.#ways.get(route);
    if (known?.upstream === upstream) return known;
    const way = { upstream, key: `${upstream.key} ${route.place}` };
    this.#ways.set(route, way);
    return way;
  }

  #refuse(client: ClientSide, request: IncomingMessage, failure: ProxyFailure): void {
    if (failure.row.counted) this.#options.proxied(client.socket);
    this.#options.reporter.report(failure, { method: request.method, client: client.socket.remoteAddress });
    client.fail(failure);
  }

  #meet(socket: Socket): ClientPeer {
    const peer = new ClientPeer(socket, this.#services);
    this.#peers.set(socket, peer);
    this.#options.proxied(socket);
    socket.once('close', () => {
      this.#peers.delete(socket);
      peer.closed();
    });
    return peer;
  }

  #sweep(): void {
    const now = performance.now();
    this.#origins.pool.sweep(now);
    for (const peer of this.#peers.values()) peer.sweep(now);
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
