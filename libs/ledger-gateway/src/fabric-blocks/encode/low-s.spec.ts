import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { isLowS, lowS } from './low-s.js';

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** DER with the fewest bytes, written independently of the code under test. */
function der(r: bigint, s: bigint): Buffer {
  const integer = (value: bigint) => {
    const digits = value.toString(16);
    const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
    const content = (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
    return Buffer.concat([Buffer.from([2, content.length]), content]);
  };
  const content = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

describe('lowS', () => {
  it('keeps signatures valid and makes every S low', () => {
    let changed = 0;
    for (let index = 0; index < 200; index++) {
      const message = Buffer.from([index]);
      const signature = sign('sha256', message, privateKey);
      const low = lowS(signature);
      expect(isLowS(low)).toBe(true);
      expect(verify('sha256', message, publicKey, low)).toBe(true);
      if (low !== signature) changed++;
      expect(isLowS(signature)).toBe(low === signature);
    }
    expect(changed).toBeGreaterThan(50);
  });

  it('returns n - S for every S above half of n, as the shortest DER', () => {
    const number = fc.oneof(
      fc.bigInt({ min: 1n, max: ORDER - 1n }),
      fc.bigInt({ min: 1n, max: 0x10000n }),
      fc.bigInt({ min: 1n, max: 0x10000n }).map((small) => ORDER - small),
      fc.constantFrom(ORDER / 2n, ORDER / 2n + 1n, 0x7fn, 0x80n, 0xffn, 0x100n),
    );
    fc.assert(
      fc.property(number, number, (r, s) => {
        const expected = s > ORDER / 2n ? ORDER - s : s;
        expect(Buffer.from(lowS(der(r, s))).toString('hex')).toBe(der(r, expected).toString('hex'));
        expect(isLowS(der(r, s))).toBe(s <= ORDER / 2n);
      }),
      { numRuns: 500 },
    );
  });

  const good = der(1n, 1n);
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another tag', Buffer.from([0x31, ...good.subarray(1)])],
    ['a wrong length', Buffer.from([0x30, 7, ...good.subarray(2)])],
    ['bytes behind it', Buffer.concat([good, Buffer.from([0])])],
    ['bytes behind S', Buffer.from([0x30, 7, 2, 1, 1, 2, 1, 1, 0])],
    ['S missing', Buffer.from([0x30, 3, 2, 1, 1])],
    ['S cut off', Buffer.from([0x30, 5, 2, 1, 1, 2, 1])],
    ['an empty number', Buffer.from([0x30, 5, 2, 0, 2, 1, 1])],
    ['a negative number', Buffer.from([0x30, 6, 2, 1, 0x80, 2, 1, 1])],
    ['zero', Buffer.from([0x30, 6, 2, 1, 0, 2, 1, 1])],
    ['a needless zero before a number', Buffer.from([0x30, 7, 2, 2, 0, 1, 2, 1, 1])],
    ['a number of 33 bytes', der(1n << 256n, 1n)],
    ['a number of 34 bytes', der(1n << 264n, 1n)],
  ])('refuses %s', (_, bytes) => {
    expect(() => lowS(bytes)).toThrow(new RangeError('Not a P-256 signature in DER.'));
    expect(isLowS(bytes)).toBe(false);
  });
});
