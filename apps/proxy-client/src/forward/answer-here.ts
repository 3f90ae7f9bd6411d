import type { RequestHead } from '../http/request-head.js';
import type { ForwardClient } from './client.js';

/** What a proxy can do, for OPTIONS. */
const METHODS = 'GET, HEAD, POST, PUT, DELETE, PATCH, CONNECT, OPTIONS, TRACE';

/** Fields that TRACE does not give back: they may hold secrets (RFC 9110, section 9.3.8). */
const SECRET = /^cookie|authorization|token|api-?key/i;

/** Answers OPTIONS and TRACE whose Max-Forwards ends here (RFC 9110, section 7.6.2): no origin is asked. */
export function answerHere(head: RequestHead, client: ForwardClient): void {
  if (head.method === 'TRACE') {
    const body = received(head);
    client.answer(200, `Content-Type: message/http\r\nContent-Length: ${body.length}\r\n`, body);
  } else client.answer(200, `Allow: ${METHODS}\r\nContent-Length: 0\r\n`, '');
}

function received({ method, target, minor, lines }: RequestHead): string {
  let text = `${method} ${target} HTTP/1.${minor}\r\n`;
  for (let line = 0; line < lines.length; line += 1) {
    const name = lines.name(line);
    if (!SECRET.test(name)) text += `${name}: ${lines.value(line)}\r\n`;
  }
  return `${text}\r\n`;
}
