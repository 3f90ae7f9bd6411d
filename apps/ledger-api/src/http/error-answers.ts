import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isLedgerError, LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import type { ContractErrorResponse } from './envelope.dto.js';
import { type ErrorCode, ERRORS, EXAMPLE_TRANSACTION_ID, retryAfter, sentence } from './error-table.js';
import { ApiError, type ApiErrorOptions, MALFORMED_URL, messageOf } from './errors.js';
import { loggedUrl, withoutSecrets } from './secrets.js';
import { traceFields } from './trace-context.js';

/** The header with the stable code of an error, for programs: messages are for people and may change. */
export const ERROR_CODE = 'x-error-code';

/** The answer to an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ContractErrorResponse;
  /** In lower case; {@link ERROR_CODE} is always among them. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the answer to any error. Details of the server and of unexpected errors stay in its log.
 * @param channel - the channel in the path of the request, if it names one
 */
export function answerOf(error: unknown, channel?: string): ErrorAnswer {
  if (error instanceof ApiError) return answer(error.code, error.message, error.options);
  if (isLedgerError(error)) return answerOfLedger(error, channel);
  return answerOfFramework(error) ?? answer('API.INTERNAL');
}

/** Returns the answer to a sample error, for documentation. */
export function sampleAnswer(code: ErrorCode, channel?: string): ErrorAnswer {
  if (!code.startsWith('LEDGER.')) return answer(code);
  const facts = { transactionId: EXAMPLE_TRANSACTION_ID };
  return answerOf(new LedgerError(code as LedgerErrorCode, ERRORS[code].sample ?? '', facts), channel);
}

/** The errors of transactions that may be looked up. */
const NAMES_TRANSACTION: ReadonlySet<LedgerErrorCode> = new Set([
  'LEDGER.OUTCOME_UNKNOWN',
  'LEDGER.INVALID_TRANSACTION',
]);

function answerOfLedger(error: LedgerError, channel: string | undefined): ErrorAnswer {
  const { text = sentence(error.message), channelStatus } = ERRORS[error.code];
  const headers = {
    ...(error.retryable && retryAfter(1)),
    ...(NAMES_TRANSACTION.has(error.code) && { 'x-transaction-id': error.transactionId ?? '' }),
  };
  return answer(error.code, typeof text === 'function' ? text(error, channel) : text, {
    headers,
    ...(channel !== undefined && channelStatus !== undefined && { status: channelStatus }),
  });
}

/** The codes of what Nest and Fastify refuse, by status; another 4xx is an API.INVALID_REQUEST. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  404: 'API.NOT_FOUND',
  413: 'API.BODY_TOO_LARGE',
  414: 'API.PATH_TOO_LONG',
  415: 'API.UNSUPPORTED_BODY',
};

/** Texts for Fastify's errors that their status does not describe, by Fastify's codes. */
const FASTIFY_TEXTS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: MALFORMED_URL,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The length of the body differs from its Content-Length.',
};

/** Returns the answer to what Nest or Fastify refuses before a handler runs; undefined for any other error. */
function answerOfFramework(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode, code: fastifyCode = '' } = error as Partial<FastifyError>;
  const status = error instanceof HttpException ? error.getStatus() : (statusCode ?? 500);
  if (status < 400 || status > 499) return undefined;
  const code = CODE_OF_STATUS[status] ?? 'API.INVALID_REQUEST';
  const { text = 'The request could not be read.' } = ERRORS[code];
  return answer(code, FASTIFY_TEXTS[fastifyCode] ?? String(text), { status });
}

function answer(code: ErrorCode, message = messageOf(code), options: ApiErrorOptions = {}): ErrorAnswer {
  const { status = 500, headers, body } = { ...ERRORS[code], ...options };
  return {
    status,
    body: { success: false, message: withoutSecrets(message), ...body },
    headers: { ...headers, [ERROR_CODE]: code },
  };
}

/** Answers every error: those of handlers, pipes, hooks, body parsers and the router. */
@Catch()
export class ErrorsFilter implements ExceptionFilter {
  constructor(@Inject(PROGRAM_LOG) private readonly log: ProgramLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Answers an error. If the response has begun, closes the connection, so that the client sees that it is incomplete. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const params = request.params as { readonly channel?: string } | undefined;
    const { status, headers, body } = answerOf(error, params?.channel);
    if (status >= 500 && !(error instanceof ApiError)) this.#report(error, request);
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    // Fastify closes the connection after every refused body, also after one that was read.
    if (status === 413 || status === 415) reply.removeHeader('connection');
    void reply.code(status).headers(headers).type('application/json; charset=utf-8').send(body);
  }

  #report(error: unknown, request: FastifyRequest): void {
    const { id: requestId, method, url } = request;
    const facts = { err: error, requestId, method, url: loggedUrl(url), ...traceFields(request) };
    const { logger } = this.log;
    // Another chaincode is a choice, not a fault, and every request for its missing functions would be logged.
    if (isLedgerError(error, 'LEDGER.NOT_SUPPORTED')) logger.debug(facts, error.message);
    // Callers can cause it, such as by the organizations that endorse.
    else if (isLedgerError(error, 'LEDGER.INVALID_TRANSACTION')) {
      logger.warn({ ...facts, err: undefined, transactionId: error.transactionId }, error.message);
    } else if (isLedgerError(error) && error.retryable) logger.warn(facts, error.message);
    else logger.error(facts, 'request failed');
  }
}
