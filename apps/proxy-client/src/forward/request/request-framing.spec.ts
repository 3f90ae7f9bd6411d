import { ProxyFailure } from '../../failure/proxy-failure.js';
import { ODD_TRANSFER_ENCODINGS } from '../../../../../test/support/transfer-encodings.js';
import { collectFields } from './request-fields.js';
import { checkFraming } from './request-framing.js';

type Fields = readonly (readonly [string, string])[];

function check(fields: Fields, { method = 'POST', version = '1.1' } = {}): string {
  const [major, minor] = version.split('.').map(Number);
  try {
    const rawHeaders = [...fields, ['Host', 'a']].flat();
    const request = { method, httpVersionMajor: major!, httpVersionMinor: minor!, rawHeaders };
    return checkFraming(request, collectFields(request));
  } catch (error) {
    return error instanceof ProxyFailure ? `${error.category}: ${error.facts.detail}` : String(error);
  }
}

describe('checkFraming (RFC 9112, section 6)', () => {
  it.each<[Fields, string]>([
    [[], 'none'],
    [[['Content-Length', '0']], 'none'],
    [[['Content-Length', '5']], 'length'],
    [
      [
        ['Content-Length', '5'],
        ['content-length', '5'],
      ],
      'length',
    ],
    [[['Content-Length', '9007199254740991']], 'length'],
    [[['Transfer-Encoding', 'chunked']], 'chunked'],
    [[['transfer-encoding', 'CHUNKED']], 'chunked'],
  ])('takes %j', (fields, body) => {
    expect(check(fields)).toBe(body);
  });

  it.each(ODD_TRANSFER_ENCODINGS.filter((value) => !value.includes('\r\n')))(
    'refuses Transfer-Encoding %j (section 6.1)',
    (value) => {
      expect(check([['Transfer-Encoding', value]])).toBe('bad_request: Transfer-Encoding other than chunked');
    },
  );

  it.each<[string, Fields, string]>([
    [
      'two Transfer-Encodings',
      [
        ['Transfer-Encoding', 'chunked'],
        ['Transfer-Encoding', 'chunked'],
      ],
      'repeated transfer-encoding',
    ],
    [
      'both (section 6.3)',
      [
        ['Content-Length', '5'],
        ['Transfer-Encoding', 'chunked'],
      ],
      'Content-Length with Transfer-Encoding',
    ],
    [
      'lengths that differ',
      [
        ['Content-Length', '5'],
        ['Content-Length', '6'],
      ],
      'repeated content-length',
    ],
    ['a list of lengths', [['Content-Length', '5, 5']], 'Content-Length that is no length'],
    ['a signed length', [['Content-Length', '+5']], 'Content-Length that is no length'],
    ['no length', [['Content-Length', '']], 'Content-Length that is no length'],
    ['2^53 bytes', [['Content-Length', '9007199254740992']], 'Content-Length that is no length'],
    ['2^64 bytes', [['Content-Length', '18446744073709551616']], 'Content-Length that is no length'],
    ['two Hosts (section 3.2)', [['Host', 'b']], 'repeated host'],
  ])('refuses %s', (_, fields, detail) => {
    expect(check(fields)).toBe(`bad_request: ${detail}`);
  });

  it.each(['0.9', '2.0', '1.2', '3.0'])('refuses HTTP/%s (section 2.3)', (version) => {
    expect(check([], { version })).toBe('bad_request: HTTP version other than 1.0 and 1.1');
  });

  it('refuses Transfer-Encoding in HTTP/1.0 (section 6.1)', () => {
    expect(check([['Transfer-Encoding', 'chunked']], { version: '1.0' })).toBe(
      'bad_request: Transfer-Encoding in HTTP/1.0',
    );
  });

  it('wants Host in HTTP/1.1 only (section 3.2)', () => {
    const bare = (minor: number) => () => {
      const request = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: minor, rawHeaders: [] };
      return checkFraming(request, collectFields(request));
    };
    expect(bare(1)).toThrow(ProxyFailure);
    expect(bare(0)()).toBe('none');
  });

  it.each(['CONNECT', 'TRACE'])('refuses a body with %s (RFC 9110, sections 9.3.6 and 9.3.8)', (method) => {
    expect(check([['Content-Length', '5']], { method })).toBe('bad_request: body in a request that has none');
    expect(check([['Transfer-Encoding', 'chunked']], { method })).toBe('bad_request: body in a request that has none');
    expect(check([['Content-Length', '0']], { method })).toBe('none');
  });
});
