import fc from 'fast-check';
import { othersStatus } from './proxy-status.js';

describe('othersStatus', () => {
  it.each([
    'other; error=dns_error',
    'a.example; error=x; details="proxy-client; error=y, proxy-client", b',
    '"quoted name"; details="a \\" b"',
    'proxy-client2; error=x',
    'x;proxy-client',
  ])('leaves %s as it is', (value) => {
    expect(othersStatus(value)).toBe(value);
  });

  it.each([
    ['proxy-client; error=dns_error', undefined],
    ['Proxy-Client', undefined],
    ['"proxy-client"; error=x', undefined],
    ['other, proxy-client; details="a, b"; error=x,\t"third"; y', 'other, "third"; y'],
    ['proxy-client;error=x , other', 'other'],
    ['proxy-client , "PROXY-client"', undefined],
  ])('drops of %s what bears our name', (value, kept) => {
    expect(othersStatus(value)).toBe(kept);
  });

  it.each(['x; details="a', 'a", proxy-client; error=x', 'a,,b', ',', 'x; details="a\\"'])(
    'drops %s, which is no list',
    (value) => {
      expect(othersStatus(value)).toBeUndefined();
    },
  );

  it('lets no line make a member of our name, whatever stands in the lines beside it', () => {
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
        const kept = lines.map(othersStatus).filter((value) => value !== undefined);
        const unquoted = kept
          .join(', ')
          .replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => (/^"proxy-client"$/i.test(text) ? text : '""'));
        expect(unquoted.split(',')).not.toContainEqual(expect.stringMatching(/^[ \t]*"?proxy-client"?[ \t]*(;|$)/i));
      }),
    );
  });
});
