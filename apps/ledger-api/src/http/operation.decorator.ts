import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorResponse, ResponseEnvelope } from './envelope.dto.js';
import { answerOf, ERROR_CODE, sampleAnswer, type ErrorAnswer } from './errors.js';
import { ALL_ERRORS, LOGIN_ERRORS, type DocumentedError } from './operation-errors.js';

type ResponseContent = Exclude<Parameters<typeof ApiResponse>[0]['content'], undefined>;
type Schema = Exclude<ResponseContent[string]['schema'], undefined>;
type Headers = Exclude<Parameters<typeof ApiResponse>[0]['headers'], undefined>;

/** The documentation of a success: `data` in the envelope, or a JSON file without it. */
interface SuccessText {
  readonly status?: 200 | 201;
  /** The schema of `data`; its examples are those of the DTO's properties. */
  readonly data?: Schema;
  readonly file?: Schema;
  readonly headers?: Headers;
  /** Other representations, by their media types. */
  readonly otherContent?: ResponseContent;
}

export interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly success: SuccessText;
  /** The errors of the operation, in addition to those of every operation that requires a caller. */
  readonly errors: readonly DocumentedError[];
}

const header = (description: string, schema: object = {}): Headers[string] => ({
  description,
  schema: { type: 'string', ...schema },
});

export const REQUEST_ID: Headers = { 'X-Request-Id': header("The caller's X-Request-Id, or a generated one.") };
/** Headers of answers that count for the request limit. */
const LIMITS: Headers = {
  RateLimit: header(
    'With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again.',
    { example: '"requests";r=49;t=1' },
  ),
  'RateLimit-Policy': header('With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds.', {
    example: '"requests";q=50;w=1',
  }),
};
export const TRANSACTION_ID: Headers = { 'X-Transaction-Id': header('The transaction of the write.') };
/** Headers of the answer to a write that accepts an Idempotency-Key. */
export const WRITE_HEADERS: Headers = {
  ...TRANSACTION_ID,
  'Idempotency-Replayed': header('Present if an earlier request with the same Idempotency-Key made the transaction.', {
    enum: ['true'],
  }),
};
const FILE_HEADERS: Headers = { 'Content-Disposition': header('The name of the file.') };
/** Headers of some errors. */
const ERROR_HEADERS: Headers = {
  'Retry-After': header('Seconds. Present if nothing was written and the same call may be sent again.', {
    pattern: '^[0-9]+$',
  }),
  'WWW-Authenticate': header('How callers log in (RFC 6750, section 3).'),
  'X-Transaction-Id': header('The transaction whose outcome is unknown: look it up before you send anything again.'),
};

/** Documents an operation: its success and exactly its possible errors. */
export function Operation({ id, summary, description, success, errors }: OperationText): MethodDecorator {
  return applyDecorators(
    ApiOperation({ operationId: id, summary, ...(description === undefined ? {} : { description }) }),
    Success(success),
    Fails([...errors, ...LOGIN_ERRORS, ...ALL_ERRORS]),
  );
}

function Success({ status = 200, data = {}, file, headers, otherContent }: SuccessText): MethodDecorator {
  const base = { $ref: getSchemaPath(ResponseEnvelope) };
  const envelope = { allOf: [base, { type: 'object', required: ['data'], properties: { data } }] };
  return applyDecorators(
    ApiExtraModels(ResponseEnvelope),
    ApiResponse({
      status,
      description: STATUS_CODES[status] ?? '',
      headers: { ...REQUEST_ID, ...LIMITS, ...(file !== undefined && FILE_HEADERS), ...headers },
      content: { 'application/json': { schema: file ?? envelope }, ...otherContent },
    }),
  );
}

/** Documents the errors of an operation: a response for each status, with an example of each error by its code. */
export function Fails(errors: readonly DocumentedError[]): MethodDecorator {
  const answers = errors.map((error) => (typeof error === 'string' ? sampleAnswer(error) : answerOf(error)));
  const responses = Map.groupBy(answers, ({ status }) => status);
  return applyDecorators(
    ApiExtraModels(ErrorResponse),
    ...[...responses].map(([status, those]) => errorResponse(status, those)),
  );
}

function errorResponse(status: number, answers: readonly ErrorAnswer[]): MethodDecorator {
  const codes = [...new Set(answers.map(codeOf))];
  const others = Object.entries(ERROR_HEADERS).filter(([name]) =>
    answers.some(({ headers }) => name.toLowerCase() in headers),
  );
  return ApiResponse({
    status,
    description: STATUS_CODES[status] ?? '',
    headers: {
      ...REQUEST_ID,
      'X-Error-Code': header('The stable code of the error, for programs. See docs/errors.md.', { enum: codes }),
      ...(status === 429 ? LIMITS : {}),
      ...Object.fromEntries(others),
    },
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorResponse) }, examples: examplesOf(answers) } },
  });
}

/** Returns examples by their codes; a second one of the same code has a number. */
function examplesOf(answers: readonly ErrorAnswer[]): Readonly<Record<string, { readonly value: ErrorResponse }>> {
  const named = [...Map.groupBy(answers, codeOf)].flatMap(([code, those]) =>
    those.map(({ body }, index) => [index === 0 ? code : `${code}-${index + 1}`, { value: body }] as const),
  );
  return Object.fromEntries(named);
}

function codeOf({ headers }: ErrorAnswer): string {
  return headers[ERROR_CODE] ?? '';
}
