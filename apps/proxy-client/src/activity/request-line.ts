import type { RequestLogConfig } from '../config/proxy-client-config.js';
import type { ProxyFailure } from '../failure/proxy-failure.js';
import type { RequestHead } from '../http/request-head.js';
import type { RelayEnd } from '../relay/relay.js';
import type { RouteClient } from '../rules/rule.js';
import type { Ongoing } from './ongoing.js';

/** A request that has ended, as far as it is known: one that was refused may have had no more than a client. */
export interface LoggedRequest {
  readonly client: RouteClient & {
    /** Where it came in: `host:port`. */
    readonly listener: string;
  };
  /** As {@link Ongoing.method}. */
  readonly method: string | undefined;
  /** What was asked for: the URL of a plain request, `host:port` of a tunnel; undefined where that could not be read. */
  readonly asked: string | undefined;
  /** Absent: it was refused as soon as it was read. */
  readonly startedAt?: number;
  readonly bytes?: Ongoing['bytes'];
  readonly through?: string;
  readonly rule?: number | undefined;
}

/** How a request ended: with an answer, without one that was whole, or because the client left before. */
export type RequestEnd =
  | {
      readonly status: number;
      /** Of what was joined: how that ended. */
      readonly relay?: RelayEnd;
    }
  | { readonly failure: ProxyFailure }
  | 'left';

/** What no answer says: the client was gone. (nginx logs the same.) */
const LEFT = 499;
/** The longest that is shown of a target: a header may have a megabyte. */
const MAX_TARGET = 4096;

/** One line for a request that has ended, with its line feed. */
export function requestLine(request: LoggedRequest, end: RequestEnd, { format, queries }: RequestLogConfig): string {
  const now = Date.now();
  const { startedAt = now } = request;
  const fields = { ...outcomeOf(request, end), startedAt, ms: Math.max(0, now - startedAt) };
  const target =
    request.asked === undefined ? undefined : shortened(queries ? request.asked : withoutQuery(request.asked));
  return format === 'json' ? jsonLine(request, target, fields) : commonLine(request, target, fields);
}

interface Outcome {
  /** What HTTP says of it, also where the client speaks something else. */
  readonly status: number;
  /** What SOCKS5 says of it. */
  readonly reply?: number | undefined;
  readonly error?: string | undefined;
  /** The number of the rule that refuses it. */
  readonly rule?: number | undefined;
}

interface Fields extends Outcome {
  readonly startedAt: number;
  readonly ms: number;
}

function outcomeOf({ method, asked }: LoggedRequest, end: RequestEnd): Outcome {
  if (end === 'left') return { status: LEFT, error: 'client_left' };
  const isSocks = method === 'SOCKS5';
  if ('status' in end) {
    const { status, relay = 'finished' } = end;
    return { status, reply: isSocks ? 0 : undefined, error: relay === 'finished' ? undefined : relay };
  }
  const { category, row, facts } = end.failure;
  // A client that has not come as far as its request is told in other words.
  const reply = isSocks && asked !== undefined ? (facts.replyCode ?? row.reply) : undefined;
  return { status: row.status, reply, error: category, rule: facts.rule };
}

function jsonLine(
  { client, method, bytes, through, rule }: LoggedRequest,
  target: string | undefined,
  fields: Fields,
): string {
  const { remoteAddress, user, listener } = client;
  const { startedAt, status, reply, error, ms } = fields;
  // In this order; what is undefined is left out.
  const line = JSON.stringify({
    time: new Date(startedAt).toISOString(),
    listener,
    client: remoteAddress,
    user,
    method,
    target,
    status,
    reply,
    error,
    sent: bytes?.sent ?? 0,
    received: bytes?.received ?? 0,
    ms,
    upstream: through,
    rule: rule ?? fields.rule,
  });
  return `${line}\n`;
}

/** The common log format of the NCSA's server: host, ident, user, time, request line, status, bytes to the client. */
function commonLine({ client, method, bytes }: LoggedRequest, target: string | undefined, fields: Fields): string {
  const { remoteAddress = '-', user } = client;
  const who = `${remoteAddress} - ${user === undefined ? '-' : escaped(user, NOT_IN_WORDS)}`;
  const asked =
    method === undefined ? '-' : commonRequest(method, target === undefined ? '-' : escaped(target, NOT_IN_QUOTES));
  return `${who} [${commonTime(fields.startedAt)}] "${asked}" ${fields.status} ${bytes?.received ?? 0}\n`;
}

/** Three words, as readers of the format expect them: method, target, protocol. */
function commonRequest(method: string, target: string): string {
  if (method === 'SOCKS5') return `CONNECT ${target} SOCKS/5`;
  return method === 'tunnel' ? `CONNECT ${target} TCP` : `${method} ${target} HTTP/1.1`;
}

const NOT_IN_QUOTES = /[^\x20-\x7e]|["\\]/gu;
const NOT_IN_WORDS = /[^\x21-\x7e]|["\\]/gu;

/** As Apache's server writes it: a line stays a line, and has as many fields as it should. */
function escaped(text: string, pattern: RegExp): string {
  return text.replace(pattern, (character) =>
    Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `22/Nov/2026:13:24:00 +0000` */
function commonTime(milliseconds: number): string {
  const iso = new Date(milliseconds).toISOString();
  const month = MONTHS[Number(iso.slice(5, 7)) - 1] ?? '';
  return `${iso.slice(8, 10)}/${month}/${iso.slice(0, 4)}:${iso.slice(11, 19)} +0000`;
}

function withoutQuery(url: string): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

function shortened(text: string): string {
  return text.length <= MAX_TARGET ? text : `${text.slice(0, MAX_TARGET)}…`;
}

/** User information in a URL, which may be a password. */
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/?]*@/i;

/** What a request that was read asks for, as {@link LoggedRequest.asked} has it. */
export function askedBy({ method, target, host }: Pick<RequestHead, 'method' | 'target' | 'host'>): string {
  if (method === 'CONNECT') return target;
  const isUrl = !target.startsWith('/') && target !== '*';
  const url = isUrl || host === undefined ? target : `http://${host}${target}`;
  return url.replace(USER_INFO, '$1');
}
