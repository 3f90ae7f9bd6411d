import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import { Buffer } from 'node:buffer';
import { attempt, canonicalFault, decodeMessage } from './decode-message.js';
import { KVRead } from './fabric-messages.js';
import { boolean, bytes, embedded, integer, many, mapOf, message, one, text, type MessageSchema } from './schema.js';

const Inner = message({ number: integer });
const Outer = message({
  integer,
  text,
  bytes,
  boolean,
  texts: many(text),
  message: one(Inner),
  embedded: embedded(Inner),
  map: mapOf(bytes),
  messages: { ...many(Inner), number: 16 },
});
const Deep: MessageSchema = message({ deeper: one(() => Deep) });

const scan = (hex: string, allowDefaults = false) =>
  canonicalFault(Buffer.from(hex.replaceAll(' ', ''), 'hex'), Outer, { allowDefaults });

describe('canonicalFault', () => {
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
    ['an unknown field', '4801', 'unknown field 9'],
    ['an unknown field in a message', '3202 1001', 'message: unknown field 2'],
    ['an unknown field in embedded bytes', '3a02 1001', 'embedded: unknown field 2'],
    ['fields out of order', '120161 0801', 'integer: fields are out of order'],
    ['a field that appears twice', '0801 0802', 'integer: the field appears twice'],
    ['a message that appears twice', '3200 3200', 'message: the field appears twice'],
    ['a number that is longer than it needs', '088100', 'integer: a number is not in its shortest form'],
    ['a tag that is longer than it needs', '888000 01', 'a number is not in its shortest form'],
    ['a length that is longer than it needs', '12810061', 'text: a number is not in its shortest form'],
    ['a zero that is longer than it needs', '088000', 'integer: a number is not in its shortest form'],
    ['a number that is cut off', '0880', 'integer: a number is cut off'],
    ['a tag without a value', '08', 'integer: a number is cut off'],
    ['a number of eleven bytes', '08ffffffffffffffffffff01', 'integer: a number is too large'],
    ['a number above 64 bits', '08ffffffffffffffffff02', 'integer: a number is too large'],
    ['text that is cut off', '120261', 'text: a field is cut off'],
    ['a length beyond every memory', '12ffffffffffffffff7f', 'text: a field is cut off'],
    ['field number 0', '0001', 'no field begins here'],
    ['a 32-bit field', '0d00000000', 'integer: wrong wire type'],
    ['a group', '0b0c', 'integer: wrong wire type'],
    ['text where a number belongs', '0a0161', 'integer: wrong wire type'],
    ['a number where text belongs', '1001', 'text: wrong wire type'],
    ['a zero', '0800', 'integer: a default value is written out'],
    ['an empty text', '1200', 'text: a default value is written out'],
    ['false', '2000', 'boolean: a default value is written out'],
    ['empty embedded bytes', '3a00', 'embedded: a default value is written out'],
    ['a boolean of 2', '2002', 'boolean: no boolean'],
    ['text that is not UTF-8', '1201ff', 'text: text is not UTF-8'],
    ['a map with a key twice', '42050a01611200 42060a0161120162', 'map: the map has a key twice'],
    ['a map with an empty entry twice', '4200 4200', 'map: the map has a key twice'],
    ['a map with two entries without a key', '4203120161 4203120162', 'map: the map has a key twice'],
    ['a map with a number as key', '42020801', 'map.key: wrong wire type'],
  ])('finds %s', (_, hex, fault) => {
    expect(scan(hex)).toBe(fault);
  });

  it('accepts default values where clients may encode them, and nothing else', () => {
    expect(scan('0800 1200 1a00 2000 3a00', true)).toBeUndefined();
    expect(scan('0800 0800', true)).toBe('integer: the field appears twice');
    expect(scan('4a00', true)).toBe('unknown field 9');
  });

  it('decodes an entry of a map without its value as the empty message, and refuses numbers above 64 bits', () => {
    const Mapped = message({
      map: mapOf(Inner),
      texts: mapOf(bytes),
    });
    const { map, texts } = decodeMessage(Mapped, Buffer.from('0a030a0161' + '12030a0161', 'hex'));
    expect([map.get('a'), texts.get('a')]).toStrictEqual([{ number: 0 }, new Uint8Array()]);
    expect(() => decodeMessage(Inner, Buffer.from('08ffffffffffffffffff02', 'hex'))).toThrow('too large');
    expect(decodeMessage(Inner, Buffer.from('08ffffffffffffffffff01', 'hex'))).toEqual({ number: -1 });
    expect(decodeMessage(Inner, Buffer.from('0881808080808080808000', 'hex'))).toEqual({ number: 1 });
    expect(decodeMessage(Inner, Buffer.from('1500000000190000000000000000', 'hex'))).toEqual({ number: 0 });
  });

  it('skips unknown fields of every wire type, and ends at one with a negative length', () => {
    const unknown = ['2001', '290000000000000000', '35' + '00000000', '3a026162'];
    for (const field of unknown) {
      expect(decodeMessage(Inner, Buffer.from(`${field}0807`, 'hex'))).toEqual({ number: 7 });
    }
    expect(() => decodeMessage(Inner, Buffer.from('3af5ffffffffffffffff01', 'hex'))).toThrow('a field is cut off');
    expect(() => decodeMessage(Inner, Buffer.from('3b3c', 'hex'))).toThrow('a group');
  });

  it('refuses messages that are nested deeper than Fabric nests them', () => {
    let nested = Buffer.alloc(0);
    for (let depth = 0; depth < 150; depth++) {
      const length = nested.length < 0x80 ? [nested.length] : [(nested.length & 0x7f) | 0x80, nested.length >> 7];
      nested = Buffer.concat([Buffer.from([0x0a, ...length]), nested]);
    }
    expect(canonicalFault(nested, Deep, { allowDefaults: false })).toMatch(/nested too deep$/);
    expect(() => decodeMessage(Deep, nested)).toThrow('nested too deep');
  });

  it('accepts what the official library encodes, and no other bytes that it decodes to the same', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (input) => {
        const decoded = attempt(() => decodeMessage(KVRead, input));
        if (decoded === undefined) return;
        const { key, version } = decoded;
        const read = new kv.KVRead();
        read.setKey(key);
        if (version !== undefined) {
          if (![version.blockNumber, version.transactionNumber].every((it) => Number.isSafeInteger(it) && it >= 0))
            return;
          read.setVersion(new kv.Version());
          read.getVersion()!.setBlockNum(version.blockNumber);
          read.getVersion()!.setTxNum(version.transactionNumber);
        }
        const canonical = read.serializeBinary();
        expect(canonicalFault(canonical, KVRead, { allowDefaults: false })).toBeUndefined();
        const isCanonical = Buffer.compare(canonical, input) === 0;
        expect(canonicalFault(input, KVRead, { allowDefaults: false }) === undefined).toBe(isCanonical);
      }),
      { numRuns: 2000 },
    );
  });
});
