import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTrustedHost } from '../listener/host-header.js';

export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Lets a request through to pages that can only be read: by GET or HEAD, with one Host that is trusted. A browser on this
 * machine can be made to send anything here by DNS rebinding, hence the last.
 *
 * @param allowedHosts - names trusted beside addresses and localhost
 */
export function pageGate(allowedHosts: readonly string[], handler: PageHandler): PageHandler {
  const trusted = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (request, response) => {
    const { method = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') {
      answerText(response, 405, 'Only GET and HEAD are possible here.', { Allow: 'GET, HEAD' });
    } else if (hostCount(request) !== 1 && request.httpVersion !== '1.0') {
      answerText(response, 400, 'The request needs one Host header.', { Connection: 'close' });
    } else if (isTrustedHost(request.headers.host, trusted)) handler(request, response);
    else {
      answerText(
        response,
        403,
        'Ask for this page by IP address or as localhost, or add the name to listen.allowedHosts.',
      );
    }
  };
}

function hostCount({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** Answers with one line of text; what the client still sends as a body is not waited for. */
export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = `${text}\n`;
  response.writeHead(status, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...(response.req.complete ? {} : { Connection: 'close' }),
    ...headers,
  });
  response.end(body);
}
