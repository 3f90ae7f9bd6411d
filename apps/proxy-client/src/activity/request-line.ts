import type { RequestLogConfig } from '../config/proxy-client-config.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import type { RelayEnd } from '../relay/relay.js';
import { NO_BYTES, type ActiveConnection, type ConnectedClient } from './active-connection.js';

/** A finished request, as far as it is known: of a refused one possibly only the client. */
export interface LoggedRequest extends Partial<Pick<ActiveConnection, 'bytes' | 'upstream' | 'rule'>> {
  readonly client: Pick<ConnectedClient, 'remoteAddress' | 'user' | 'listener' | 'cut'>;
  /** See {@link ActiveConnection.method}. */
  readonly method: string | undefined;
  /** The URL of a plain request, `host:port` of a tunnel; undefined if it could not be parsed. */
  readonly requestedTarget: string | undefined;
  /** Absent: it was refused as soon as it was parsed. */
  readonly startedAt?: number;
}

/** The outcome of a request: an answer, a failure, or the client left first. */
export type RequestEnd =
  | {
      readonly status: number;
      /** How the relay of a tunnel ended. */
      readonly relay?: RelayEnd;
    }
  | { readonly failure: ProxyFailure }
  | 'client_closed';

/** The status of a request whose client left first, as nginx logs it. */
const LEFT = 499;
/** The maximum length of a target in the log: a header may have a megabyte. */
const MAX_TARGET = 4096;

/** Returns the fields of a finished request, in the order of the log; undefined ones are omitted there. */
export function requestFields(request: LoggedRequest, end: RequestEnd, queries: boolean): RequestFields {
  const { client, method, requestedTarget, bytes = NO_BYTES, upstream, rule } = request;
  const now = Date.now();
  const { startedAt = now } = request;
  const { rule: refusedBy, ...outcome } = outcomeOf(request, end);
  return {
    time: new Date(startedAt).toISOString(),
    listener: client.listener,
    client: client.remoteAddress,
    user: client.user,
    method,
    target:
      requestedTarget === undefined ? undefined : shortened(queries ? requestedTarget : withoutQuery(requestedTarget)),
    ...outcome,
    sent: bytes.sent,
    received: bytes.received,
    ms: Math.max(0, now - startedAt),
    upstream,
    rule: rule ?? refusedBy,
  };
}

/** Formats the log line of a finished request, with its line feed. */
export function requestLine(request: LoggedRequest, end: RequestEnd, { format, queries }: RequestLogConfig): string {
  const fields = requestFields(request, end, queries);
  return `${format === 'json' ? JSON.stringify(fields) : commonLine(fields)}\n`;
}

/** The fields of the request log; docs/proxy-operation.md describes them. */
export interface RequestFields extends Outcome {
  readonly time: string;
  readonly listener: string;
  readonly client: string | undefined;
  readonly user: string | undefined;
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly sent: number;
  readonly received: number;
  readonly ms: number;
  readonly upstream: string | undefined;
}

interface Outcome {
  /** The HTTP status, also for clients of other protocols. */
  readonly status: number;
  /** The SOCKS5 reply. */
  readonly reply?: number | undefined;
  readonly error?: string | undefined;
  /** The address of the operator who ended it. */
  readonly ended_by?: string | undefined;
  /** The rule that refused it, and how to request permission. */
  readonly refusal?: string | undefined;
  /** The number of the rule that refused it. */
  readonly rule?: number | undefined;
}

/** Returns the status and the error of a request. */
export function outcomeOf(request: OutcomeRequest, end: RequestEnd): Outcome {
  const outcome = outcomeOfEnd(request, end);
  const { cut } = request.client;
  const hasFailed = end !== 'client_closed' && 'failure' in end;
  if (cut === undefined || hasFailed || outcome.error === undefined) return outcome;
  return { ...outcome, error: cut.reason, ended_by: cut.by };
}

interface OutcomeRequest extends Pick<LoggedRequest, 'method' | 'requestedTarget'> {
  readonly client: Pick<ConnectedClient, 'cut'>;
}

function outcomeOfEnd(
  { method, requestedTarget }: Pick<LoggedRequest, 'method' | 'requestedTarget'>,
  end: RequestEnd,
): Outcome {
  if (end === 'client_closed') return { status: LEFT, error: 'client_left' };
  const isSocks = method === 'SOCKS5';
  if ('status' in end) {
    const { status, relay = 'finished' } = end;
    return { status, reply: isSocks ? 0 : undefined, error: relay === 'finished' ? undefined : relay };
  }
  const { category, row, facts } = end.failure;
  // A client that has not sent its request yet received no SOCKS5 reply.
  const reply = isSocks && requestedTarget !== undefined ? (facts.replyCode ?? row.reply) : undefined;
  return { status: row.status, reply, error: category, refusal: facts.refusal, rule: facts.rule };
}

/** The common log format of the NCSA's server: host, ident, user, time, request line, status, bytes to the client. */
function commonLine({ time, client = '-', user, method, target, status, received }: RequestFields): string {
  const who = `${client} - ${user === undefined ? '-' : escaped(user, NOT_IN_WORDS)}`;
  const asked =
    method === undefined ? '-' : commonRequest(method, target === undefined ? '-' : escaped(target, NOT_IN_QUOTES));
  // Wed, 22 Nov 2026 13:24:00 GMT
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${who} [${day}/${month}/${year}:${clock} +0000] "${asked}" ${status} ${received}`;
}

/** Formats the three words that parsers of the format expect: method, target, protocol. */
function commonRequest(method: string, target: string): string {
  if (method === 'SOCKS5') return `CONNECT ${target} SOCKS/5`;
  return method === 'tunnel' ? `CONNECT ${target} TCP` : `${method} ${target} HTTP/1.1`;
}

const NOT_IN_QUOTES = /[^\x20-\x7e]|["\\]/gu;
const NOT_IN_WORDS = /[^\x21-\x7e]|["\\]/gu;

/** Escapes text as Apache httpd does, so that the line cannot be split or get more fields. */
function escaped(text: string, pattern: RegExp): string {
  return text.replace(pattern, (character) =>
    Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function shortened(text: string): string {
  return text.length <= MAX_TARGET ? text : `${text.slice(0, MAX_TARGET)}…`;
}

/** The user information of a URL, which may contain a password. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?]*@/i;

/** Returns {@link LoggedRequest.requestedTarget} of a parsed request. */
export function requestedTargetOf({ method, target, host }: Pick<RequestHead, 'method' | 'target' | 'host'>): string {
  if (method === 'CONNECT') return target;
  const isUrl = !target.startsWith('/') && target !== '*';
  const url = isUrl || host === undefined ? target : `http://${host}${target}`;
  return url.replace(USER_INFO, '$1');
}
