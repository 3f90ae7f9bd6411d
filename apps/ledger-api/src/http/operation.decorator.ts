import { STATUS_CODES } from 'node:http';
import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ContractErrorResponse, ErrorResponse, ResponseEnvelope } from './envelope.dto.js';
import { type ErrorCode } from './error-table.js';
import { ApiError, invalidRequest, MALFORMED_URL, TWO_CREDENTIALS } from './errors.js';
import { answerOf, ERROR_CODE, sampleAnswer, type ErrorAnswer } from './error-answers.js';

type ResponseContent = Exclude<Parameters<typeof ApiResponse>[0]['content'], undefined>;
type Headers = Exclude<Parameters<typeof ApiResponse>[0]['headers'], undefined>;
/** Documented errors: a code, whose sample is shown, or an error with another message. */
type Errors = readonly (ErrorCode | Error)[];

interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly status?: 200 | 201 | 202;
  /** The class of `data` in the envelope; in brackets for an array of it. */
  readonly data?: Type | readonly [Type];
  /** The class of a JSON file, which has no envelope. */
  readonly file?: Type;
  /** Other representations, by their media types; without `data` and `file` the only ones. */
  readonly otherContent?: ResponseContent;
  /** Errors in addition to those of its parts and those of every operation that requires a caller. */
  readonly errors?: Errors;
}

/** A feature of several operations: the parameters that it reads, the headers that it sets, and its errors. */
export interface OperationPart {
  /** Decorators that document parameters or other responses. */
  readonly parameters?: readonly MethodDecorator[];
  readonly headers?: Headers;
  /** Other representations, by their media types. */
  readonly otherContent?: ResponseContent;
  readonly errors?: Errors;
}

/**
 * The extension of a response with its other representations, by their media types. They are not in `content`, where generated
 * clients would make one union type of them and of the JSON that every client gets that does not ask for another one.
 */
const OTHER_CONTENT = 'x-other-content';

/** The extension by which an operation declares other representations of its body, for which there is no decorator. */
export const OTHER_BODIES = 'x-other-bodies';

