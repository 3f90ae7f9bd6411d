import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerFailedRequest } from '../../failure/answer-failure.js';
import { closeGently } from './close-gently.js';
import type { ProxyFailure } from '../../failure/proxy-failure.js';

/** The client's side of one exchange. */
export interface ClientSide {
  readonly socket: Socket;
  /** Whether the connection may carry another request behind this one. */
  readonly mayGoOn: boolean;
  /** Whether all of the request has come. */
  readonly requestComplete: boolean;
  /** All of an answer was written to the socket. */
  finish(keepAlive: boolean): void;
  /** Answers with a failure; nothing was written but interim answers. */
  fail(failure: ProxyFailure): void;
}

/**
 * A request that node:http parses, whose answer we write to the socket ourselves: its ServerResponse checks and joins each
 * field again, at a price (docs/adr/0052).
 */
export class HttpClientSide implements ClientSide {
  readonly socket: Socket;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.socket = request.socket;
    this.#request = request;
    this.#response = response;
  }

  /** Whether it is the side of that answer. */
  answers(response: ServerResponse): boolean {
    return this.#response === response;
  }

  get mayGoOn(): boolean {
    return this.#response.shouldKeepAlive;
  }

  get requestComplete(): boolean {
    return this.#request.complete;
  }

  /**
   * 'finish' is what node:http goes on by: it takes the answer from the socket and lets the next one have it. Should a
   * version of Node not do so, the connection is closed behind the answer, which is always right.
   */
  finish(keepAlive: boolean): void {
    this.#response.emit('finish');
    if (!keepAlive || this.#response.socket !== null) closeGently(this.#request);
  }

  fail(failure: ProxyFailure): void {
    answerFailedRequest(this.#response, failure);
  }
}
