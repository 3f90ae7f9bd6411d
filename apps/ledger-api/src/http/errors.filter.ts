import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isLedgerError, LedgerError } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { answerOf, ApiError } from './errors.js';
import { loggedUrl } from './secrets.js';

/** Answers every error: those of handlers, pipes, hooks, body parsers and the router. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  readonly #logger: Logger;

  constructor(@Inject(PROGRAM_LOG) { logger }: ProgramLog) {
    this.#logger = logger;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Answers an error. If the response has begun, closes the connection, so that the client sees that it is incomplete. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, headers, body } = answerOf(error);
    if (status >= 500 && !(error instanceof ApiError)) this.#report(error, request);
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    // Fastify closes the connection after a refused body; a client that is still sending would then get a reset instead
    // of the answer. Without the header Node discards the rest, within the time limit for a request.
    if (status === 413 || status === 415) reply.removeHeader('connection');
    void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  }

  #report(error: unknown, request: FastifyRequest): void {
    const facts = { err: error, requestId: request.id, method: request.method, url: loggedUrl(request.url) };
    // Another chaincode is a choice, not a fault, and every request for its missing functions would be logged.
    if (isLedgerError(error, 'LEDGER.NOT_SUPPORTED')) this.#logger.debug(facts, error.message);
    else if (error instanceof LedgerError && error.retryable) this.#logger.warn(facts, error.message);
    else this.#logger.error(facts, 'request failed');
  }
}
