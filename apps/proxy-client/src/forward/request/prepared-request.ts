import { ProxyFailure } from '../../failure/proxy-failure.js';
import type { Target } from '../../upstream/upstream.js';
import { authenticatesConnection } from '../response/answer-head.js';
import { nextMaxForwards } from './max-forwards.js';
import { collectFields, type RequestFields } from './request-fields.js';
import { badRequest } from './bad-request.js';
import { checkFraming, type CheckedRequest, type RequestBody } from './request-framing.js';
import { requestHead } from './request-head.js';
import { readTarget, type RequestTarget } from './request-target.js';
import type { Route, Routes } from './routes.js';
import { hasPassed } from './via.js';

/** What is read of a request: node:http's IncomingMessage has it. */
export interface ClientRequest extends CheckedRequest {
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}

/** A request that may go out, with the head that goes to the origin. */
export interface PreparedRequest {
  readonly method: string;
  /** The minor version of the client's HTTP/1.x. */
  readonly minor: number;
  readonly target: Target;
  readonly route: Route;
  readonly body: RequestBody;
  /** Options of Connection, in lower case. */
  readonly connection: ReadonlySet<string>;
  /** The head to the origin (latin1). */
  readonly head: string;
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

/**
 * Checks a request and rewrites it for its origin; nothing was dialled yet.
 *
 * @param upgrade - the protocol it is passed on as an upgrade to
 * @returns undefined when the request ends at this proxy (Max-Forwards, RFC 9110, section 7.6.2)
 * @throws {@link ProxyFailure} `bad_request`, `scheme_not_supported` or `loop`
 */
export function prepareRequest(request: ClientRequest, routes: Routes, upgrade?: string): PreparedRequest | undefined {
  const { method = '', url = '', httpVersionMinor: minor } = request;
  const fields = collectFields(request);
  const body = checkFraming(request, fields);
  if (upgrade !== undefined && body !== 'none') throw badRequest('body in a request for an upgrade');
  const target = readTarget(method, url, fields.host);
  const route = routes.to(target.authority);
  checkHost(fields, target, routes);
  const maxForwards = nextMaxForwards(fields.maxForwards);
  if (maxForwards === 'here') return undefined;
  checkLoop(fields, route);
  return {
    method,
    minor,
    target: route.target,
    route,
    body,
    connection: fields.connection,
    head: requestHead({ method, minor, target, fields, body, viaToken: route.viaToken, maxForwards, upgrade }),
    upgrade,
    idempotent: IDEMPOTENT.has(method),
    expectsContinue: minor === 1 && fields.expect.toLowerCase() === '100-continue',
    authenticates: authenticatesConnection(fields.authorization),
  };
}

function checkHost({ host }: RequestFields, { authority }: RequestTarget, routes: Routes): void {
  if (host !== undefined && host !== authority) routes.check(host);
}

function checkLoop({ via }: RequestFields, { viaToken }: Route): void {
  if (via !== '' && viaToken !== undefined && hasPassed(via, viaToken)) throw new ProxyFailure('loop');
}
