import { collectFields } from './request-fields.js';
import { requestHead, type RequestHeadOptions } from './request-head.js';

function head(fields: readonly (readonly [string, string])[], options: Partial<RequestHeadOptions> = {}): string {
  return requestHead({
    method: 'GET',
    minor: 1,
    target: { authority: 'A:81', path: '/p?q' },
    fields: collectFields({ method: 'GET', httpVersionMinor: 1, rawHeaders: fields.flat() }),
    body: 'none',
    viaToken: undefined,
    maxForwards: undefined,
    ...options,
  });
}

describe('requestHead', () => {
  it('writes Host from the target, not from the client (RFC 9112, section 3.2.2)', () => {
    expect(
      head([
        ['X', '1'],
        ['Host', 'evil'],
        ['Y', '2'],
      ]),
    ).toBe('GET /p?q HTTP/1.1\r\nHost: A:81\r\nX: 1\r\nY: 2\r\n\r\n');
  });

  it('writes framing anew, also when Connection named it (RFC 9110, section 7.6.1)', () => {
    const named = ['Connection', 'content-length, transfer-encoding, host, via'] as const;
    expect(head([named, ['Content-Length', '5']], { body: 'length', viaToken: 'me' })).toBe(
      'GET /p?q HTTP/1.1\r\nHost: A:81\r\nContent-Length: 5\r\nVia: 1.1 me\r\n\r\n',
    );
    expect(head([named, ['Transfer-Encoding', 'Chunked']], { body: 'chunked' })).toBe(
      'GET /p?q HTTP/1.1\r\nHost: A:81\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    expect(head([['Content-Length', '0']])).toContain('\r\nContent-Length: 0\r\n');
  });

  it('adds itself to Via with the version it was asked in (RFC 9110, section 7.6.3)', () => {
    expect(head([['Via', '1.0 first']], { viaToken: 'me', minor: 0 })).toContain(
      '\r\nVia: 1.0 first\r\nVia: 1.0 me\r\n',
    );
  });

  it('passes TE: trailers on, and no other coding (RFC 9110, section 10.1.4)', () => {
    expect(head([['TE', 'gzip;q=0.5, Trailers']])).toContain('\r\nConnection: TE\r\nTE: trailers\r\n');
    expect(head([['TE', 'gzip']])).not.toContain('TE');
  });

  it('writes Max-Forwards and Upgrade anew (RFC 9110, sections 7.6.2 and 7.8)', () => {
    expect(head([], { maxForwards: 4 })).toContain('\r\nMax-Forwards: 4\r\n');
    expect(head([['Upgrade', 'websocket, h2c']], { upgrade: 'websocket' })).toContain(
      '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
  });
});