/** Documents a header of an answer. */
export const header = (description: string, schema: object = {}): Headers[string] => ({
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
const FILE_HEADERS: Headers = { 'Content-Disposition': header('The name of the file, if the answer is one.') };
/** Headers of some errors. */
const ERROR_HEADERS: Headers = {
  'Retry-After': header(
    'Seconds. Present if nothing was written and the same call may be sent again, and for a transaction that may still be ' +
      'recorded.',
    { pattern: '^[0-9]+$' },
  ),
  'WWW-Authenticate': header('How callers log in (RFC 6750, section 3).'),
  'X-Transaction-Id': header('The transaction whose outcome is unknown: look it up before you send anything again.'),
};

/** Errors of every operation, with or without authentication. */
export const ALL_ERRORS: Errors = [invalidRequest(MALFORMED_URL), 'API.SECRET_IN_URL', 'API.FOREIGN_HOST'];

/** Errors of every operation that requires a caller. */
export const LOGIN_ERRORS: Errors = [
  invalidRequest(TWO_CREDENTIALS),
  'API.LOGIN_NEEDED',
  'API.LOGIN_REFUSED',
  'API.ROLE_NEEDED',
  'API.NO_CALLER',
  'API.TLS_NEEDED',
  'API.TOO_MANY_LOGINS',
  'API.TOO_MANY_REQUESTS',
  'API.CALLERS_UNAVAILABLE',
  'API.ISSUER_UNAVAILABLE',
];

export const LEDGER_ERRORS: Errors = [
  'LEDGER.UNKNOWN_CALLER',
  'LEDGER.CALLER_REFUSED',
  'LEDGER.UNAVAILABLE',
  'LEDGER.TIMEOUT',
  'LEDGER.OVERLOADED',
  'LEDGER.DAMAGED',
  'LEDGER.MISCONFIGURED',
  'API.INTERNAL',
];

/** An operation that calls the ledger. */
export const LEDGER_CALL: OperationPart = { errors: LEDGER_ERRORS };

/** An operation that reads with a function of the asset contract. */
export const CONTRACT_READ: OperationPart = {
  errors: [...LEDGER_ERRORS, 'LEDGER.FUNCTION_UNKNOWN', 'LEDGER.REFUSED'],
};

/** An operation that creates a transaction. */
export const TRANSACTION: OperationPart = {
  headers: { 'X-Transaction-Id': header('The transaction of the write.') },
  errors: [
    ...LEDGER_ERRORS,
    'API.CROSS_SITE',
    'LEDGER.CONFLICT',
    'LEDGER.OUTCOME_UNKNOWN',
    'LEDGER.READ_ONLY',
    'LEDGER.WRITES_DISABLED',
  ],
};

/** An operation that writes with a function of the asset contract. */
export const CONTRACT_WRITE: OperationPart = {
  ...TRANSACTION,
  errors: [...(TRANSACTION.errors ?? []), 'LEDGER.FUNCTION_UNKNOWN'],
};

/** An operation with a body. */
export const JSON_BODY: OperationPart = {
  errors: [invalidRequest('The body is not valid JSON.'), 'API.BODY_TOO_LARGE', 'API.UNSUPPORTED_BODY'],
};

/** An operation with a body whose values the asset contract validates. */
export const ASSET_BODY: OperationPart = {
  errors: [
    ...(JSON_BODY.errors ?? []),
    'LEDGER.INVALID_ARGUMENT',
    new ApiError('LEDGER.REFUSED', "The ledger's contract refused: size must be a number", { status: 400 }),
  ],
};

/** Documents an operation: its success and exactly its possible errors. */
export function Operation(text: OperationText, ...parts: readonly OperationPart[]): MethodDecorator {
  const { id, summary, description, errors = [] } = text;
  const headers = Object.fromEntries(parts.flatMap((part) => Object.entries(part.headers ?? {})));
  const otherContent = Object.fromEntries([text, ...parts].flatMap((part) => Object.entries(part.otherContent ?? {})));
  return applyDecorators(
    ...parts.flatMap(({ parameters = [] }) => parameters),
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    Success(text, headers, otherContent),
    Fails([...errors, ...parts.flatMap((part) => part.errors ?? []), ...LOGIN_ERRORS, ...ALL_ERRORS]),
  );
}

/** Documents a success of an operation; for one that {@link Operation} does not describe. */
export function Success(
  text: Omit<OperationText, 'id' | 'summary'>,
  headers: Headers,
  otherContent: ResponseContent,
): MethodDecorator {
  const { status = 200, data, file } = text;
  const models: readonly Type[] = [data ?? [], file ?? []].flat();
  const isFile = Object.keys(otherContent).length > 0 || file !== undefined;
  return applyDecorators(
    ApiExtraModels(ResponseEnvelope, ...models),
    ApiResponse({
      status,
      description: STATUS_CODES[status] ?? '',
      headers: { ...REQUEST_ID, ...LIMITS, ...(isFile && FILE_HEADERS), ...headers },
      ...contentOf(jsonSchema(text, models), otherContent, models.length > 0),
    }),
  );
}

/** @param hasJson - whether the answer is JSON unless another representation is preferred */
function contentOf(schema: object, otherContent: ResponseContent, hasJson: boolean): object {
  const content = { 'application/json': { schema } };
  if (Object.keys(otherContent).length === 0) return { content };
  return hasJson ? { content, [OTHER_CONTENT]: otherContent } : { content: otherContent };
}

function jsonSchema({ data, file }: Omit<OperationText, 'id' | 'summary'>, models: readonly Type[]): object {
  const [schema = {}] = models.map((model) => ({ $ref: getSchemaPath(model) }));
  if (file !== undefined) return schema;
  const properties = { data: Array.isArray(data) ? { type: 'array', items: schema } : schema };
  return { allOf: [{ $ref: getSchemaPath(ResponseEnvelope) }, { type: 'object', required: ['data'], properties }] };
}

/** Documents the errors of an operation: a response for each status, with an example of each error by its code. */
export function Fails(errors: Errors): MethodDecorator {
  const answers = errors.map((error) => (typeof error === 'string' ? sampleAnswer(error) : answerOf(error)));
  const responses = Map.groupBy(answers, ({ status }) => status);
  return applyDecorators(
    ApiExtraModels(ErrorResponse, ContractErrorResponse),
    ...[...responses].map(([status, those]) => ApiResponse({ status, ...errorResponse(status, those) })),
  );
}

/** The description of the errors of one status in the OpenAPI document. */
export interface ErrorDocument {
  description: string;
  headers: Headers;
  content: Record<'application/json', { schema: { $ref: string }; examples: Record<string, { value: object }> }>;
}

/** Describes the errors of one status. */
export function errorResponse(status: number, answers: readonly ErrorAnswer[]): ErrorDocument {
  const byCode = Map.groupBy(answers, ({ headers }) => headers[ERROR_CODE] ?? '');
  // A second example of a code has a number.
  const examples = [...byCode].flatMap(([code, those]) =>
    those.map(({ body }, index) => [index === 0 ? code : `${code}-${index + 1}`, { value: body }] as const),
  );
  const others = Object.entries(ERROR_HEADERS).filter(([name]) =>
    answers.some(({ headers }) => name.toLowerCase() in headers),
  );
  return {
    description: STATUS_CODES[status] ?? '',
    headers: {
      ...REQUEST_ID,
      'X-Error-Code': header('The stable code of the error, for programs. See docs/errors.md.', {
        enum: [...byCode.keys()],
      }),
      ...(status === 429 ? LIMITS : {}),
      ...Object.fromEntries(others),
    },
    content: {
      'application/json': {
        schema: { $ref: getSchemaPath(byCode.has('API.CHAINCODE_REFUSED') ? ContractErrorResponse : ErrorResponse) },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
