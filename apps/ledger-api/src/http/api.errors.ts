import type { LedgerErrorCode } from '#ledger-gateway';

/** The codes of this API's own refusals, and of what HTTP's framework refuses for it. */
export type ApiErrorCode = `API.${string}`;

/** What an error is for a program, in `X-Error-Code`: it does not change. docs/errors.md lists them all. */
export type ErrorCode = ApiErrorCode | LedgerErrorCode;

/** A request that this API itself refuses: a status, a stable code and a text for the caller. */
export abstract class ApiError extends Error {
  abstract readonly code: ErrorCode;
  abstract readonly status: number;
  /** Response headers that belong to the refusal, in lower case. */
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The body, a query parameter or the request itself is not what the operation takes. */
export class InvalidRequestError extends ApiError {
  readonly code: ErrorCode;
  readonly status = 400;

  /** @param code - of the ledger's refusal, where that is what a 400 stands for */
  constructor(message: string, code: ErrorCode = 'API.INVALID_REQUEST') {
    super(message);
    this.code = code;
  }
}

/** The request is addressed to a host that is not served here. */
export class ForeignHostError extends ApiError {
  readonly code = 'API.FOREIGN_HOST';
  readonly status = 403;

  constructor(host: string) {
    super(
      `The host ${JSON.stringify(host.slice(0, 64))} is not served here: ` +
        'use an IP address or localhost, or name the host in LEDGER_API_ALLOWED_HOSTS.',
    );
  }
}

/** A page of another site tries to change something. */
export class CrossSiteError extends ApiError {
  readonly code = 'API.CROSS_SITE';
  readonly status = 403;

  constructor() {
    super("Pages of other sites may not change anything here: use the API's own pages, or a program.");
  }
}

/** No such route, asset or transaction. */
export class NotFoundError extends ApiError {
  readonly code = 'API.NOT_FOUND';
  readonly status = 404;
}

/** The path exists, with other methods. */
export class MethodNotAllowedError extends ApiError {
  readonly code = 'API.METHOD_NOT_ALLOWED';
  readonly status = 405;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(method: string, allowed: readonly string[]) {
    super(`${method} is not possible here; use ${allowed.join(', ')}.`);
    this.headers = { allow: allowed.join(', ') };
  }
}

/** The request expects something of the server that it does not do (RFC 9110, 10.1.1). */
export class ExpectationFailedError extends ApiError {
  readonly code = 'API.EXPECTATION_FAILED';
  readonly status = 417;

  constructor(expectation: string) {
    super(`The expectation ${JSON.stringify(expectation.slice(0, 64))} cannot be met; only 100-continue is known.`);
  }
}

/** The body is not JSON in UTF-8, by its Content-Type or Content-Encoding. */
export class UnsupportedBodyError extends ApiError {
  readonly code = 'API.UNSUPPORTED_BODY';
  readonly status = 415;
}

/** A version of HTTP that is not spoken here (RFC 9110, 15.6.6). */
export class VersionNotSupportedError extends ApiError {
  readonly code = 'API.VERSION_NOT_SUPPORTED';
  readonly status = 505;

  constructor(version: string) {
    super(`HTTP/${version} is not spoken here; use HTTP/1.1.`);
  }
}

/** The ledger cannot serve calls now. */
export class NotReadyError extends ApiError {
  readonly code = 'API.NOT_READY';
  readonly status = 503;
}
