import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { isLowS, lowS, lowSP1363, p1363Of } from './low-s.js';
import { signLowS } from '../certificates/sign-low-s.js';

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

/** The two numbers in 32 bytes each (IEEE P1363). */
function p1363(...numbers: readonly bigint[]): Buffer {
  return Buffer.from(numbers.map((number) => number.toString(16).padStart(64, '0')).join(''), 'hex');
}

describe('signLowS', () => {
  it('makes valid signatures, all with low S', () => {
    for (let index = 0; index < 200; index++) {
      const message = Buffer.from([index]);
      const signature = signLowS(message, privateKey);
      expect(isLowS(signature)).toBe(true);
      expect(verify('sha256', message, publicKey, signature)).toBe(true);
    }
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
        expect(lowS(der(r, s)).toString('hex')).toBe(der(r, expected).toString('hex'));
        expect(isLowS(der(r, s))).toBe(s <= ORDER / 2n);
        expect(lowSP1363(p1363(r, s)).toString('hex')).toBe(p1363(r, expected).toString('hex'));
      }),
      { numRuns: 500 },
    );
    expect(() => lowS(Buffer.concat([der(1n, ORDER - 1n), Buffer.alloc(1)]))).toThrow(RangeError);
  });
});

describe('p1363Of', () => {
  it('returns both numbers of a signature, also of the largest curve, whose length needs two bytes', () => {
    for (const [namedCurve, size] of [
      ['P-256', 32],
      ['P-384', 48],
      ['P-521', 66],
    ] as const) {
      const keys = generateKeyPairSync('ec', { namedCurve });
      const message = Buffer.from('message');
      const numbers = p1363Of(sign('sha256', message, keys.privateKey), size)!;
      expect(verify('sha256', message, { key: keys.publicKey, dsaEncoding: 'ieee-p1363' }, numbers)).toBe(true);
    }
  });

  it('returns nothing for other bytes, and for numbers that are too long', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 10 }), (bytes) => p1363Of(bytes, 32)?.length !== 0));
    expect(p1363Of(der(1n << 256n, 1n), 32)).toBeUndefined();
    expect(p1363Of(der(1n, 1n << 256n), 32)).toBeUndefined();
    expect(p1363Of(der(1n, 2n), 32)).toEqual(p1363(1n, 2n));
  });
});
