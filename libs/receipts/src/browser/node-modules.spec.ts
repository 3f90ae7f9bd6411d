import { Buffer, isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Buffer as BrowserBuffer, isUtf8 as isUtf8InBrowsers } from './node-buffer.js';
import { createHash as createHashInBrowsers, hash as hashInBrowsers, verify, X509Certificate } from './node-crypto.js';

const anyBytes = fc.uint8Array({ maxLength: 100 });
const ENCODINGS = ['utf8', 'latin1', 'hex', 'base64'] as const;

describe('node:buffer for browsers', () => {
  it('shows bytes as Node does, also a part of them, and bytes that are not UTF-8', () => {
    fc.assert(
      fc.property(anyBytes, fc.nat(100), fc.nat(100), (bytes, start, end) => {
        for (const encoding of ENCODINGS) {
          expect(BrowserBuffer.from(bytes).toString(encoding)).toBe(Buffer.from(bytes).toString(encoding));
        }
        const [from, to] = [Math.min(start, end, bytes.length), Math.min(Math.max(start, end), bytes.length)];
        const view = BrowserBuffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        expect(view.toString('utf8', from, to)).toBe(Buffer.from(bytes).toString('utf8', from, to));
        expect(isUtf8InBrowsers(bytes)).toBe(isUtf8(bytes));
      }),
    );
    const long = new Uint8Array(100_000).fill(0x41);
    expect(BrowserBuffer.from(long).toString('base64')).toBe(Buffer.from(long).toString('base64'));
  });

  it('reads text as Node does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), anyBytes, (text, bytes) => {
        expect([...BrowserBuffer.from(text)]).toEqual([...Buffer.from(text)]);
        expect(BrowserBuffer.byteLength(text)).toBe(Buffer.byteLength(text));
        for (const encoding of ['latin1', 'hex', 'base64'] as const) {
          const written = Buffer.from(bytes).toString(encoding);
          expect([...BrowserBuffer.from(written, encoding)]).toEqual([...bytes]);
        }
      }),
    );
  });

  it('finds the same texts to be canonical base64', () => {
    const nearlyBase64 = fc.string({ unit: fc.constantFrom(...Array.from('AQgw+/-_= \n')), maxLength: 9 });
    fc.assert(
      fc.property(nearlyBase64, (text) => {
        const isCanonical = Buffer.from(text, 'base64').toString('base64') === text;
        expect(BrowserBuffer.from(text, 'base64').toString('base64') === text).toBe(isCanonical);
      }),
    );
  });

  it('compares and joins bytes as Node does', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, fc.nat(100), (a, b, length) => {
        for (const [one, other] of [
          [a, b],
          [a, a.subarray(0, length)],
          [a.subarray(0, length), a],
        ] as const) {
          expect(BrowserBuffer.compare(one, other)).toBe(Buffer.compare(one, other));
        }
        expect([...BrowserBuffer.concat([a, b])]).toEqual([...a, ...b]);
      }),
    );
    expect([...BrowserBuffer.alloc(2), ...BrowserBuffer.allocUnsafe(1)]).toEqual([0, 0, 0]);
    expect(BrowserBuffer.from([0x80]).readUInt8()).toBe(0x80);
  });

  it('reads and writes numbers as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 9, maxLength: 9 }), fc.nat(2 ** 32 - 1), (bytes, value) => {
        const [ours, nodes] = [BrowserBuffer.from(bytes), Buffer.from(bytes)];
        expect(ours.readBigUInt64BE(1)).toBe(nodes.readBigUInt64BE(1));
        expect(ours.writeUInt32BE(value, 3)).toBe(nodes.writeUInt32BE(value, 3));
        expect(ours.readUInt32BE(2)).toBe(nodes.readUInt32BE(2));
        expect([...ours]).toEqual([...nodes]);
      }),
    );
  });
});

describe('node:crypto for browsers', () => {
  it('computes the same SHA-256', () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (a, b) => {
        for (const encoding of ['hex', 'binary'] as const) {
          expect(hashInBrowsers('sha256', a, encoding)).toBe(hash('sha256', a, encoding));
        }
        expect(hashInBrowsers('sha256', a)).toBe(hash('sha256', a));
        expect(createHashInBrowsers().update(a).digest('hex')).toBe(createHash('sha256').update(a).digest('hex'));
        const both = createHashInBrowsers().update('text').update(a).update(b).digest();
        expect([...both]).toEqual([...createHash('sha256').update('text').update(a).update(b).digest()]);
      }),
    );
  });
});

it('has no certificates and signatures of Node, which no page may use', () => {
  expect([verify, X509Certificate]).toEqual([undefined, undefined]);
});
