import { readFileSync, writeFileSync } from 'node:fs';
import { LedgerError } from '#ledger-gateway';
import * as apiErrors from './api.errors.js';
import { refusalOf, type Refusal } from '../server/connection-errors.js';
import { ERROR_CODE, fromError, LEDGER_ANSWERS } from './error-answers.js';

const DOCUMENT = 'docs/errors.md';
const BEGIN = '<!-- written by apps/ledger-api/src/http/errors-document.spec.ts with UPDATE_DOCS=1 -->';
const END = "<!-- end of ledger-api's table -->";
const TX = '4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7';

/** One of each failure, with what leads to it. */
const FAILURES: readonly (readonly [LedgerError | apiErrors.ApiError, string])[] = [
  [
    new apiErrors.InvalidRequestError('The body is refused: color is missing.'),
    'a field, a query parameter, an id of a transaction or the JSON itself is wrong; no Host, two or an invalid one',
  ],
  [
    new apiErrors.ForeignHostError('evil.example'),
    'Host is no IP address, not `localhost`, and no name of `LEDGER_API_ALLOWED_HOSTS`',
  ],
  [
    new apiErrors.CrossSiteError(),
    'a request that changes something from a page of another origin, by `Sec-Fetch-Site` or `Origin`',
  ],
  [
    new apiErrors.SecretInUrlError(),
    '`LEDGER_AUTH=on`: a key, a token, or a parameter that is made for one, in a path or a query, whatever the path',
  ],
  [new apiErrors.LoginNeededError(), '`LEDGER_AUTH=on`: neither X-API-Key nor Authorization: Bearer'],
  [new apiErrors.LoginRefusedError(), 'a key that is none, is not known, has expired or was revoked'],
  [
    new apiErrors.TooManyLoginsError(3),
    'the same from an address from which too many logins have failed; a valid key is never kept out',
  ],
  [
    new apiErrors.NoCallerError(),
    'a good token that no caller is bound to, without `LEDGER_JWT_ENROL=on`, or of a revoked one',
  ],
  [
    new apiErrors.IssuerUnavailableError(),
    'a token that was not seen before, while its issuer cannot be asked for its keys',
  ],
  [
    new apiErrors.TooManyRequestsError(100, 1),
    '`LEDGER_RATE_LIMIT`: more requests of a caller, or of an address while nobody logs in, than it says',
  ],
  [
    new apiErrors.RoleNeededError({ name: 'alice', role: 'reader' }, 'writer'),
    'the role of the caller may not do this',
  ],
  [
    new apiErrors.TlsNeededError(),
    '`LEDGER_AUTH=on` beyond loopback without `LEDGER_API_PLAIN=on`: any request over http that needs a caller',
  ],
  [
    new apiErrors.NotListedError('qscc', 'GetBlockByNumber'),
    'a system chaincode (`_…`, qscc, cscc, lscc, escc, vscc), for anybody, unless `LEDGER_CONTRACTS` lists the function',
  ],
  [
    new apiErrors.ChaincodeRefusedError('cars', 'no car has that plate'),
    'a call of a contract: the chaincode refused, whatever its reason; nothing was written',
  ],
  [new apiErrors.CallersUnavailableError(), 'the callers file has not been readable for 10 s'],
  [
    new apiErrors.NotFoundError('There is no transaction of that id.'),
    'no such route or transaction; an id that no asset can have',
  ],
  [
    new apiErrors.MethodNotAllowedError('DELETE', ['GET', 'HEAD', 'PUT']),
    'the path exists, with other methods, which `Allow` names',
  ],
  [
    new apiErrors.UnsupportedBodyError('The body must be in UTF-8, as JSON is (RFC 8259, 8.1).'),
    'Content-Type is not `application/json`, another charset than UTF-8, a Content-Encoding',
  ],
  [new apiErrors.ExpectationFailedError('cake'), 'an `Expect` other than `100-continue`'],
  [new apiErrors.VersionNotSupportedError('2.0'), 'another version in the request line than HTTP/1.0 or HTTP/1.1'],
  [
    new apiErrors.NotReadyError('The ledger is read-only: the disk is full'),
    '`GET /readyz` only: the ledger cannot serve calls now',
  ],
  [
    new LedgerError('LEDGER.ASSET_NOT_FOUND', 'the asset asset7 does not exist'),
    'no such asset (an update answers 400, with this code)',
  ],
  [new LedgerError('LEDGER.ASSET_EXISTS', 'the asset asset7 already exists'), 'a create of an id that is taken'],
  [
    new LedgerError('LEDGER.ASSET_CHANGED', 'the asset asset7 has changed since it was read'),
    'a write with `If-Match` to an asset that is another one by now',
  ],
  [new LedgerError('LEDGER.INVALID_ARGUMENT', 'size must not be empty'), "the contract's own check of an argument"],
  [
    new LedgerError('LEDGER.REFUSED', 'size must be a number'),
    'a contract refused by a rule of its own (a write answers 400, with this code)',
  ],
  [
    new LedgerError('LEDGER.FUNCTION_UNKNOWN', 'x'),
    'the chaincode has no such function: another contract is installed',
  ],
  [
    new LedgerError('LEDGER.CONFLICT', 'x'),
    'other transactions changed the same data at the same time, in every retry',
  ],
  [
    new LedgerError('LEDGER.UNAVAILABLE', 'x', { endpoint: 'peer0:7051' }),
    'a peer, orderer, chaincode or the store cannot be reached',
  ],
  [new LedgerError('LEDGER.TIMEOUT', 'x'), 'no answer in time, and nothing was sent for ordering'],
  [
    new LedgerError('LEDGER.OVERLOADED', 'x'),
    'more calls wait than the ledger takes, or bodies of more than 64 MiB together are on their way',
  ],
  [
    new LedgerError('LEDGER.OUTCOME_UNKNOWN', 'x', { transactionId: TX }),
    'the transaction was sent, and its end was not seen',
  ],
  [new LedgerError('LEDGER.UNKNOWN_CALLER', 'x'), 'a caller was named, and no identity of that name signs'],
  [
    new LedgerError('LEDGER.CALLER_REFUSED', 'x'),
    "the network refuses the caller's identity: revoked, expired, or not a member of the channel",
  ],
  [
    new LedgerError('LEDGER.CHAINCODE_UNKNOWN', 'There is no chaincode cars on channel mychannel'),
    'a call of a contract: no chaincode of that name on the channel; on the embedded ledger any but its own',
  ],
  [
    new LedgerError('LEDGER.KEY_REUSED', 'x'),
    'an `Idempotency-Key` that stands for another write, recorded or under way',
  ],
  [
    new LedgerError('LEDGER.KEY_IN_USE', 'x'),
    'a copy of the write is under way, here or on a replica, and had not ended when the time was up',
  ],
  [
    new LedgerError('LEDGER.OUTCOME_PRUNED', 'x'),
    'the write with this key is recorded, and the peer was made from a snapshot and has not the block',
  ],
  [
    new LedgerError(
      'LEDGER.INVALID_TRANSACTION',
      `transaction ${TX} stands in the chain as ENDORSEMENT_POLICY_FAILURE, and its idempotency key stands for it: ` +
        'nothing was written. Send the write under another key',
    ),
    'the transaction of this key is recorded as invalid, and not for a conflict, after which the next is tried',
  ],
  [
    new LedgerError('LEDGER.READ_ONLY', 'x'),
    'a failed fsync or a full disk (no writes until a restart), or a ledger without its keys',
  ],
  [
    new LedgerError(
      'LEDGER.NOT_SUPPORTED',
      "If-Match on another chaincode than the project's own needs LEDGER_DRIVER=fabric-gateway",
    ),
    'what this chaincode cannot do through this driver',
  ],
  [new LedgerError('LEDGER.DAMAGED', 'x'), 'what is stored is not what was written; the log says where'],
  [
    new LedgerError('LEDGER.MISCONFIGURED', 'x'),
    'a channel, chaincode, identity or directory that cannot work; the log says which',
  ],
];

