import type { ServerResponse } from 'node:http';
import { answerFailedRequest, answerFailure } from '../failure/answer-failure.js';
import type { FailureReporter } from '../failure/failure-reporter.js';
import { ProxyFailure } from '../failure/proxy-failure.js';
import type { ClientConnection } from './client-connections.js';
import type { ForwardHandler } from './proxy-handlers.js';

/** What the listener itself refuses: connections over the limit, and what is no request. Each is answered, then closed. */
export class Refusals {
  readonly #reporter: FailureReporter;
  readonly #forward: Pick<ForwardHandler, 'handleMalformedBody'>;

  constructor(reporter: FailureReporter, forward: Pick<ForwardHandler, 'handleMalformedBody'>) {
    this.#reporter = reporter;
    this.#forward = forward;
  }

  /** Too many connections are open. */
  overLimit(connection: ClientConnection): void {
    this.#refuse(connection, new ProxyFailure('connection_limit'));
  }

  /** The same, told through node:http, in the order of the requests. */
  overLimitWith(connection: ClientConnection, response: ServerResponse): void {
    const failure = new ProxyFailure('connection_limit');
    connection.refused = true;
    this.#report(connection, failure);
    answerFailedRequest(response, failure);
  }

  /** What came is no request, or not the body of one. */
  malformed(connection: ClientConnection, failure: ProxyFailure): void {
    if (connection.refused) return;
    const { response } = connection;
    if (response === undefined || response.closed) this.#refuse(connection, failure);
    else this.#refuseAfter(response, connection, failure);
  }

  /** The error came while an answer is owed: it is in that request's body, or in what follows that request. */
  #refuseAfter(response: ServerResponse, connection: ClientConnection, failure: ProxyFailure): void {
    connection.refused = true;
    if (!response.req.complete) {
      this.#forward.handleMalformedBody(response, failure);
      return;
    }
    response.once('close', () => {
      if (!connection.source.socket.destroyed) this.#refuse(connection, failure);
    });
  }

  #refuse(connection: ClientConnection, failure: ProxyFailure): void {
    connection.refused = true;
    this.#report(connection, failure);
    answerFailure(connection.source.socket, failure);
  }

  #report({ source }: ClientConnection, failure: ProxyFailure): void {
    this.#reporter.report(failure, { client: source.socket.remoteAddress });
  }
}
