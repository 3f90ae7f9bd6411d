import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { ErrorResponse, ResponseEnvelope } from './envelope.dto.js';

type ResponseContent = Exclude<Parameters<typeof ApiResponse>[0]['content'], undefined>;
type Schema = Exclude<ResponseContent[string]['schema'], undefined>;
type Headers = Exclude<Parameters<typeof ApiResponse>[0]['headers'], undefined>;
type ErrorStatus = 400 | 404 | 409 | 412 | 413 | 415 | 422 | 500 | 501;

export interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly success: {
    readonly status?: 200 | 201;
    /** The message and the schema of `data`, each with an example. */
    readonly message: string;
    readonly data: Schema;
    readonly example: unknown;
    readonly headers?: Headers;
  };
  /** Each error status that the operation can give, with an example of its message. */
  readonly errors: Readonly<Partial<Record<ErrorStatus, string>>>;
}

const DESCRIPTIONS: Readonly<Record<ErrorStatus, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  500: 'Internal Server Error',
  501: 'Not Implemented',
};

/** Examples of what every operation can answer. */
export const LEDGER_FAILED = 'The ledger cannot be reached. Nothing was written; try again.';
export const BODY_ERRORS = {
  413: 'The body is too large: at most 1 MiB is taken.',
  415: 'The body must be JSON, with the header Content-Type: application/json.',
} as const;

const REQUEST_ID: Headers = {
  'X-Request-Id': { description: "The caller's X-Request-Id, or one made here.", schema: { type: 'string' } },
};
export const TRANSACTION_ID: Headers = {
  'X-Transaction-Id': { description: 'The transaction that wrote this.', schema: { type: 'string' } },
};
/** Of the answer to a write that takes an Idempotency-Key. */
export const WRITE_HEADERS: Headers = {
  ...TRANSACTION_ID,
  'Idempotency-Replayed': {
    description: 'There when an earlier request with the same Idempotency-Key made the transaction.',
    schema: { type: 'string', enum: ['true'] },
  },
};
const ERROR_CODE_HEADER: Headers = {
  'X-Error-Code': {
    description: 'The stable code of the error, for programs; docs/errors.md lists all of them.',
    schema: { type: 'string', pattern: '^(API|LEDGER)\\.[A-Z_]+$' },
  },
};
const RETRY_AFTER: Headers = {
  'Retry-After': {
    description: 'Seconds; there when nothing was written and the same call may be sent again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
};

/** Documents an operation: its success in the envelope, and exactly the errors that it can give. */
export function Operation({ id, summary, description, success, errors }: OperationText): MethodDecorator {
  const { status = 200, message, data, example, headers } = success;
  const failures = Object.entries(errors).map(([code, text]) => errorResponse(Number(code) as ErrorStatus, text));
  return applyDecorators(
    ApiExtraModels(ResponseEnvelope, ErrorResponse),
    ApiOperation({ operationId: id, summary, ...(description === undefined ? {} : { description }) }),
    ApiResponse({
      status,
      description: status === 201 ? 'Created' : 'OK',
      headers: { ...REQUEST_ID, ...headers },
      content: json(envelope(data), { success: true, message, data: example }),
    }),
    ...failures,
  );
}

function errorResponse(status: ErrorStatus, message: string): MethodDecorator {
  return ApiResponse({
    status,
    description: DESCRIPTIONS[status],
    headers: { ...REQUEST_ID, ...ERROR_CODE_HEADER, ...((status === 500 || status === 409) && RETRY_AFTER) },
    content: json({ $ref: getSchemaPath(ErrorResponse) }, { success: false, message }),
  });
}

function envelope(data: Schema): Schema {
  const base = { $ref: getSchemaPath(ResponseEnvelope) };
  return { allOf: [base, { type: 'object', required: ['data'], properties: { data } }] };
}

function json(schema: Schema, example: unknown): ResponseContent {
  return { 'application/json': { schema, example } };
}
