/**
 * The reason phrases of the statuses that the proxy itself returns (RFC 9110, section 15). node:http has this list too, but
 * loading it costs 13 MiB and 50 ms at start, and requests need nothing else of it.
 */
export const REASON_PHRASES: Readonly<Record<number, string>> = {
  200: 'OK',
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

let date = { second: 0, text: '' };

/** Returns the current time in the format of Date (RFC 9110, section 6.6.1), formatted once a second. */
export function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== date.second) date = { second, text: new Date(second * 1000).toUTCString() };
  return date.text;
}

/** Header fields in their order, by name. */
export type ResponseFields = Readonly<Record<string, string>>;

/** The form of a response of the proxy itself. */
export interface ResponseForm {
  /** Whether the connection stays open. */
  readonly keepAlive: boolean;
  /** False for HEAD. */
  readonly withBody: boolean;
}

/** Formats a complete response of the proxy itself; the body is in latin1, as the result is. */
export function ownResponse(
  status: number,
  fields: ResponseFields,
  body: string,
  { keepAlive, withBody }: ResponseForm,
): string {
  const added = {
    'Content-Length': String(body.length),
    Date: httpDate(),
    Connection: keepAlive ? 'keep-alive' : 'close',
  };
  const lines = Object.entries({ ...fields, ...added }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? ''}\r\n${lines.join('')}\r\n${withBody ? body : ''}`;
}
