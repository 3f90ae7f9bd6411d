import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { OrdinaryConnect } from './ordinary-connect.js';
import type { OrdinaryRequest } from './ordinary-request.js';

/** The client of an {@link OrdinaryRequest}. */
export interface OrdinaryClient {
  readonly socket: Socket;
  /** Whether the connection may carry another request behind this one. */
  readonly mayGoOn: boolean;
  /** The answer was written, and the connection goes on. */
  answered(): void;
}

/** Plain HTTP that is not for the listener itself: requests in absolute-form, and in origin-form for another host. */
export interface ForwardHandler {
  /** Also called for requests with an Expect header, before any 100 (Continue) was sent. */
  handleRequest(request: IncomingMessage, response: ServerResponse): void;
  /**
   * A request that node:http has not seen.
   *
   * @returns whether it is taken; if not, nothing was done with it, and it has to go through node:http
   */
  handleOrdinary(request: OrdinaryRequest, client: OrdinaryClient): boolean;
  /** A GET with `Upgrade: websocket`; what comes behind it is read from the source of `socket`. */
  handleUpgrade(request: IncomingMessage, socket: Socket): void;
  /**
   * The body of a request that was handed over turned out malformed: answers with the failure if nothing was answered
   * yet, else cuts the connection; ends what was begun upstream.
   */
  handleMalformedBody(response: ServerResponse, failure: ProxyFailure): void;
}

/** CONNECT. What comes behind it has to be kept back until the upstream has opened the tunnel. */
export interface ConnectHandler {
  handleConnect(request: IncomingMessage, socket: Socket): void;
  /**
   * A CONNECT that node:http has not seen.
   *
   * @returns whether it is taken; if not, nothing was done with it, and it has to go through node:http
   */
  handleOrdinary(request: OrdinaryConnect, socket: Socket): boolean;
}
