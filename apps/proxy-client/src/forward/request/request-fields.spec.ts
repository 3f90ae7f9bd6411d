import { collectFields } from './request-fields.js';

const collect = (fields: readonly (readonly [string, string])[], method = 'GET') =>
  collectFields({ method, httpVersionMinor: 1, rawHeaders: fields.flat() });

describe('collectFields', () => {
  it('keeps end-to-end fields in their order, case and bytes (RFC 9110, section 5.3)', () => {
    const { kept } = collect([
      ['x-B', '1'],
      ['Cookie', 'a=\xe9\xff'],
      ['X-b', '2'],
      ['X-Empty', ''],
      ['Via', '1.1 other'],
      ['Authorization', 'Basic x'],
      ['Expect', '100-continue'],
      ['Trailer', 'X-Sum'],
    ]);
    expect(kept).toBe(
      'x-B: 1\r\nCookie: a=\xe9\xff\r\nX-b: 2\r\nX-Empty: \r\nVia: 1.1 other\r\nAuthorization: Basic x\r\n' +
        'Expect: 100-continue\r\nTrailer: X-Sum\r\n',
    );
  });

  it('drops what ends here, in any case of letters (RFC 9110, section 7.6.1)', () => {
    const { kept } = collect([
      ['CONNECTION', 'keep-alive'],
      ['keep-alive', 'timeout=5'],
      ['Proxy-Connection', 'keep-alive'],
      ['proxy-AUTHORIZATION', 'Basic c2VjcmV0'],
      ['Proxy-Authenticate', 'x'],
      ['Proxy-Anything', 'x'],
      ['TE', 'trailers'],
      ['Transfer-Encoding', 'chunked'],
      ['Upgrade', 'h2c'],
      ['Host', 'a'],
      ['Content-Length', '5'],
      ['X', 'y'],
    ]);
    expect(kept).toBe('X: y\r\n');
  });

  it('drops what Connection names, wherever it stands, on several lines too (RFC 9110, section 7.6.1)', () => {
    const { kept, connection } = collect([
      ['X-Hop', '1'],
      ['Connection', 'close, X-HOP'],
      ['x-hop', '2'],
      ['X-End', '3'],
      ['Connection', ' authorization ,, x-other'],
      ['Authorization', 'Basic x'],
      ['X-Other', '4'],
    ]);
    expect(kept).toBe('X-End: 3\r\n');
    expect([...connection]).toEqual(['close', 'x-hop', 'authorization', 'x-other']);
  });

  it('still knows the framing and Host that Connection names (RFC 9110, section 7.6.1)', () => {
    const fields = collect([
      ['Connection', 'content-length, host, transfer-encoding'],
      ['Host', 'a'],
      ['Content-Length', '5'],
    ]);
    expect([fields.host, fields.contentLength, fields.kept]).toEqual(['a', '5', '']);
  });

  it('is not confused by Connection naming itself, and bounded with 10,000 names (CVE-2023-49606)', () => {
    expect(
      collect([
        ['Connection', 'Connection'],
        ['X', 'y'],
      ]).kept,
    ).toBe('X: y\r\n');
    const names = Array.from({ length: 10_000 }, (_, index) => `x-${index}`);
    const many = collect([['Connection', names.join(',')], ...names.map((name) => [name, '1'] as const), ['X', 'y']]);
    expect([many.kept, many.connection.size]).toEqual(['X: y\r\n', 10_000]);
  });

  it('tells what came twice and may not (RFC 9112, sections 3.2 and 6.3)', () => {
    expect(
      collect([
        ['Host', 'a'],
        ['host', 'a'],
      ]).repeated,
    ).toBe('host');
    expect(
      collect([
        ['Content-Length', '5'],
        ['Content-Length', '6'],
      ]).repeated,
    ).toBe('content-length');
    expect(
      collect([
        ['Transfer-Encoding', 'chunked'],
        ['Transfer-Encoding', 'chunked'],
      ]).repeated,
    ).toBe('transfer-encoding');
    const equal = collect([
      ['Content-Length', '5'],
      ['Content-Length', '5'],
    ]);
    expect([equal.repeated, equal.contentLength]).toEqual([undefined, '5']);
  });

  it('ignores Expect in HTTP/1.0 (RFC 9110, section 10.1.1)', () => {
    const rawHeaders = ['Expect', '100-continue', 'X', 'y'];
    expect(collectFields({ method: 'POST', httpVersionMinor: 0, rawHeaders }).kept).toBe('X: y\r\n');
  });

  it('takes Max-Forwards out of OPTIONS and TRACE only (RFC 9110, section 7.6.2)', () => {
    expect(collect([['Max-Forwards', '5']], 'TRACE')).toMatchObject({ maxForwards: '5', kept: '' });
    expect(
      collect(
        [
          ['Max-Forwards', '5'],
          ['Max-Forwards', '6'],
        ],
        'OPTIONS',
      ).repeated,
    ).toBe('max-forwards');
    expect(
      collect([
        ['Max-Forwards', '5'],
        ['Max-Forwards', '6'],
      ]),
    ).toMatchObject({
      maxForwards: undefined,
      repeated: undefined,
      kept: 'Max-Forwards: 5\r\nMax-Forwards: 6\r\n',
    });
  });
});
