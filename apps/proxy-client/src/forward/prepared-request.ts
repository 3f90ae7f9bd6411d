import { ProxyFailure } from '../failure/proxy-failure.js';
import type { Target } from '../http/authority.js';
import type { FieldKind } from '../http/field-kind.js';
import { tidied } from '../http/field-lines.js';
import { malformed } from '../http/format-error.js';
import type { RequestFraming, RequestHead } from '../http/request-head.js';
import { authenticatesConnection } from './answer-head.js';
import { readTarget, type RequestTarget } from './request-target.js';
import { hasPassed, type Origin, type Origins } from './origins.js';

/** A request that may go out, with the head that goes to the origin. */
export interface PreparedRequest {
  readonly method: string;
  /** The minor version of the client's HTTP/1.x. */
  readonly minor: number;
  readonly target: Target;
  readonly asked: RequestTarget;
  readonly origin: Origin;
  readonly framing: RequestFraming;
  /** The head to the origin (latin1). */
  readonly head: string;
  /** The options of the client's Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** The protocol that it asks to switch to. */
  readonly upgrade: string | undefined;
  /** Whether sending it twice does what sending it once does (RFC 9110, section 9.2.2). */
  readonly idempotent: boolean;
  /** Whether the client may hold its body back until it gets a 100 (RFC 9110, section 10.1.1). */
  readonly expectsContinue: boolean;
  /** Whether it authenticates the connection it goes out on. */
  readonly authenticates: boolean;
}

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']);
const NUMBER = /^[0-9]{1,10}$/;

/** Fields that end here (RFC 9110, section 7.6.1), and those that are written anew. */
const ENDS_HERE: ReadonlySet<FieldKind> = new Set<FieldKind>([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy',
  'proxy-status',
  'te',
  'transfer-encoding',
  'upgrade',
]);
const WITH_MAX_FORWARDS: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'max-forwards']);
/** HTTP/1.0 has no Expect (RFC 9110, section 10.1.1): it is ignored, and ours would ask for what we could not relay. */
const OLD: ReadonlySet<FieldKind> = new Set<FieldKind>([...ENDS_HERE, 'expect']);
const OLD_WITH_MAX_FORWARDS: ReadonlySet<FieldKind> = new Set<FieldKind>([...WITH_MAX_FORWARDS, 'expect']);

/**
 * Checks a request and rewrites it for its origin; nothing was dialled yet.
 *
 * @returns undefined when the request ends at this proxy (Max-Forwards, RFC 9110, section 7.6.2)
 * @throws {@link FormatError}; {@link ProxyFailure} `scheme_not_supported` or `loop`
 */
export function prepareRequest(head: RequestHead, origins: Origins): PreparedRequest | undefined {
  const { method, minor, host, framing, via } = head;
  const target = readTarget(method, head.target, host);
  const origin = origins.to(target.authority);
  // RFC 9112, section 3.2: an invalid Host makes the request invalid, also where it is replaced.
  if (host !== undefined && host !== target.authority) origins.check(host);
  const maxForwards = nextMaxForwards(head.maxForwards);
  if (maxForwards === 'here') return undefined;
  if (via !== '' && origin.viaToken !== undefined && hasPassed(via, origin.viaToken)) throw new ProxyFailure('loop');
  return {
    method,
    minor,
    target: origin.target,
    asked: target,
    origin,
    framing,
    head: headToOrigin(head, target, origin, maxForwards),
    connection: head.connection,
    upgrade: head.switchesTo,
    idempotent: IDEMPOTENT.has(method),
    expectsContinue: minor === 1 && head.expect.toLowerCase() === '100-continue',
    authenticates: authenticatesConnection(head.authorization),
  };
}

function nextMaxForwards(value: string | undefined): number | 'here' | undefined {
  if (value === undefined) return undefined;
  if (!NUMBER.test(value)) throw malformed('Max-Forwards that is no number');
  const left = Number(value);
  return left === 0 ? 'here' : left - 1;
}

/**
 * The head of a request as it goes to the origin (latin1): Host first, then what the client sent, in its order and case,
 * then what is written anew. It is added last, so that nothing the client named in Connection can take it away again.
 */
function headToOrigin(
  head: RequestHead,
  { authority, path }: RequestTarget,
  { viaToken }: Origin,
  maxForwards: number | undefined,
): string {
  const { method, minor, lines } = head;
  const kept = lines.without(droppedKinds(minor, maxForwards !== undefined), head.connection, tidied);
  const forwards = maxForwards === undefined ? '' : `Max-Forwards: ${maxForwards}\r\n`;
  const via = viaToken === undefined ? '' : `Via: 1.${minor} ${viaToken}\r\n`;
  const added = framingLine(head) + forwards + via + connectionLines(head);
  return `${method} ${path} HTTP/1.1\r\nHost: ${authority}\r\n${kept}${added}\r\n`;
}

function droppedKinds(minor: number, limited: boolean): ReadonlySet<FieldKind> {
  if (minor === 0) return limited ? OLD_WITH_MAX_FORWARDS : OLD;
  return limited ? WITH_MAX_FORWARDS : ENDS_HERE;
}

function framingLine({ framing, contentLength }: RequestHead): string {
  if (framing === 'chunked') return 'Transfer-Encoding: chunked\r\n';
  return contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`;
}

/** RFC 9110, sections 7.6.1, 7.8 and 10.1.4: what is for the next connection only, because we do it too. */
function connectionLines({ te, switchesTo }: RequestHead): string {
  if (switchesTo !== undefined) return `Connection: Upgrade\r\nUpgrade: ${switchesTo}\r\n`;
  return te !== '' && acceptsTrailers(te) ? 'Connection: TE\r\nTE: trailers\r\n' : '';
}

function acceptsTrailers(te: string): boolean {
  return te
    .toLowerCase()
    .split(',')
    .some((coding) => coding.trim() === 'trailers');
}
