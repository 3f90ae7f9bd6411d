import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from './errors.js';
import { header, type OperationPart } from './operation.decorator.js';

/** Entity tags with commas between them, or `*` (RFC 9110, sections 8.8.3 and 13.1). */
const TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const TAGS = new RegExp(String.raw`^[ \t]*(?:\*|(?:,[ \t]*)*${TAG}(?:[ \t]*,(?:[ \t]*${TAG})?)*)[ \t]*$`);
const EACH_TAG = new RegExp(TAG, 'g');
/** The entity tags of this API: SHA-256 in base64url. */
const DIGEST = /^[A-Za-z0-9_-]{43}$/;
/** Tags that If-Match may list. The transaction records them, so that a long list would fill the chain. */
const MAX_MATCH_TAGS = 8;
const TOO_MANY_TAGS = `If-Match may list at most ${MAX_MATCH_TAGS} ETags.`;

/** The conditional headers of a request. */
interface Preconditions {
  readonly 'if-match'?: string | undefined;
  readonly 'if-none-match'?: string | undefined;
}

/**
 * Parses the `If-Match` of an update (RFC 9110, section 13.1.1), which compares strongly.
 * @returns digests of which one must be the asset's: none if the header lists only weak or foreign tags; undefined if any
 * existing asset matches
 * @throws `API.INVALID_REQUEST` for a malformed or too long list, and for `If-None-Match`
 */
export function parseIfMatch(headers: Preconditions): readonly string[] | undefined {
  const { 'if-match': text, 'if-none-match': noneMatch } = headers;
  if (noneMatch !== undefined) throw invalidRequest('If-None-Match is for reads and creates. Use If-Match.');
  if (text === undefined || text.trim() === '*') return undefined;
  const tags = tagsOf('If-Match', text);
  if (tags.length > MAX_MATCH_TAGS) throw invalidRequest(TOO_MANY_TAGS);
  // A weak tag keeps its "W/" and a quotation mark, so that it is not a digest.
  return tags.map((tag) => tag.slice(1, -1)).filter((tag) => DIGEST.test(tag));
}

/**
 * Checks the preconditions of a create. An asset that does not exist matches no tag, not even `*`, so that `If-Match` always
 * fails; `If-None-Match: *` requires what a create does anyway.
 * @throws `API.PRECONDITION_FAILED` for `If-Match`, `API.INVALID_REQUEST` for a malformed header and other `If-None-Match`
 */
export function requireCreate(headers: Preconditions): undefined {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) tagsOf('If-Match', match);
  if (noneMatch !== undefined && noneMatch.trim() !== '*') {
    throw invalidRequest('A create accepts only "*" as If-None-Match.');
  }
  if (match !== undefined) throw new ApiError('API.PRECONDITION_FAILED');
}

/** A create, which accepts conditions that hold for a new asset. */
export const CREATE_CONDITIONS: OperationPart = {
  parameters: [
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'Only *: the asset must not exist, which a create requires anyway.',
      schema: { type: 'string', enum: ['*'] },
    }),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description: 'Never matches, because the asset does not exist: 412.',
      schema: { type: 'string' },
    }),
  ],
};

/**
 * Checks whether the caller already has the representation with this digest (RFC 9110, section 13.1.2).
 * @throws `API.INVALID_REQUEST` for a malformed list
 */
export function isKnown(headers: Preconditions, digest: string): boolean {
  const text = headers['if-none-match'];
  if (text === undefined) return false;
  return text.trim() === '*' || tagsOf('If-None-Match', text).some((tag) => tag.replace('W/', '') === `"${digest}"`);
}

function tagsOf(name: string, text: string): readonly string[] {
  if (!TAGS.test(text)) throw malformedTags(name);
  return text.match(EACH_TAG) ?? [];
}

function malformedTags(name: string): ApiError {
  return invalidRequest(`${name} must be an ETag of a read, in its double quotes, or *.`);
}

/** Sets the ETag of an answer, and its status 304 if the caller has it already; Node then omits the body. */
export function answerWithTag(reply: FastifyReply, digest: string): void {
  void reply.header('etag', `"${digest}"`);
  if (isKnown(reply.request.headers, digest)) void reply.code(304);
}

/** Adds a request field to the Vary header of a response (RFC 9110, section 12.5.5). */
export function varyBy(reply: FastifyReply, field: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? field : `${String(others)}, ${field}`);
}

const JSON_TYPE = 'application/json';

/**
 * Checks whether a request lists a type in `Accept` (RFC 9110, section 12.5.1) and does not prefer JSON, which is the
 * default.
 */
export function isPreferred({ headers: { accept = '' } }: FastifyRequest, type: string): boolean {
  const qualities = new Map(accept.split(',').map(qualityOf));
  const quality = qualities.get(type) ?? 0;
  return quality > 0 && quality >= (qualities.get(JSON_TYPE) ?? 0);
}

function qualityOf(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length) ?? '1';
  return [type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0];
}

/** A write that accepts If-Match. */
export const IF_MATCH: OperationPart = {
  parameters: [
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        `An ETag of the asset, or up to ${MAX_MATCH_TAGS} with commas between them. ` +
        'The write takes effect only if the asset still has one of them; otherwise the answer is 412.',
      schema: { type: 'string' },
    }),
  ],
  errors: [malformedTags('If-Match'), invalidRequest(TOO_MANY_TAGS), 'LEDGER.ASSET_CHANGED', 'LEDGER.NOT_SUPPORTED'],
};

/** The error of a read or a create with a malformed If-None-Match. */
export const IF_NONE_MATCH_ERROR = malformedTags('If-None-Match');

/** A read that has an ETag and accepts If-None-Match. */
export const IF_NONE_MATCH: OperationPart = {
  parameters: [
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The ETag of an earlier answer. If it is still the same, the answer is 304 without a body.',
      schema: { type: 'string' },
    }),
    ApiResponse({ status: 304, description: 'Not Modified' }),
  ],
  headers: {
    ETag: header('Identifies the answer, for If-None-Match, and the state of an asset, for If-Match.'),
  },
  errors: [IF_NONE_MATCH_ERROR],
};
