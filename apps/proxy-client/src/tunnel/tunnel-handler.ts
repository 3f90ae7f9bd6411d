import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { answerFailure } from '../failure/answer-failure.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { OrdinaryConnect } from '../listener/ordinary-connect.js';
import type { ConnectHandler } from '../listener/proxy-handlers.js';
import { DISCARD } from '../relay/byte-source.js';
import type { Target } from '../upstream/upstream.js';
import { formatTarget } from './format-target.js';
import { parseConnectTarget } from './parse-connect-target.js';
import type { TunnelOptions } from './tunnel-options.js';
import { TunnelOpening } from './tunnel-opening.js';

/**
 * CONNECT: opens a tunnel through the upstream and says 200 when the upstream said so.
 *
 *     client ── CONNECT ──▶ authorize ──▶ upstream (SOCKS5) ──▶ target
 *     client ◀── 200, then bytes both ways; or the failure, and the connection ends (RFC 9931)
 */
export class TunnelHandler implements ConnectHandler {
  readonly #options: TunnelOptions;

  constructor(options: TunnelOptions) {
    this.#options = options;
  }

  handleConnect(request: IncomingMessage, socket: Socket): void {
    let target: Target | undefined;
    try {
      target = parseConnectTarget(request);
      this.#options.proxied(socket);
      const decision = this.#options.authorize(socket, target);
      if (decision !== 'allow') {
        throw new ProxyFailure(decision);
      }
    } catch (error) {
      this.#refuse(socket, target, error);
      return;
    }
    this.#open(target, socket);
  }

  handleOrdinary(request: OrdinaryConnect, socket: Socket): boolean {
    const target = this.#inOrder(request, socket);
    if (target === undefined) {
      return false;
    }
    this.#options.proxied(socket);
    this.#open(target, socket);
    return true;
  }

  /** The target; undefined when the request is to be refused. */
  #inOrder(request: OrdinaryConnect, socket: Socket): Target | undefined {
    try {
      const target = parseConnectTarget(request);
      return this.#options.authorize(socket, target) === 'allow' ? target : undefined;
    } catch {
      // It is found again, and answered, where the request goes instead.
      return undefined;
    }
  }

  #open(target: Target, socket: Socket): void {
    try {
      new TunnelOpening(this.#options, target, socket).start();
    } catch (error) {
      this.#refuse(socket, target, error);
    }
  }

  #refuse(socket: Socket, target: Target | undefined, error: unknown): void {
    const failure = ProxyFailure.from(error);
    this.#options.reporter.report(failure, {
      method: 'CONNECT',
      target: target && formatTarget(target),
      client: socket.remoteAddress,
    });
    this.#options.relays.adopt(socket).start(DISCARD);
    answerFailure(socket, failure);
  }
}
