import { HttpException } from '@nestjs/common';
import { LedgerError, type LedgerErrorCode, isLedgerError } from '#ledger-gateway';
import type { ErrorResponse } from './envelope.dto.js';
import { ApiError, type ApiErrorCode, type ErrorCode } from './api.errors.js';
import { withoutSecrets } from './secrets.js';

/** Seconds after which a call that failed before anything was written may be sent again. */
const RETRY_AFTER_SECONDS = '1';
const INTERNAL = 'The server failed; its log says why.';

/** The header that carries the stable code of an error, for programs: messages are for people and may change. */
export const ERROR_CODE = 'x-error-code';

/** How an error is answered. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: ErrorResponse;
  /** In lower case; {@link ERROR_CODE} is always among them. */
  readonly headers: Readonly<Record<string, string>>;
}

interface LedgerAnswer {
  readonly status: number;
  readonly text: (error: LedgerError) => string;
}

/** The contract's own text as a sentence. */
function own({ message }: LedgerError): string {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1);
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
}

/** What each failure of the ledger is to an HTTP client. Details of the server's set-up stay in the log. */
export const LEDGER_ANSWERS = {
  'LEDGER.ASSET_NOT_FOUND': { status: 404, text: own },
  'LEDGER.ASSET_EXISTS': { status: 400, text: own },
  'LEDGER.ASSET_CHANGED': {
    status: 412,
    text: (error) => `${own(error)} Nothing was written; read it again and decide anew.`,
  },
  'LEDGER.INVALID_ARGUMENT': { status: 400, text: own },
  'LEDGER.REFUSED': { status: 500, text: (error) => `The ledger's contract refused: ${error.message}` },
  'LEDGER.FUNCTION_UNKNOWN': { status: 500, text: () => "The ledger's contract does not have the function for this." },
  'LEDGER.CONFLICT': {
    status: 500,
    text: () =>
      'Other transactions changed the same data at the same time, in every try. Nothing was written; send it again.',
  },
  'LEDGER.UNAVAILABLE': {
    status: 500,
    text: ({ endpoint }) =>
      `The ledger cannot be reached${endpoint === undefined ? '' : ` (${endpoint})`}. Nothing was written; try again.`,
  },
  'LEDGER.TIMEOUT': {
    status: 500,
    text: () => 'The ledger did not answer in time. Nothing was written; try again.',
  },
  'LEDGER.OVERLOADED': {
    status: 500,
    text: () => 'The ledger is overloaded: more calls wait than it takes. Nothing was written; try again.',
  },
  'LEDGER.OUTCOME_UNKNOWN': {
    status: 500,
    text: ({ transactionId = '' }) =>
      `It is not known whether transaction ${transactionId} was committed: it may yet be. ` +
      'Sending it again with the same Idempotency-Key is safe; without one, ' +
      `look it up with GET /api/v1/transactions/${transactionId} before you send it again.`,
  },
  'LEDGER.UNKNOWN_CALLER': {
    status: 403,
    text: () =>
      'The ledger has no identity that signs for this caller: put one of its name into the wallet. Nothing was written.',
  },
  'LEDGER.CALLER_REFUSED': {
    status: 403,
    text: () =>
      'The network refuses the identity of this caller: it may be revoked or expired. Nothing was written. Ask an administrator.',
  },
  'LEDGER.CHAINCODE_UNKNOWN': { status: 404, text: own },
  'LEDGER.KEY_REUSED': {
    status: 422,
    text: () => 'This Idempotency-Key stands for another write. Nothing was written; give each write a key of its own.',
  },
  'LEDGER.KEY_IN_USE': {
    status: 409,
    text: () => 'A copy of this write is under way, and its end was not seen in time. Send it again with the same key.',
  },
  'LEDGER.OUTCOME_PRUNED': {
    status: 409,
    text: () =>
      'This write is recorded, in a block that the peer has not: it was made from a snapshot. Nothing more was written; ' +
      'ask a ledger that has the whole chain.',
  },
  'LEDGER.INVALID_TRANSACTION': { status: 500, text: own },
  'LEDGER.READ_ONLY': {
    status: 500,
    text: () => 'The ledger takes no writes now; reads go on. GET /readyz gives the reason.',
  },
  'LEDGER.NOT_SUPPORTED': { status: 501, text: own },
  'LEDGER.DAMAGED': { status: 500, text: () => "What the ledger has stored is damaged; the server's log says where." },
  'LEDGER.MISCONFIGURED': {
    status: 500,
    text: () => "The ledger's configuration does not work; the server's log says what.",
  },
} as const satisfies Record<LedgerErrorCode, LedgerAnswer>;

/** Turns any error into an answer; what is not known becomes a fixed 500. Pure. */
export function fromError(error: unknown): ErrorAnswer {
  if (error instanceof ApiError) return answer(error.status, error.code, error.message, error.headers);
  if (error instanceof LedgerError) return fromLedgerError(error);
  if (error instanceof HttpException) return fromStatus(error.getStatus(), error.message);
  return fromFrameworkError(error) ?? answer(500, 'API.INTERNAL', INTERNAL);
}

function fromLedgerError(error: LedgerError): ErrorAnswer {
  const { status, text }: LedgerAnswer = LEDGER_ANSWERS[error.code];
  return answer(status, error.code, text(error), {
    ...(error.retryable ? { 'retry-after': RETRY_AFTER_SECONDS } : {}),
    ...(isLedgerError(error, 'LEDGER.OUTCOME_UNKNOWN') && { 'x-transaction-id': error.transactionId ?? '' }),
  });
}

function fromStatus(status: number, message: string): ErrorAnswer {
  return answer(status, STATUS_CODES[status] ?? (status < 500 ? 'API.INVALID_REQUEST' : 'API.INTERNAL'), message);
}

/** The codes of what the framework refuses, by status; a 4xx without one is an API.INVALID_REQUEST. */
const STATUS_CODES: Readonly<Record<number, ApiErrorCode>> = {
  404: 'API.NOT_FOUND',
  413: 'API.BODY_TOO_LARGE',
  414: 'API.PATH_TOO_LONG',
  415: 'API.UNSUPPORTED_BODY',
};

/** Texts for what Fastify refuses before a handler runs, by its codes. */
const FRAMEWORK_TEXTS: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The URL is malformed: its percent-encoding is not UTF-8.',
  FST_ERR_MAX_PARAM_LENGTH: 'The path is too long.',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large: at most 1 MiB is taken.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'The body must be JSON, with the header Content-Type: application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The body is not as long as its Content-Length says.',
};

function fromFrameworkError(error: unknown): ErrorAnswer | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode, code } = error as Error & { statusCode?: unknown; code?: unknown };
  if (typeof statusCode !== 'number' || statusCode < 400 || statusCode > 499) return undefined;
  const text = typeof code === 'string' ? FRAMEWORK_TEXTS[code] : undefined;
  return fromStatus(statusCode, text ?? 'The request could not be read.');
}

function answer(
  status: number,
  code: ErrorCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return {
    status,
    body: { success: false, message: withoutSecrets(message) },
    headers: { ...headers, [ERROR_CODE]: code },
  };
}
