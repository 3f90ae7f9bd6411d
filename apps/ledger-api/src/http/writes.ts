import type { IncomingHttpHeaders } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallOptions } from '#ledger-gateway';
import { invalidRequest } from './errors.js';
import { header, type OperationPart } from './operation.decorator.js';

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
}

/** Injects the options of a write from its headers; the argument parses the preconditions, if the operation has any. */
export const WriteHeaders = createParamDecorator(
  (parse: ((headers: IncomingHttpHeaders) => WriteOptions['digests']) | undefined, context: ExecutionContext) => {
    const { headers, caller } = context.switchToHttp().getRequest<FastifyRequest>();
    const options: WriteOptions = {
      caller: caller?.name,
      idempotencyKey: parseIdempotencyKey(headers['idempotency-key']),
      digests: parse?.(headers),
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

/** Sets the headers of a write's answer. */
export function setWriteHeaders(reply: FastifyReply, { transactionId, isReplay }: Written): void {
  void reply.header('x-transaction-id', transactionId);
  if (isReplay) void reply.header('idempotency-replayed', 'true');
}

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
  ],
};
