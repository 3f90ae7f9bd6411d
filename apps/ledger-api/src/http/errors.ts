import type { ContractErrorResponse } from './envelope.dto.js';
import { type ErrorCode, ERRORS } from './error-table.js';

/** Facts of an API error that differ from its entry in {@link ERRORS}. */
export interface ApiErrorOptions {
  readonly status?: number;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body. */
  readonly body?: Readonly<Pick<ContractErrorResponse, 'chaincodeStatus'>>;
  readonly cause?: unknown;
}

/** An error that the API itself answers. Its message is shown to the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** @param message - required if the entry of the code has no text */
  constructor(
    readonly code: ErrorCode,
    message = messageOf(code),
    readonly options: ApiErrorOptions = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : {});
  }
}

/** Creates the error for a request that the client must change. */
export function invalidRequest(message: string): ApiError {
  return new ApiError('API.INVALID_REQUEST', message);
}

export const MALFORMED_URL = 'The URL is malformed: its percent-encoding is not UTF-8.';

export const TWO_CREDENTIALS = 'Send either X-API-Key or Authorization: Bearer, not both.';

/** Returns the text of an error that has no other. */
export function messageOf(code: ErrorCode): string {
  const { text, sample = '' } = ERRORS[code];
  return typeof text === 'string' ? text : sample;
}
