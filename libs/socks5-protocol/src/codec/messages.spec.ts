import fc from 'fast-check';
import { encodeCredentials, readCredentials } from './messages.js';
import { Socks5Error } from './socks5-error.js';

describe('encodeCredentials', () => {
  it('writes the frame of RFC 1929', () => {
    expect(encodeCredentials({ username: 'me', password: 'pw1' })).toEqual(
      Uint8Array.from([1, 2, 0x6d, 0x65, 3, 0x70, 0x77, 0x31]),
    );
  });

  it('counts bytes, not characters: 255 are taken, 256 and none are refused', () => {
    expect(encodeCredentials({ username: 'u'.repeat(255), password: 'é'.repeat(127) })).toHaveLength(3 + 255 + 254);
    for (const wrong of ['', 'u'.repeat(256), 'é'.repeat(128)]) {
      expect(() => encodeCredentials({ username: wrong, password: 'p' })).toThrow(Socks5Error);
      expect(() => encodeCredentials({ username: 'u', password: wrong })).toThrow(Socks5Error);
    }
  });

  it('names no secret when it refuses one', () => {
    expect(() => encodeCredentials({ username: 'u', password: 'secret'.repeat(50) })).toThrow(
      'The SOCKS5 password has 300 bytes; it must have 1 to 255.',
    );
  });
});

describe('readCredentials', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((value) => value.isWellFormed());

  it('reads what encodeCredentials wrote and wants more before', () => {
    fc.assert(
      fc.property(text, text, fc.uint8Array({ maxLength: 9 }), (username, password, tail) => {
        const frame = encodeCredentials({ username, password });
        const bytes = Uint8Array.from([...frame, ...tail]);
        expect(readCredentials(bytes)).toEqual({ credentials: { username, password }, end: frame.length });
        for (let length = 0; length < frame.length; length += 1) {
          expect(readCredentials(frame.subarray(0, length))).toBeUndefined();
        }
      }),
    );
  });
});
