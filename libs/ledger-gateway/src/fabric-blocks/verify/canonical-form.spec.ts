import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import { Buffer } from 'node:buffer';
import { readMessage } from '../decode/read-message.js';
import { scanMessage } from './canonical-form.js';
import { boolean, bytes, embedded, integer, many, mapOf, message, one, text } from './fabric-messages.js';

const Inner = message('Inner', { 1: integer });
const Outer = message('Outer', {
  1: integer,
  2: text,
  3: bytes,
  4: boolean,
  5: many(text),
  6: one(Inner),
  7: embedded(Inner),
  8: mapOf(bytes),
  16: many(Inner),
});

const scan = (hex: string, allowDefaults = false) =>
  scanMessage(Buffer.from(hex.replaceAll(' ', ''), 'hex'), Outer, { allowDefaults });

describe('scanMessage', () => {
  it.each([
    ['nothing at all', ''],
    ['every kind of field', '0801 120161 1a01ff 2001 2a0161 2a00 3200 3a020801 4205 0a0161 1200 820100 820100'],
    ['the largest number', '08ffffffffffffffffff01'],
    ['a negative number', '08ffffffffffffffffff01'],
    ['map entries in any order', '42050a01621200 42050a01611200'],
  ])('takes %s', (_, hex) => {
    expect(scan(hex)).toBeUndefined();
  });

  it.each([
    ['an unknown field', '4801', 'Outer.9: unknown field'],
    ['an unknown field in a message', '3202 1001', 'Outer.6 Inner.2: unknown field'],
    ['an unknown field in embedded bytes', '3a02 1001', 'Outer.7 Inner.2: unknown field'],
    ['fields out of order', '120161 0801', 'Outer.1: fields are out of order'],
    ['a field that stands twice', '0801 0802', 'Outer.1: the field stands twice'],
    ['a message that stands twice', '3200 3200', 'Outer.6: the field stands twice'],
    ['a number that is longer than it needs', '088100', 'Outer: a number is not in its shortest form'],
    ['a tag that is longer than it needs', '888000 01', 'Outer: a number is not in its shortest form'],
    ['a length that is longer than it needs', '12810061', 'Outer: a number is not in its shortest form'],
    ['a zero that is longer than it needs', '088000', 'Outer: a number is not in its shortest form'],
    ['a number that is cut off', '0880', 'Outer: a number is cut off'],
    ['a tag without a value', '08', 'Outer: a number is cut off'],
    ['a number of eleven bytes', '08ffffffffffffffffffff01', 'Outer: a number is too long'],
    ['a number above 64 bits', '08ffffffffffffffffff02', 'Outer: a number is too large'],
    ['text that is cut off', '120261', 'Outer: a field is cut off'],
    ['a length beyond every memory', '12ffffffffffffffff7f', 'Outer: a field is cut off'],
    ['field number 0', '0001', 'Outer: no field begins here'],
    ['a 32-bit field', '0d00000000', 'Outer: no field begins here'],
    ['a group', '0b0c', 'Outer: no field begins here'],
    ['text where a number belongs', '0a0161', 'Outer.1: wrong wire type'],
    ['a number where text belongs', '1001', 'Outer.2: wrong wire type'],
    ['a zero', '0800', 'Outer.1: a default value is written out'],
    ['an empty text', '1200', 'Outer.2: a default value is written out'],
    ['false', '2000', 'Outer.4: a default value is written out'],
    ['empty embedded bytes', '3a00', 'Outer.7: a default value is written out'],
    ['a boolean of 2', '2002', 'Outer.4: no boolean'],
    ['text that is not UTF-8', '1201ff', 'Outer.2: text is not UTF-8'],
    ['a map with a key twice', '42050a01611200 42060a0161120162', 'Outer.8: the map has a key twice'],
    ['a map with an empty entry twice', '4200 4200', 'Outer.8: the map has a key twice'],
    ['a map with two entries without a key', '4203120161 4203120162', 'Outer.8: the map has a key twice'],
    ['a map with a number as key', '42020801', 'Outer.8 entry.1: wrong wire type'],
  ])('finds %s', (_, hex, fault) => {
    expect(scan(hex)).toBe(fault);
  });

  it('takes default values where clients may write them, and nothing else', () => {
    expect(scan('0800 1200 1a00 2000 3a00', true)).toBeUndefined();
    expect(scan('0800 0800', true)).toBe('Outer.1: the field stands twice');
    expect(scan('4a00', true)).toBe('Outer.9: unknown field');
  });

  it('takes what the official library encodes, and no other bytes that it decodes to the same', () => {
    const Version = message('Version', { 1: integer, 2: integer });
    const KVRead = message('KVRead', { 1: text, 2: one(Version) });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes_) => {
        let canonical: Uint8Array;
        try {
          canonical = readMessage(kv.KVRead, bytes_).serializeBinary();
        } catch {
          return;
        }
        expect(scanMessage(canonical, KVRead, { allowDefaults: false })).toBeUndefined();
        const isCanonical = Buffer.compare(canonical, bytes_) === 0;
        expect(scanMessage(bytes_, KVRead, { allowDefaults: false }) === undefined).toBe(isCanonical);
      }),
      { numRuns: 2000 },
    );
  });
});