/** What the framework refuses: Fastify before a handler runs, Node before there is a request. */
const OF_THE_FRAMEWORK: readonly (readonly [unknown, string])[] = [
  [refusal(414, 'FST_ERR_MAX_PARAM_LENGTH'), 'an id in the path that is longer than any can be'],
  [
    refusal(413, 'FST_ERR_CTP_BODY_TOO_LARGE'),
    'a body of more than 1 MiB, or chunk extensions of more than 16 KiB (which close the connection)',
  ],
  [new Error('x'), 'a failure that nobody foresaw; the log has it'],
];

/** Node's own, which close the connection. */
const ON_THE_CONNECTION: readonly (readonly [Refusal, string])[] = [
  [refusalOf(refusal(0, 'ERR_HTTP_REQUEST_TIMEOUT')), 'a request that was not whole in time'],
  [refusalOf(refusal(0, 'HPE_HEADER_OVERFLOW')), 'a request line and headers of more than 16 KiB'],
];

function refusal(statusCode: number, code: string): Error {
  return Object.assign(new Error('x'), { statusCode, code });
}

const row = ([error, cause]: readonly [unknown, string]) => {
  const { status, body, headers } = fromError(error);
  const { [ERROR_CODE]: code = '', ...others } = headers;
  const shown = Object.entries(others).map(([name, value]) => `\`${name}: ${value === TX ? '…' : value}\``);
  return `| ${code} | ${status} | ${cause} | ${body.message.replaceAll(TX, '…')} | ${shown.join(', ') || '–'} |`;
};

describe(DOCUMENT, () => {
  it('has a row for every code there is, and for no other', () => {
    const classes = Object.values(apiErrors).filter((type) => type.prototype instanceof apiErrors.ApiError);
    const shown = FAILURES.map(([error]) => error);
    expect(new Set(shown.map(({ code }) => code).filter((code) => code.startsWith('LEDGER.')))).toEqual(
      new Set(Object.keys(LEDGER_ANSWERS)),
    );
    expect(
      new Set(shown.filter((error) => error instanceof apiErrors.ApiError).map(({ constructor }) => constructor)),
    ).toEqual(new Set(classes));
    expect(new Set(shown.map(({ code }) => code)).size).toBe(FAILURES.length);
  });

  it('says what each is answered with', () => {
    const table = [
      '| Code | Status | Cause | Message, for example | Headers |',
      '| --- | --- | --- | --- | --- |',
      ...[...FAILURES, ...OF_THE_FRAMEWORK].map(row),
      ...ON_THE_CONNECTION.map(
        ([{ status, code, message }, cause]) => `| ${code} | ${status} | ${cause} | ${message} | – |`,
      ),
    ].join('\n');
    const [before = '', rest = ''] = readFileSync(DOCUMENT, 'utf8').split(BEGIN);
    const [documented = '', after = ''] = rest.split(END);
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(DOCUMENT, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`);
    else expect(documented.trim()).toBe(table);
  });
});
