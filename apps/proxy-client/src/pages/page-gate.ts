import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isTrustedHost } from '../listener/host-header.js';
import { PAC_PATH } from '../listener/pac-page.js';
import type { PageGuard } from './proxy-view.js';

export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** What can be written, and how. */
const WRITABLE = /^\/connections\/[^/?]+$/;
const WRITING = 'DELETE';
/** What tells nothing of whom the proxy serves, or is asked by programs that have no token; the files of the pages for people. */
const FOR_ALL = /^\/(?:pages\/.*|readyz|metrics|docs|docs\/.*|docs-json)?$/;

/**
 * Lets a request through to the pages: by a method that the page has, with one Host that is trusted (a browser on this machine
 * can be made to send anything here by DNS rebinding), a write not from another origin's page, and with the token where one
 * is asked for.
 *
 * @param guard - who may see what at the moment
 */
export function pageGate(guard: () => PageGuard, handler: PageHandler): PageHandler {
  return (request, response) => {
    const present = guard();
    const refusal =
      refusalOfMethod(request) ??
      refusalOfHost(request, present) ??
      refusalOfOrigin(request) ??
      refusalOfToken(request, present);
    if (refusal === undefined) handler(request, response);
    else answerText(response, refusal.status, refusal.text, refusal.headers);
  };
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

function refusalOfMethod(request: IncomingMessage): Refusal | undefined {
  const { method = '' } = request;
  if (WRITABLE.test(pathOf(request))) {
    if (method === WRITING) return undefined;
    return { status: 405, text: 'Only DELETE is possible here.', headers: { Allow: WRITING } };
  }
  if (READING.has(method)) return undefined;
  return { status: 405, text: 'Only GET and HEAD are possible here.', headers: { Allow: 'GET, HEAD' } };
}

function refusalOfHost(request: IncomingMessage, { allowedHosts }: PageGuard): Refusal | undefined {
  if (hostCount(request) !== 1 && request.httpVersion !== '1.0') {
    return { status: 400, text: 'The request needs one Host header.', headers: { Connection: 'close' } };
  }
  if (isTrustedHost(request.headers.host, allowedHosts)) return undefined;
  return {
    status: 403,
    text: 'Ask for this page by IP address or as localhost, or add the name to listen.allowedHosts.',
  };
}

function hostCount({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** A browser says from where a request comes (Fetch Metadata, Origin); what is no browser says nothing of it. */
function refusalOfOrigin({ method = '', headers }: IncomingMessage): Refusal | undefined {
  if (READING.has(method)) return undefined;
  const site = headers['sec-fetch-site'];
  const { origin, host } = headers;
  const isOwn = (site === undefined || site === 'same-origin' || site === 'none') && isOrigin(origin, host);
  return isOwn ? undefined : { status: 403, text: 'A page of another origin must not do this.' };
}

function isOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin === undefined || origin.toLowerCase() === `http://${host ?? ''}`.toLowerCase();
}

function refusalOfToken(request: IncomingMessage, { token, isPacOpen }: PageGuard): Refusal | undefined {
  const path = pathOf(request);
  if (token === undefined || FOR_ALL.test(path) || (isPacOpen && path === PAC_PATH)) return undefined;
  const [, given] = /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (given !== undefined && isSame(given, token)) return undefined;
  return {
    status: 401,
    text: 'This page asks for the admin token: Authorization: Bearer TOKEN. The log of the proxy says in which file it is.',
    headers: { 'WWW-Authenticate': 'Bearer realm="proxy-client admin"' },
  };
}

/** In a time that tells nothing of either. */
function isSame(given: string, token: string): boolean {
  return timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
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
