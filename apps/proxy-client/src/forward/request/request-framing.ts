import { parseContentLength } from '../wire/content-length.js';
import { badRequest } from './bad-request.js';
import type { RequestFields } from './request-fields.js';

/** How a request's body is delimited. */
export type RequestBody = 'none' | 'length' | 'chunked';

/** What of a request the checks look at: node:http's IncomingMessage has it. */
export interface CheckedRequest {
  readonly method?: string | undefined;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
}

const CHUNKED = /^chunked$/i;
/** RFC 9110, sections 9.3.6 and 9.3.8. */
const WITHOUT_BODY: ReadonlySet<string> = new Set(['CONNECT', 'TRACE']);

/**
 * Checks a request's framing before anything of it goes anywhere: node:http hands a request over before it refuses some
 * of these, and takes others. What the origin could read in another way is refused.
 *
 * @throws {@link ProxyFailure} `bad_request`
 */
export function checkFraming(request: CheckedRequest, fields: RequestFields): RequestBody {
  checkVersion(request);
  checkRepeated(request, fields);
  const body = bodyOf(request, fields);
  if (body !== 'none' && WITHOUT_BODY.has(request.method ?? '')) throw badRequest('body in a request that has none');
  return body;
}

/** RFC 9112, section 2.3: HTTP/0.9 and HTTP/2.0 have other framing; llhttp takes both. */
function checkVersion({ httpVersionMajor, httpVersionMinor }: CheckedRequest): void {
  if (httpVersionMajor !== 1 || (httpVersionMinor !== 1 && httpVersionMinor !== 0)) {
    throw badRequest('HTTP version other than 1.0 and 1.1');
  }
}

/** RFC 9112, section 3.2 (Host) and section 6.3 (framing). */
function checkRepeated({ httpVersionMinor }: CheckedRequest, { repeated, host }: RequestFields): void {
  if (repeated !== undefined) throw badRequest(`repeated ${repeated}`);
  if (host === undefined && httpVersionMinor === 1) throw badRequest('no Host');
}

/** RFC 9112, sections 6.1 to 6.3. */
function bodyOf({ httpVersionMinor }: CheckedRequest, fields: RequestFields): RequestBody {
  const { contentLength, transferEncoding } = fields;
  if (transferEncoding !== undefined) {
    if (!CHUNKED.test(transferEncoding)) throw badRequest('Transfer-Encoding other than chunked');
    if (httpVersionMinor !== 1) throw badRequest('Transfer-Encoding in HTTP/1.0');
    if (contentLength !== undefined) throw badRequest('Content-Length with Transfer-Encoding');
    return 'chunked';
  }
  if (contentLength === undefined) return 'none';
  const length = parseContentLength(contentLength);
  if (length === undefined) throw badRequest('Content-Length that is no length');
  return length === 0 ? 'none' : 'length';
}
