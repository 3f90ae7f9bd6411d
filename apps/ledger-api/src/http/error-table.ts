import type { LedgerError, LedgerErrorCode } from '#ledger-gateway';
import type { ContractErrorResponse } from './envelope.dto.js';

/** How one kind of error is answered. `docs/errors.md` and the samples of the OpenAPI document are made from this too. */
interface ErrorEntry {
  /** The default is 500. */
  readonly status?: number;
  /** The status on a path with a channel, which states that other channels may be available. */
  readonly channelStatus?: number;
  /** When it happens, for docs/errors.md. */
  readonly cause: string;
  /** The message of the answer. Without it, the error's own message is the answer's, as a sentence. */
  readonly text?: string | ((error: LedgerError, channel: string | undefined) => string);
  /** The message of a sample error, where the answer depends on it. */
  readonly sample?: string;
  /** Further members of a body. */
  readonly body?: Readonly<Pick<ContractErrorResponse, 'chaincodeStatus'>>;
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How callers log in (RFC 6750, section 3). */
const CHALLENGE = 'Bearer realm="ledger-api"';

/** Nothing was written; the same call may be sent again after this many seconds. */
export const retryAfter = (seconds: number): Readonly<Record<string, string>> => ({ 'retry-after': String(seconds) });

export const EXAMPLE_TRANSACTION_ID = '4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7';

const API_ERRORS = {
  'API.INVALID_REQUEST': {
    status: 400,
    cause: 'an invalid field, query parameter, transaction id or JSON text; an invalid, missing or repeated Host',
    sample: 'The body is refused: color is missing.',
  },
  'API.FOREIGN_HOST': {
    status: 403,
    cause: 'Host is no IP address, not `localhost`, and not listed in `LEDGER_API_ALLOWED_HOSTS`',
    sample: 'The host "evil.example" is not served. Use an IP address or add it to LEDGER_API_ALLOWED_HOSTS.',
  },
  'API.CROSS_SITE': {
    status: 403,
    cause: 'a write from a page of another origin, by `Sec-Fetch-Site` or `Origin`',
    text: "Pages of other sites cannot write. Use the API's own pages or a program.",
  },
  'API.SECRET_IN_URL': {
    status: 400,
    cause: '`LEDGER_AUTH=on`: a key, a token, or a parameter for one, in the path or the query of any URL',
    text: 'Do not put keys or tokens in a URL, because URLs are logged. Send a header, and revoke the one you sent.',
  },
  'API.LOGIN_NEEDED': {
    status: 401,
    cause: '`LEDGER_AUTH=on`: neither X-API-Key nor Authorization: Bearer',
    text: 'Authentication is required. Send an API key as X-API-Key or as Authorization: Bearer.',
    headers: { 'www-authenticate': CHALLENGE },
  },
  'API.LOGIN_REFUSED': {
    status: 401,
    cause: 'the key or token is malformed, unknown, expired or revoked',
    sample: 'The key is invalid: it is unknown, expired or revoked.',
    headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` },
  },
  'API.TOO_MANY_LOGINS': {
    status: 429,
    cause: 'an invalid key or token after too many failed logins from one address; a valid key always works',
    sample: 'Too many failed logins from your address. Try again in 3 s. A valid key works at once.',
    headers: retryAfter(3),
  },
  'API.NO_CALLER': {
    status: 403,
    cause: 'a valid token that is assigned to no caller, without `LEDGER_JWT_ENROL=on`, or to a revoked one',
    text: 'The token is valid but not assigned to a caller. Ask an administrator to add you.',
  },
  'API.ISSUER_UNAVAILABLE': {
    status: 503,
    cause: "a new token while its issuer's keys are unavailable",
    text: "The token cannot be verified because its issuer's keys are unavailable. Try again later.",
    headers: retryAfter(2),
  },
  'API.TOO_MANY_REQUESTS': {
    status: 429,
    cause: '`LEDGER_RATE_LIMIT`: more requests of a caller, or of an address without authentication, than it allows',
    sample: 'More than 100 requests in one second. Nothing was done. Send this one again later.',
    headers: retryAfter(1),
  },
  'API.ROLE_NEEDED': {
    status: 403,
    cause: "the caller's role does not allow the operation",
    sample: 'This operation requires the role "writer"; "alice" is a "reader". Ask an administrator.',
    headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope"` },
  },
  'API.TLS_NEEDED': {
    status: 403,
    cause: '`LEDGER_AUTH=on` beyond loopback without `LEDGER_API_PLAIN=on`: a request over http',
    text: 'Use https: keys are not accepted over http. If you sent one, revoke it.',
  },
  'API.NOT_LISTED': {
    status: 403,
    cause: 'a function of a system chaincode (`_…`, qscc, cscc, lscc, escc, vscc) not in `LEDGER_CONTRACTS`',
    sample: '"qscc" is a system chaincode. "GetBlockByNumber" can be called only if LEDGER_CONTRACTS lists it.',
  },
  'API.CHAINCODE_REFUSED': {
    status: 422,
    cause: 'a call of a contract: the chaincode refused for any reason; nothing was written',
    sample: 'The chaincode "cars" refused: no car has that plate',
    body: { chaincodeStatus: 500 },
  },
  'API.CALLERS_UNAVAILABLE': {
    status: 503,
    cause: 'the callers file has not been readable for 10 s',
    text: 'Callers cannot be authenticated because the callers file is unreadable. See the server log.',
    headers: retryAfter(1),
  },
  'API.NOT_FOUND': {
    status: 404,
    cause: 'no such route, block, transaction or organization; an id that no asset can have',
    sample: 'There is no transaction with this id.',
  },
  'API.METHOD_NOT_ALLOWED': {
    status: 405,
    cause: 'the path exists with other methods, which `Allow` lists',
    sample: 'DELETE is not supported here. Use GET, HEAD, PUT.',
    headers: { allow: 'GET, HEAD, PUT' },
  },
  'API.UNSUPPORTED_BODY': {
    status: 415,
    cause:
      'Content-Type is not `application/json` (for creates also `application/x-ndjson`), another charset than UTF-8, or any Content-Encoding',
    text: 'The body must be JSON, with the header Content-Type: application/json.',
  },
  'API.EXPECTATION_FAILED': {
    status: 417,
    cause: '`Expect` is not `100-continue`',
    text: 'The expectation cannot be met. Only Expect: 100-continue is supported.',
  },
  'API.VERSION_NOT_SUPPORTED': {
    status: 505,
    cause: 'the request line has HTTP/2.0 or HTTP/0.9',
    sample: 'HTTP/2.0 is not supported. Use HTTP/1.1.',
  },
  'API.NOT_READY': {
    status: 503,
    cause: 'the ledger cannot serve calls now (`GET /readyz`), or the server is shutting down (`GET /events`)',
    sample: 'The ledger is read-only: the disk is full',
  },
  'API.PRECONDITION_FAILED': {
    status: 412,
    cause: 'a create with `If-Match`, which no asset can match before it exists',
    text: 'If-Match cannot hold for a create. Nothing was written.',
  },
  'API.PATH_TOO_LONG': {
    status: 414,
    cause: 'an id in the path that is longer than any id can be',
    text: 'The path is too long.',
  },
  'API.BODY_TOO_LARGE': {
    status: 413,
    cause:
      'a body of more than 1 MiB, a line of more than 128 KiB, or chunk extensions of more than 16 KiB (which close the connection)',
    text: 'The body is too large: the limit is 1 MiB.',
  },
  'API.INTERNAL': {
    status: 500,
    cause: 'an unexpected failure, which the server log describes',
    text: 'The server failed. See the server log.',
  },
  'API.REQUEST_TIMEOUT': {
    status: 408,
    cause: 'the request, or the next lines of an upload, did not arrive in time; closes the connection',
    text: 'The request did not arrive in time.',
  },
  'API.HEADER_TOO_LARGE': {
    status: 431,
    cause: 'a request line and headers of more than 48 KiB; closes the connection',
    text: 'The request line and headers are too large: the limit is 48 KiB.',
  },
} as const satisfies Record<`API.${string}`, ErrorEntry>;

