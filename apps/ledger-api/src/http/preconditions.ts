import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidRequestError } from './api.errors.js';

/** Entity tags with commas between them, or `*` (RFC 9110, 8.8.3 and 13.1). */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^[ \t]*(?:\*|(?:,[ \t]*)*${TAG}(?:[ \t]*,(?:[ \t]*${TAG})?)*)[ \t]*$`);
const EACH_TAG = new RegExp(TAG, 'g');
/** What this API makes tags of. */
const DIGEST = /^[A-Za-z0-9_-]{43}$/;

/** A representation as a caller knows it. */
interface Preconditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Reads `If-Match` (RFC 9110, 13.1.1), which compares strongly.
 * @returns digests of which one has to be the asset's: none when the header names only tags that were not made here or are
 * weak; undefined when anything that exists will do
 * @throws {@link InvalidRequestError} for what is no list of tags, and for `If-None-Match`, which no write here has a use for
 */
export function parseIfMatch(headers: Preconditions): readonly string[] | undefined {
  if (headers['if-none-match'] !== undefined) {
    throw new InvalidRequestError(
      'If-None-Match is for reads; a write takes If-Match. A create never replaces anything.',
    );
  }
  const text = headers['if-match'];
  if (text === undefined || text.trim() === '*') return undefined;
  return tagsOf('If-Match', text)
    .filter((tag) => !tag.startsWith('W/'))
    .map((tag) => tag.slice(1, -1))
    .filter((tag) => DIGEST.test(tag));
}

/**
 * Whether the caller has the representation of that digest already (RFC 9110, 13.1.2).
 * @throws {@link InvalidRequestError} for what is no list of tags
 */
export function isKnown(headers: Preconditions, digest: string): boolean {
  const text = headers['if-none-match'];
  if (text === undefined) return false;
  return text.trim() === '*' || tagsOf('If-None-Match', text).some((tag) => tag.replace('W/', '') === `"${digest}"`);
}

function tagsOf(name: string, text: string): readonly string[] {
  if (!TAGS.test(text)) throw badTags(name);
  return text.match(EACH_TAG) ?? [];
}

/** For a header that is no list of tags. */
export function badTags(name: string): InvalidRequestError {
  return new InvalidRequestError(`${name} must be an ETag as a read gave it, in its double quotes, or *.`);
}

/** The digests of which one has to be the asset's when the write is made; undefined when it has no such condition. */
export const IfMatch = createParamDecorator((_: unknown, context: ExecutionContext): readonly string[] | undefined =>
  parseIfMatch(context.switchToHttp().getRequest<FastifyRequest>().headers),
);

/**
 * Names what is answered by its digest. If the caller has it already the answer is a 304; Node leaves its body away and
 * says how long it would have been.
 */
export function answerWithTag({ headers }: FastifyRequest, reply: FastifyReply, digest: string): void {
  void reply.header('etag', `"${digest}"`);
  if (isKnown(headers, digest)) void reply.code(304);
}

/** Documents that a write can be bound to what its caller has read. */
export function Conditional(): MethodDecorator {
  return ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'An ETag of the asset: the write is made if the asset is still what was read, else it is a 412.',
    schema: { type: 'string' },
  });
}

/** Documents that a read names what it gives, and can be spared. */
export function Tagged(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The ETag of an answer before: if it is still the same, the answer is a 304 without a body.',
      schema: { type: 'string' },
    }),
    ApiResponse({ status: 304, description: 'Not Modified' }),
  );
}

/** The header of an answer that can be spared the next time, and of an asset's that a write can be bound to. */
export const ETAG_HEADER = {
  ETag: {
    description: 'Names what is answered; for If-None-Match, and of an asset for If-Match.',
    schema: { type: 'string' },
  },
} as const;

/** For the document. */
export const BAD_IF_NONE_MATCH = badTags('If-None-Match');
