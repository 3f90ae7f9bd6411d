import type { IncomingMessage, ServerResponse } from 'node:http';

/** What a proxy can do, for OPTIONS. */
const METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, CONNECT, OPTIONS, TRACE';

/** Fields that TRACE does not give back: they may hold secrets (RFC 9110, section 9.3.8). */
const SECRET = /^(?:.*authorization.*|cookie.*|.*token.*|.*api-?key.*)$/i;

/** Answers OPTIONS and TRACE whose Max-Forwards ends here (RFC 9110, section 7.6.2): no origin is asked. */
export function answerHere(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'TRACE') {
    response.writeHead(200, { Allow: METHODS, 'Content-Length': '0' }).end();
    return;
  }
  const body = Buffer.from(received(request), 'latin1');
  response.writeHead(200, { 'Content-Type': 'message/http', 'Content-Length': String(body.length) }).end(body);
}

function received({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let text = `${method ?? ''} ${url ?? ''} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!SECRET.test(name)) text += `${name}: ${rawHeaders[index + 1] ?? ''}\r\n`;
  }
  return `${text}\r\n`;
}
