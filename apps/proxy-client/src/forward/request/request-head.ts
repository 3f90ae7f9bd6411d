import type { RequestFields } from './request-fields.js';
import type { RequestBody } from './request-framing.js';
import type { RequestTarget } from './request-target.js';

export interface RequestHeadOptions {
  readonly method: string;
  /** The minor version of the client's HTTP/1.x, for Via. */
  readonly minor: number;
  readonly target: RequestTarget;
  readonly fields: RequestFields;
  readonly body: RequestBody;
  /** This proxy's name in Via; without it none is added. */
  readonly viaToken: string | undefined;
  readonly maxForwards: number | undefined;
  /** The protocol to switch to, when the request is passed on as an upgrade. */
  readonly upgrade?: string | undefined;
}

/**
 * The head of a request as it goes to the origin (latin1): Host first, then what the client sent, in its order and case,
 * then what is written anew. It is added last, so that nothing the client named in Connection can take it away again.
 */
export function requestHead(options: RequestHeadOptions): string {
  const { method, target, fields } = options;
  return (
    `${method} ${target.path} HTTP/1.1\r\nHost: ${target.authority}\r\n${fields.kept}` +
    `${framing(options.body, fields)}${routing(options)}\r\n`
  );
}

function framing(body: RequestBody, { contentLength }: RequestFields): string {
  if (body === 'chunked') return 'Transfer-Encoding: chunked\r\n';
  return contentLength === undefined ? '' : `Content-Length: ${contentLength}\r\n`;
}

function routing({ minor, fields, viaToken, maxForwards, upgrade }: RequestHeadOptions): string {
  const forwards = maxForwards === undefined ? '' : `Max-Forwards: ${maxForwards}\r\n`;
  const via = viaToken === undefined ? '' : `Via: 1.${minor} ${viaToken}\r\n`;
  return forwards + via + connection(fields, upgrade);
}

/** RFC 9110, sections 7.6.1, 7.8 and 10.1.4: what is for the next connection only, because we do it too. */
function connection({ te }: RequestFields, upgrade: string | undefined): string {
  if (upgrade !== undefined) return `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\n`;
  return te !== '' && acceptsTrailers(te) ? 'Connection: TE\r\nTE: trailers\r\n' : '';
}

function acceptsTrailers(te: string): boolean {
  return te
    .toLowerCase()
    .split(',')
    .some((coding) => coding.trim() === 'trailers');
}
