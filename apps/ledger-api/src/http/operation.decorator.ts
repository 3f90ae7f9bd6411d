import { STATUS_CODES } from 'node:http';
import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorResponse, ResponseEnvelope } from './envelope.dto.js';
import { answerOf, ERROR_CODE, sampleAnswer, type ErrorAnswer } from './errors.js';
import { ALL_ERRORS, LOGIN_ERRORS, type DocumentedError } from './operation-errors.js';

type ResponseContent = Exclude<Parameters<typeof ApiResponse>[0]['content'], undefined>;
type Schema = Exclude<ResponseContent[string]['schema'], undefined>;
type Headers = Exclude<Parameters<typeof ApiResponse>[0]['headers'], undefined>;

/** The documentation of a success in the envelope. */
interface EnvelopeText {
  readonly status?: 200 | 201;
  /** The schema of `data`; its examples are those of the DTO's properties. */
  readonly data: Schema;
  readonly headers?: Headers;
  /** Other representations, by their media types. */
  readonly otherContent?: ResponseContent;
}

/** The documentation of a success that is a JSON file without the envelope. */
interface FileText {
  readonly file: Schema;
}

export interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly success: EnvelopeText | FileText;
  /** The errors of the operation, in addition to those of every operation that requires a caller. */
  readonly errors: readonly DocumentedError[];
}

const TOO_MANY_REQUESTS = 429;

const header = (description: string, schema: Schema = { type: 'string' }): Headers[string] => ({ description, schema });

export const REQUEST_ID: Headers = { 'X-Request-Id': header("The caller's X-Request-Id, or a generated one.") };
/** Headers of answers that count for the request limit. */
const LIMITS: Headers = {
  RateLimit: header(
    'With LEDGER_RATE_LIMIT: the remaining requests of the caller, and seconds until the quota is full again.',
    {
      type: 'string',
      example: '"requests";r=49;t=1',
    },
  ),
  'RateLimit-Policy': header('With LEDGER_RATE_LIMIT: the quota of requests and its window in seconds.', {
    type: 'string',
    example: '"requests";q=50;w=1',
  }),
};
export const TRANSACTION_ID: Headers = { 'X-Transaction-Id': header('The transaction of the write.') };
/** Headers of the answer to a write that accepts an Idempotency-Key. */
export const WRITE_HEADERS: Headers = {
  ...TRANSACTION_ID,
  'Idempotency-Replayed': header('Present if an earlier request with the same Idempotency-Key made the transaction.', {
    type: 'string',
    enum: ['true'],
  }),
};
const FILE_HEADERS: Headers = { 'Content-Disposition': header('The name of the file.') };
/** Headers of some errors, by their names in lower case. */
const ERROR_HEADERS: Readonly<Record<string, Headers>> = {
  'retry-after': {
    'Retry-After': header('Seconds. Present if nothing was written and the same call may be sent again.', {
      type: 'string',
      pattern: '^[0-9]+$',
    }),
  },
  'www-authenticate': { 'WWW-Authenticate': header('How callers log in (RFC 6750, section 3).') },
  'x-transaction-id': {
    'X-Transaction-Id': header('The transaction whose outcome is unknown: look it up before you send anything again.'),
  },
};

/** Documents an operation: its success and exactly its possible errors. */
export function Operation({ id, summary, description, success, errors }: OperationText): MethodDecorator {
  return applyDecorators(
    ApiOperation({ operationId: id, summary, ...(description === undefined ? {} : { description }) }),
    'file' in success ? FileSuccess(success) : EnvelopeSuccess(success),
    Fails([...errors, ...LOGIN_ERRORS, ...ALL_ERRORS]),
  );
}

function EnvelopeSuccess({ status = 200, data, headers, otherContent }: EnvelopeText): MethodDecorator {
  const json = { schema: envelope(data) };
  return applyDecorators(
    ApiExtraModels(ResponseEnvelope),
    Success(status, headers, { 'application/json': json, ...otherContent }),
  );
}

function FileSuccess({ file: schema }: FileText): MethodDecorator {
  return Success(200, FILE_HEADERS, { 'application/json': { schema } });
}

function Success(status: 200 | 201, headers: Headers | undefined, content: ResponseContent): MethodDecorator {
  const description = status === 201 ? 'Created' : 'OK';
  return ApiResponse({ status, description, headers: { ...REQUEST_ID, ...LIMITS, ...headers }, content });
}

/** Documents the errors of an operation: a response for each status, with an example of each error by its code. */
export function Fails(errors: readonly DocumentedError[]): MethodDecorator {
  const byStatus = new Map<number, ErrorAnswer[]>();
  for (const answer of errors.map((error) => (typeof error === 'string' ? sampleAnswer(error) : answerOf(error)))) {
    byStatus.set(answer.status, [...(byStatus.get(answer.status) ?? []), answer]);
  }
  return applyDecorators(
    ApiExtraModels(ErrorResponse),
    ...[...byStatus].map(([status, answers]) => errorResponse(status, answers)),
  );
}

function errorResponse(status: number, answers: readonly ErrorAnswer[]): MethodDecorator {
  const codes = new Set(answers.map(codeOf));
  const names = Object.keys(ERROR_HEADERS).filter((name) => answers.some(({ headers }) => name in headers));
  const others = Object.fromEntries(names.flatMap((name) => Object.entries(ERROR_HEADERS[name] ?? {})));
  return ApiResponse({
    status,
    description: STATUS_CODES[status] ?? '',
    headers: {
      ...REQUEST_ID,
      'X-Error-Code': header('The stable code of the error, for programs. See docs/errors.md.', {
        type: 'string',
        enum: [...codes],
      }),
      ...(status === TOO_MANY_REQUESTS ? LIMITS : {}),
      ...others,
    },
    content: { 'application/json': { schema: { $ref: getSchemaPath(ErrorResponse) }, examples: examplesOf(answers) } },
  });
}

/** Returns examples by their codes; a second one of the same code has a number. */
function examplesOf(answers: readonly ErrorAnswer[]): Readonly<Record<string, { readonly value: ErrorResponse }>> {
  const examples: Record<string, { readonly value: ErrorResponse }> = {};
  for (const answer of answers) {
    const code = codeOf(answer);
    const before = Object.keys(examples).filter((name) => name === code || name.startsWith(`${code}-`)).length;
    examples[before === 0 ? code : `${code}-${before + 1}`] = { value: answer.body };
  }
  return examples;
}

function codeOf({ headers }: ErrorAnswer): string {
  return headers[ERROR_CODE] ?? '';
}

function envelope(data: Schema): Schema {
  const base = { $ref: getSchemaPath(ResponseEnvelope) };
  return { allOf: [base, { type: 'object', required: ['data'], properties: { data } }] };
}
