import { describe, expect, it } from '@jest/globals';
import chaincode from '@hyperledger/fabric-protos/lib/peer/chaincode_pb.js';
import kv from '@hyperledger/fabric-protos/lib/ledger/rwset/kvrwset/kv_rwset_pb.js';
import fc from 'fast-check';
import { Buffer } from 'node:buffer';
import { booleanField, bytesField, elementField, integerField, join, stringField, varint } from './proto-fields.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('fields', () => {
  it('write integers as the official library does, up to 2^53', () => {
    const integer = fc.oneof(
      fc.integer({ min: 0, max: 300 }),
      fc.maxSafeInteger().map(Math.abs),
      fc.constantFrom(0x7f, 0x80, 0x3fff, 0x4000, 2 ** 28, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 35, 2 ** 53 - 1),
    );
    fc.assert(
      fc.property(integer, integer, (blockNumber, transactionNumber) => {
        const official = new kv.Version();
        official.setBlockNum(blockNumber);
        official.setTxNum(transactionNumber);
        const ours = join([integerField(1, blockNumber), integerField(2, transactionNumber)]);
        expect(hex(ours)).toBe(hex(official.serializeBinary()));
      }),
      { numRuns: 500 },
    );
  });

  it('write text and bytes as the official library does, whatever their length', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('x'.repeat(127), 'é'.repeat(8192)));
    fc.assert(
      fc.property(text, fc.uint8Array(), fc.boolean(), (key, value, isDelete) => {
        const official = new kv.KVWrite();
        official.setKey(key);
        official.setIsDelete(isDelete);
        official.setValue(value);
        const ours = join([stringField(1, key), booleanField(2, isDelete), bytesField(3, value)]);
        expect(hex(ours)).toBe(hex(official.serializeBinary()));
      }),
    );
  });

  it('write empty elements of a list', () => {
    const official = new chaincode.ChaincodeInput();
    official.setArgsList([new Uint8Array(), Buffer.from('a'), new Uint8Array()]);
    const ours = ['', 'a', ''].map((argument) => elementField(1, argument));
    expect(hex(join(ours))).toBe(hex(official.serializeBinary()));
  });

  it('write a varint alone', () => {
    expect([0, 1, 127, 128, 300].map((value) => hex(varint(value)))).toEqual(['00', '01', '7f', '8001', 'ac02']);
  });
});