/** Starts a message of the ledger with a capital letter and ends it with a full stop. */
export function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const LEDGER_ERRORS = {
  'LEDGER.ASSET_NOT_FOUND': {
    status: 404,
    cause: 'no such asset, or not after the block of `?at=` (an update answers 400, with this code)',
    sample: 'the asset asset7 does not exist',
  },
  'LEDGER.ASSET_EXISTS': {
    status: 400,
    cause: 'a create with an id in use',
    sample: 'the asset asset7 already exists',
  },
  'LEDGER.ASSET_CHANGED': {
    status: 412,
    cause: 'a write with `If-Match` to an asset that has changed',
    text: ({ message }) => `${sentence(message)} Nothing was written. Read the asset again.`,
    sample: 'the asset asset7 has changed since it was read',
  },
  'LEDGER.RECORD_NOT_FOUND': {
    status: 404,
    cause: 'no such record of the type, or not after the block of `?at=`',
    sample: 'the record l1 of login does not exist',
  },
  'LEDGER.RECORD_EXISTS': {
    status: 409,
    cause: 'a record with an id in use',
    sample: 'the record l1 of login already exists',
  },
  'LEDGER.RECORD_CHANGED': {
    status: 412,
    cause: 'a write with `If-Match` to a record that has changed',
    text: ({ message }) => `${sentence(message)} Nothing was written. Read the record again.`,
    sample: 'the record b1 of batch has changed since it was read',
  },
  'LEDGER.RECORD_INVALID': {
    status: 400,
    cause: "a document that does not meet its type's schema; the message has the JSON pointer of each fault",
    sample: 'the document is refused: /user must be string',
  },
  'LEDGER.RECORD_APPEND_ONLY': {
    status: 400,
    cause: 'an update or a deletion of a record whose type has the mode `append`',
    sample: 'records of login cannot be changed or deleted: its mode is append',
  },
  'LEDGER.RECORD_NOT_ERASABLE': {
    status: 409,
    cause: 'an erasure of documents that are stored inside the blocks',
    sample:
      'documents of login cannot be erased: they are stored inside the blocks. Use a type with the payload outside for documents that must be erasable',
  },
  'LEDGER.RECORD_TYPE_UNKNOWN': {
    status: 404,
    cause: 'no record type of that name is defined',
    sample: 'the record type logn is not defined. Did you mean "login"?',
  },
  'LEDGER.RECORD_TYPE_INVALID': {
    status: 400,
    cause:
      'a definition of a record type, or its schema, that is refused; the message has the JSON pointer and the bound',
    sample: 'the schema is refused: /properties/name/pattern must not exceed 256 characters',
  },
  'LEDGER.RECORD_TYPE_CONFLICT': {
    status: 409,
    cause: 'a definition that changes the mode or the payload of a record type',
    sample: 'the mode of login is append and cannot change',
  },
  'LEDGER.INVALID_ARGUMENT': {
    status: 400,
    cause: "the contract's validation of an argument; a block in `?at=` beyond the newest one",
    sample: 'size must not be empty',
  },
  'LEDGER.REFUSED': {
    cause: 'a contract refused by a rule of its own (a write answers 400, with this code)',
    text: ({ message }) => `The ledger's contract refused: ${message}`,
    sample: 'what is stored as asset7 is not an asset',
  },
  'LEDGER.FUNCTION_UNKNOWN': {
    cause: 'the chaincode has no such function: another contract is installed',
    text: "The ledger's contract does not have the function for this operation.",
  },
  'LEDGER.CONFLICT': {
    cause: 'other transactions changed the same data at the same time, in every retry',
    text: 'Other transactions changed the same data at the same time, in every retry. Nothing was written. Try again.',
  },
  'LEDGER.NOT_DETERMINISTIC': {
    cause: 'the peers endorsed different results of a chaincode, in every retry',
    sample:
      'The peers endorsed different results of cars: one of them is behind, or the chaincode is not deterministic',
  },
  'LEDGER.ORGANIZATION_UNKNOWN': {
    status: 400,
    cause: '`endorsingOrganizations` names an organization that the channel does not have',
    sample: 'endorsingOrganizations: channel mychannel has no organization "Org9MSP"',
  },
  'LEDGER.POLICY_UNSATISFIABLE': {
    status: 400,
    cause: 'no combination of peers satisfies the policies of a call, such as those of its private data collections',
    sample: 'No combination of the peers satisfies all policies of this call. Name endorsingOrganizations',
  },
  'LEDGER.UNAVAILABLE': {
    channelStatus: 503,
    cause: 'a peer, orderer, chaincode or the store is unreachable (503 on a path with a channel)',
    text: ({ endpoint, chaincode, startFailure }) => {
      if (chaincode === undefined) {
        return `The ledger is unreachable${endpoint === undefined ? '' : ` (${endpoint})`}. Nothing was written. Try again.`;
      }
      if (startFailure !== undefined) {
        const { reason, output } = startFailure;
        return `The chaincode "${chaincode}" cannot be started: ${reason}. Nothing was written.${output === '' ? '' : ` Its last lines: ${output}`}`;
      }
      return `The chaincode "${chaincode}" is not available; the server's log has the reason. Nothing was written. Try again.`;
    },
  },
  'LEDGER.TIMEOUT': {
    channelStatus: 503,
    cause: 'no answer in time, and nothing was sent for ordering (503 on a path with a channel)',
    text: 'The ledger did not answer in time. Nothing was written. Try again.',
  },
  'LEDGER.OVERLOADED': {
    cause: 'too many calls are waiting, or bodies of more than 64 MiB together are being received',
    text: 'The ledger is overloaded: too many calls are waiting. Nothing was written. Try again.',
  },
  'LEDGER.OUTCOME_UNKNOWN': {
    cause: 'the transaction was sent, and its commit was not observed',
    text: ({ transactionId = '' }, channel) =>
      'The outcome is unknown: the transaction may still be committed. Send it again with the same Idempotency-Key, ' +
      `or look it up with GET /api/v1/${channel === undefined ? '' : `channels/${channel}/`}transactions/${transactionId} first.`,
  },
  'LEDGER.UNKNOWN_CALLER': {
    status: 403,
    cause: 'the wallet has no identity for the caller',
    text: 'The ledger has no identity for this caller: add one with its name to the wallet. Nothing was written.',
  },
  'LEDGER.CALLER_REFUSED': {
    status: 403,
    cause:
      "the network refuses the caller's identity: revoked, expired, or not a member of the channel or of the collection of documents",
    text: "The network refuses the caller's identity: it may be revoked, expired, or no member of the channel or of a private collection. Ask an administrator.",
  },
  'LEDGER.CHANNEL_UNKNOWN': {
    status: 404,
    cause: 'a path with a channel that `LEDGER_CHANNELS` does not list, or that the peer has not joined',
    sample: 'There is no channel "cars": LEDGER_CHANNELS does not list it',
  },
  'LEDGER.CHAINCODE_UNKNOWN': {
    status: 404,
    cause:
      'a call of a contract: the channel has no such chaincode; the embedded ledger has its own and those of `LEDGER_CHAINCODES`',
    sample: 'There is no chaincode cars on channel mychannel',
  },
  'LEDGER.KEY_REUSED': {
    status: 422,
    cause: 'an `Idempotency-Key` of another write, recorded or in flight',
    text: 'This Idempotency-Key belongs to another write. Nothing was written. Use a new key for each write.',
  },
  'LEDGER.KEY_IN_USE': {
    status: 409,
    cause: 'a copy of the write is in flight, here or on a replica, and did not finish before the timeout',
    text: 'A copy of this write is in flight and did not finish in time. Send it again with the same key.',
  },
  'LEDGER.OUTCOME_PRUNED': {
    status: 409,
    cause: 'the write with this key is recorded in a block that the peer, started from a snapshot, does not have',
    text: 'This write is recorded in a block that the peer does not have. Use a ledger that has the whole chain.',
  },
  'LEDGER.ERASURE_INCOMPLETE': {
    status: 503,
    cause:
      'a purge that is recorded, while its values are still on the disk: the disk is full, or a backup reads them; the server log has the reason',
    text: 'The purge is recorded, but the values are not erased from the disk yet. Send the purge again, without or with another Idempotency-Key.',
  },
  'LEDGER.INVALID_TRANSACTION': {
    cause: 'the transaction is recorded as invalid, such as by an endorsement policy; conflicts are retried',
    sample: 'the transaction of this key is recorded as ENDORSEMENT_POLICY_FAILURE. Send the write with another key',
  },
  'LEDGER.READ_ONLY': {
    cause: 'a failed fsync or a full disk (no writes until a restart), or a ledger without its keys',
    text: 'The ledger is read-only. GET /readyz returns the reason.',
  },
  'LEDGER.WRITES_DISABLED': {
    status: 503,
    cause: '`LEDGER_READ_ONLY=on`, as during a migration: writes are refused, reads continue',
    text: 'This service accepts no writes: LEDGER_READ_ONLY is on. Nothing was written.',
  },
  'LEDGER.NOT_SUPPORTED': {
    status: 501,
    cause: 'the chaincode or the driver does not support the operation, or `LEDGER_TREE` is off (proofs)',
    sample: "If-Match on another chaincode than the project's own requires LEDGER_DRIVER=fabric-gateway",
  },
  'LEDGER.TREE_INCOMPLETE': {
    status: 503,
    cause:
      "the channel's tree is being built, lacks the blocks of a peer that began with a snapshot, or is no longer signed",
    sample: 'The tree of mychannel is being built: it has 1200 of 4000 blocks',
  },
  'LEDGER.DAMAGED': {
    cause: 'the stored data is not what was written; the server log states where',
    text: 'The stored data of the ledger is damaged. See the server log.',
  },
  'LEDGER.MISCONFIGURED': {
    cause: 'a channel, chaincode, identity or directory that cannot work; the server log states which',
    text: "The ledger's configuration does not work. See the server log.",
  },
} as const satisfies Record<LedgerErrorCode, ErrorEntry>;

/** Every error that the API answers, by its stable code: the only place where errors are declared. */
export const ERRORS: Readonly<Record<keyof typeof API_ERRORS | LedgerErrorCode, ErrorEntry>> = {
  ...API_ERRORS,
  ...LEDGER_ERRORS,
};

/** The stable code of an error, which `X-Error-Code` carries. */
export type ErrorCode = keyof typeof ERRORS;
