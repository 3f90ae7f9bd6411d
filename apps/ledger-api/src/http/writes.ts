import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiHeader, ApiProperty } from '@nestjs/swagger';
import type { CallOptions } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { success, type ResponseEnvelope } from './envelope.dto.js';
import { EXAMPLE_TRANSACTION_ID } from './error-table.js';
import { invalidRequest } from './errors.js';
import { header, type OperationPart, Success } from './operation.decorator.js';
import { traceFields } from './trace-context.js';

const BARE = /^[\x21-\x7e]{1,255}$/;
/** A string of RFC 8941 (3.3.3), as the draft of the header writes keys. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BAD_KEY = 'Idempotency-Key must be one key of 1 to 255 visible ASCII characters, bare or in double quotes.';

/**
 * Parses an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), bare or in double quotes.
 * @throws `API.INVALID_REQUEST` for anything but 1 to 255 visible ASCII characters
 */
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = String(header);
  const key = text.startsWith('"') ? QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1') : text;
  if (key !== undefined && BARE.test(key)) return key;
  throw invalidRequest(BAD_KEY);
}

/** Options of a write. */
export interface WriteOptions extends CallOptions {
  /** Digests of If-Match, one of which must be the asset's when the write is executed. */
  readonly digests?: readonly string[] | undefined;
  /** Whether the client prefers an answer before the transaction is committed. */
  readonly isAsync?: boolean;
}

/** Returns whether a client prefers an asynchronous answer (RFC 7240, sections 2 and 4.1). */
export function prefersAsync(header: string | readonly string[]): boolean {
  const escaped = /\\./g;
  const unquoted = String(header)
    .replace(escaped, '')
    .split('"')
    .filter((_, index) => index % 2 === 0);
  const preferences = unquoted.join('""').split(',');
  return preferences.some((each) => /^\s*respond-async\s*(;|$)/i.test(each));
}

/** Injects the options of a write from its headers; the argument parses the preconditions, if the operation has any. */
export const WriteHeaders = createParamDecorator(
  (parse: ((headers: IncomingHttpHeaders) => WriteOptions['digests']) | undefined, context: ExecutionContext) => {
    const { headers, caller, trace } = context.switchToHttp().getRequest<FastifyRequest>();
    const options: WriteOptions = {
      caller: caller?.name,
      idempotencyKey: parseIdempotencyKey(headers['idempotency-key']),
      digests: parse?.(headers),
      onStage: trace?.onStage,
      ...(headers['prefer'] !== undefined && { isAsync: prefersAsync(headers['prefer']) }),
    };
    return options;
  },
);

/** The record of a write. */
export interface Written {
  readonly transactionId: string;
  /** Whether an earlier request with the same key made the transaction. */
  readonly isReplay: boolean;
}

/** A transaction that was accepted and is not committed yet. */
export class AcceptedTransaction {
  @ApiProperty({ example: EXAMPLE_TRANSACTION_ID })
  readonly transactionId!: string;
}

/** The path of the API and of a channel in it. */
const BASE = /^\/api\/v1(?:\/channels\/[^/?]+)?/;

/** Answers writes, when they are committed or, for clients that prefer that, when they are accepted. */
@Injectable()
export class WriteAnswers {
  constructor(@Inject(PROGRAM_LOG) private readonly log: Pick<ProgramLog, 'logger'>) {}

  /**
   * Makes a write and answers it.
   * @param message - of the answer when the write is committed
   * @param write - passes the options on to the ledger
   * @param dataOf - returns the data of that answer
   */
  async answer<W extends Written, D>(
    reply: FastifyReply,
    options: WriteOptions,
    {
      message,
      write,
      dataOf,
    }: Readonly<{
      message: string;
      write: (options: WriteOptions) => Promise<W>;
      dataOf: (written: W) => D;
    }>,
  ): Promise<ResponseEnvelope<D | AcceptedTransaction>> {
    const { trace } = reply.request;
    const accepted = Promise.withResolvers<string>();
    const writing = options.isAsync === true ? write({ ...options, onAccepted: accepted.resolve }) : write(options);
    if (trace !== undefined)
      writing.then(() => {
        trace.endStages();
      }, trace.endStages);
    const first = await (options.isAsync === true ? Promise.race([accepted.promise, writing]) : writing);
    if (typeof first === 'string') {
      this.#logFailure(writing, first, reply.request);
      return accept(reply, first);
    }
    // A repeated write is recorded already, and so has its answer.
    if (options.isAsync === true && !first.isReplay) return accept(reply, first.transactionId);
    void reply.header('x-transaction-id', first.transactionId);
    if (first.isReplay) void reply.header('idempotency-replayed', 'true');
    return success(message, dataOf(first));
  }

  /** Logs a transaction that was accepted and not committed: its client has got its answer before. */
  #logFailure(writing: Promise<unknown>, transactionId: string, request: FastifyRequest): void {
    writing.catch((err: unknown) => {
      const facts = { transactionId, requestId: request.id, caller: request.caller?.name, ...traceFields(request) };
      this.log.logger.warn({ ...facts, err }, 'an asynchronous write was not committed');
    });
  }
}

/** Answers that a transaction was accepted, and where it will be found. */
function accept(reply: FastifyReply, transactionId: string): ResponseEnvelope<AcceptedTransaction> {
  const [base = ''] = BASE.exec(reply.request.url) ?? [];
  void reply.code(202).headers({
    'x-transaction-id': transactionId,
    location: `${base}/transactions/${transactionId}`,
    'preference-applied': 'respond-async',
    'retry-after': '1',
  });
  return success('Transaction accepted.', { transactionId });
}

/** A write whose client may prefer an answer before the commit. */
export const ASYNC: OperationPart = {
  parameters: [
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        'With respond-async the answer is a 202 as soon as an orderer has accepted the transaction, or the embedded ledger ' +
        'has recorded it (RFC 7240).',
      schema: { type: 'string' },
    }),
    Success(
      { status: 202, data: AcceptedTransaction },
      {
        'X-Transaction-Id': header('The transaction of the write.'),
        Location: header('The path of the transaction, which is a 404 with Retry-After until it is recorded.'),
        'Preference-Applied': header('The preference that was applied.', { enum: ['respond-async'] }),
        'Retry-After': header('Seconds after which the transaction may be recorded.', { pattern: '^[0-9]+$' }),
      },
      {},
    ),
  ],
};

/** A write that accepts an Idempotency-Key. */
export const REPEATABLE: OperationPart = {
  parameters: [
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        'Makes the write safe to repeat after any failure: the same key with the same request is one transaction. ' +
        'Use a random value such as a UUID, and a new one for each write. Bare or in double quotes.',
      // No example, because Swagger UI would send it with every write.
      schema: { type: 'string', minLength: 1, pattern: '^[\\x21-\\x7e]+$' },
    }),
  ],
  headers: {
    'Idempotency-Replayed': header(
      'Present if an earlier request with the same Idempotency-Key made the transaction.',
      { enum: ['true'] },
    ),
  },
  errors: [
    invalidRequest(BAD_KEY),
    'LEDGER.KEY_IN_USE',
    'LEDGER.OUTCOME_PRUNED',
    'LEDGER.KEY_REUSED',
    'LEDGER.INVALID_TRANSACTION',
    'LEDGER.NOT_DETERMINISTIC',
  ],
};
