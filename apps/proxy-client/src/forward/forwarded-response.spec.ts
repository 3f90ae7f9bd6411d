import fc from 'fast-check';
import { originStatus } from './forwarded-response.js';

describe('originStatus', () => {
  it.each([
    'other; error=dns_error',
    'a.example; error=x; details="proxy-client; error=y, proxy-client", b',
    '"quoted name"; details="a \\" b"',
    'proxy-client2; error=x',
    'x;proxy-client',
  ])('leaves %s unchanged', (value) => {
    expect(originStatus(value)).toBe(value);
  });

  it.each([
    ['proxy-client; error=dns_error', '"proxy-client (origin)"; error=dns_error'],
    ['Proxy-Client', '"proxy-client (origin)"'],
    ['"proxy-client";error=x', '"proxy-client (origin)";error=x'],
    [
      'other, proxy-client; details="a, b"; error=x,\t"third"; y',
      'other, "proxy-client (origin)"; details="a, b"; error=x,\t"third"; y',
    ],
    ['" PROXY-client "', '"proxy-client (origin)"'],
  ])('marks the member of %s that has our name', (value, marked) => {
    expect(originStatus(value)).toBe(marked);
  });

  it.each(['x; details="a', 'a", proxy-client; error=x', 'a,,b', ',', 'x; details="a\\"'])(
    'drops %s, which is not a list',
    (value) => {
      expect(originStatus(value)).toBeUndefined();
    },
  );

  it('never forwards a member with our name, whatever the other lines contain', () => {
    const piece = fc.constantFrom(
      'proxy-client',
      '"',
      '\\',
      ',',
      ';',
      ' ',
      'a',
      'error=x',
      '"b"',
      'Proxy-Client',
      '="c, ',
    );
    const line = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('').trim());
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const kept = lines.map(originStatus).filter((value) => value !== undefined);
        const unquoted = kept
          .join(', ')
          .replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => (/^"[ ]*proxy-client[ ]*"$/i.test(text) ? text : '""'));
        expect(unquoted.split(',')).not.toContainEqual(
          expect.stringMatching(/^[ \t]*"?[ ]*proxy-client[ ]*"?[ \t]*(;|$)/i),
        );
      }),
    );
  });
});
