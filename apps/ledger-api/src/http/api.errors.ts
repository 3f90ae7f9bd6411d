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

/** A key or a token came in a URL. */
export class SecretInUrlError extends ApiError {
  readonly code = 'API.SECRET_IN_URL';
  readonly status = 400;

  constructor() {
    super(
      'Keys and tokens do not belong into a URL, which is logged everywhere on its way: ' +
        'send them as X-API-Key or Authorization: Bearer, and replace one that stood there.',
    );
  }
}

/** Keys are not taken in clear text. */
export class TlsNeededError extends ApiError {
  readonly code = 'API.TLS_NEEDED';
  readonly status = 403;

  constructor() {
    super('Use https: keys are not taken over http here. One that was sent is known on the way, so replace it.');
  }
}

/** Too many logins of one address have failed. */
export class TooManyLoginsError extends ApiError {
  readonly code = 'API.TOO_MANY_LOGINS';
  readonly status = 429;
  override readonly headers: Readonly<Record<string, string>>;

  constructor(retryAfter: number) {
    super(
      `Too many logins from your address have failed; the next try is in ${retryAfter} s. A valid key is taken at once.`,
    );
    this.headers = { 'retry-after': String(retryAfter) };
  }
}

/** How callers log in, in an answer that refuses one (RFC 6750, 3). */
function challenge(error?: 'invalid_token' | 'insufficient_scope'): Readonly<Record<string, string>> {
  const realm = 'Bearer realm="ledger-api"';
  return { 'www-authenticate': error === undefined ? realm : `${realm}, error="${error}"` };
}

/** Nobody says who calls. */
export class LoginNeededError extends ApiError {
  readonly code = 'API.LOGIN_NEEDED';
  readonly status = 401;
  override readonly headers = challenge();

  constructor() {
    super('A key is needed: send it as X-API-Key, or as Authorization: Bearer.');
  }
}

/** What was sent to log in with lets nobody in. */
export class LoginRefusedError extends ApiError {
  readonly code = 'API.LOGIN_REFUSED';
  readonly status = 401;
  override readonly headers = challenge('invalid_token');

  /** It says the same whatever is wrong, which is the log's to tell. */
  constructor(what: 'key' | 'token' = 'key') {
    super(`The ${what} is not valid: it is not known, has expired or was revoked.`);
  }
}

/** The token is good, and no caller is bound to it. */
export class NoCallerError extends ApiError {
  readonly code = 'API.NO_CALLER';
  readonly status = 403;

  constructor() {
    super('The token is good, and nobody is a caller by it: ask whoever looks after the callers to add you.');
  }
}

/** The issuer of tokens cannot be asked for its keys: nobody who comes with a token that was not seen before is let in. */
export class IssuerUnavailableError extends ApiError {
  readonly code = 'API.ISSUER_UNAVAILABLE';
  readonly status = 503;
  override readonly headers = { 'retry-after': '2' };

  constructor(override readonly cause?: unknown) {
    super('The keys of the issuer of this token cannot be had, so that nobody can tell whether it is good. Try again.');
  }
}

/** A caller has asked for more in a second than it may. */
export class TooManyRequestsError extends ApiError {
  readonly code = 'API.TOO_MANY_REQUESTS';
  readonly status = 429;
  override readonly headers: Readonly<Record<string, string>>;

  /** @param retryAfter - in seconds */
  constructor(perSecond: number, retryAfter: number) {
    super(`More than ${perSecond} requests came in a second. Nothing was done; send it again in a moment.`);
    this.headers = { 'retry-after': String(retryAfter) };
  }
}

/** The caller is known, and may not do this. */
export class RoleNeededError extends ApiError {
  readonly code = 'API.ROLE_NEEDED';
  readonly status = 403;
  override readonly headers = challenge('insufficient_scope');

  constructor({ name, role }: Readonly<{ name: string; role: string }>, needed: string) {
    super(`This needs the role ${needed}, and ${name} is a ${role}: ask whoever looks after the callers.`);
  }
}

/** Nobody may call this function of a system chaincode, whatever the role. */
export class NotListedError extends ApiError {
  readonly code = 'API.NOT_LISTED';
  readonly status = 403;

  constructor(chaincode: string, name: string) {
    super(
      `${shown(chaincode)} is a system chaincode: nobody calls ${shown(name)} here unless LEDGER_CONTRACTS lists it.`,
    );
  }
}

/** Longest text of a chaincode that an answer repeats, in characters. */
const LONGEST_REFUSAL = 4096;

/** The chaincode that was called by its name said no, for whatever reason. */
export class ChaincodeRefusedError extends ApiError {
  readonly code = 'API.CHAINCODE_REFUSED';
  readonly status = 422;

  constructor(chaincode: string, text: string) {
    super(`The chaincode ${shown(chaincode)} refused: ${text.slice(0, LONGEST_REFUSAL)}`);
  }
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}

/** Who may call cannot be read. */
export class CallersUnavailableError extends ApiError {
  readonly code = 'API.CALLERS_UNAVAILABLE';
  readonly status = 503;
  override readonly headers = { 'retry-after': '1' };

  constructor() {
    super("The callers cannot be read now, so nobody is let in; the server's log says why.");
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
