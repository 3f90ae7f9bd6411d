import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import {
  AddressType,
  encodeTarget,
  formatAddress,
  parseAddress,
  parseIp,
  parseSocks5Target,
  decodeTarget,
} from './address.js';
import { Socks5Error } from './socks5-error.js';

const invalidTarget: unknown = expect.objectContaining({ code: 'SOCKS5.INVALID_TARGET' });

function refusal(host: string): unknown {
  try {
    return parseAddress(host);
  } catch (error) {
    return error;
  }
}

describe('parseAddress', () => {
  it('encodes IPv4 literals as four bytes', () => {
    expect(parseAddress('192.0.2.255')).toEqual({ type: AddressType.ipv4, bytes: Uint8Array.of(192, 0, 2, 255) });
  });

  it.each(['127.1', '0x7f.0.0.1', '2130706433', '010.0.0.1', '1.2.3.256', '1.2.3.4.', '1.2.3', '1.2.3.4.5', '1..2.3'])(
    'sends %s as the name that it is, since programs disagree on what it means',
    (host) => {
      expect(parseAddress(host)).toEqual({ type: AddressType.domain, bytes: new TextEncoder().encode(host) });
    },
  );

  it.each([
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::8:800:200c:417a', '20010db80000000000080800200c417a'],
    ['2001:DB8:0:0:8:800:200C:417A', '20010db80000000000080800200c417a'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['64:ff9b::203.0.113.9', '0064ff9b0000000000000000cb007109'],
  ])('parses the IPv6 literal %s as sixteen bytes', (host, hex) => {
    expect(parseAddress(host)).toEqual({ type: AddressType.ipv6, bytes: Uint8Array.from(Buffer.from(hex, 'hex')) });
  });

  it.each([
    'fe80::1%eth0',
    '::1%25.example.com',
    '1::2::3',
    '1:2:3:4::5:6:7:8',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '::1.2.3',
    '1.2.3.4::',
    'g::',
    ':1:2:3:4:5:6:7',
  ])('refuses %s, which looks like an IPv6 address and is none', (host) => {
    expect(refusal(host)).toEqual(invalidTarget);
  });

  it('accepts a name of 255 bytes and refuses one of 256', () => {
    expect(parseAddress('a'.repeat(255)).bytes).toHaveLength(255);
    expect(refusal('a'.repeat(256))).toEqual(invalidTarget);
    expect(refusal('é'.repeat(128))).toEqual(invalidTarget);
  });

  it.each(['', 'a b', 'a\0b', 'a\r\nb', 'a\tb', 'a\x7fb', 'user@host', 'a/b', '[::1]', 'a%41', '\ud800'])(
    'refuses the host %j',
    (host) => {
      expect(refusal(host)).toEqual(invalidTarget);
    },
  );

  it('agrees with node:net on what an address is', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.domain()), (host) => {
        const expected = isIPv4(host) ? AddressType.ipv4 : isIPv6(host) ? AddressType.ipv6 : AddressType.domain;
        expect(parseAddress(host).type).toBe(expected);
      }),
    );
  });
});

describe('parseSocks5Target', () => {
  it.each([0, -1, 65_536, 2 ** 32 + 443, 1.5, NaN])('refuses the port %d', (port) => {
    expect(() => parseSocks5Target('example.com', port)).toThrow(Socks5Error);
  });

  it.each([1, 443, 65_535])('accepts the port %d', (port) => {
    expect(parseSocks5Target('example.com', port).port).toBe(port);
  });
});

describe('formatAddress', () => {
  it.each([
    '192.0.2.1',
    '::',
    '::1',
    '2001:db8::1',
    '1:0:0:2::3',
    '::ffff:192.0.2.1',
    'example.com',
    '2001:db8:0:1:1:1:1:1',
  ])('formats %s unchanged', (host) => {
    expect(formatAddress(parseAddress(host))).toBe(host);
  });

  it('returns text that parses to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        const text = formatAddress({ type: AddressType.ipv6, bytes });
        expect(isIPv6(text)).toBe(true);
        expect(parseAddress(text).bytes).toEqual(bytes);
      }),
    );
  });
});

describe('parseIp', () => {
  it.each(['10.0.0.1', '255.255.255.255', '2001:db8::1'])('parses %s', (text) => {
    expect(parseIp(text)?.toString()).toBe(text);
  });

  it.each(['127.1', '010.0.0.1', '1.2.3.256', 'a.test', ''])('does not parse %j, which is a name', (text) => {
    expect(parseIp(text)).toBeUndefined();
  });
});

describe('decodeTarget', () => {
  const anyTarget = fc.record({
    host: fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain()),
    port: fc.integer({ min: 1, max: 65_535 }),
  });

  it('reads what encodeTarget wrote, at any offset and whatever follows', () => {
    fc.assert(
      fc.property(anyTarget, fc.nat(20), fc.uint8Array({ maxLength: 20 }), ({ host, port }, offset, tail) => {
        const target = parseSocks5Target(host, port);
        const encoded = encodeTarget(target);
        const bytes = Buffer.concat([new Uint8Array(offset), encoded, tail]);
        expect(decodeTarget(bytes, offset)).toEqual({ target, end: offset + encoded.length });
      }),
    );
  });

  it('wants more while a byte is missing', () => {
    fc.assert(
      fc.property(anyTarget, ({ host, port }) => {
        const bytes = encodeTarget(parseSocks5Target(host, port));
        for (let length = 0; length < bytes.length; length += 1) {
          expect(decodeTarget(bytes.subarray(0, length), 0)).toBeUndefined();
        }
      }),
    );
  });

  it('reports every unknown type of address', () => {
    for (let type = 0; type < 256; type += 1) {
      const known = type === 1 || type === 3 || type === 4;
      expect(decodeTarget(Uint8Array.of(type, ...new Uint8Array(20)), 0) === 'unknownType').toBe(!known);
    }
  });
});
