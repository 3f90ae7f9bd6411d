import { describe, expect, it } from '@jest/globals';
import { ledger } from '@hyperledger/fabric-protos';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { decodeReadWriteSets } from '../decode/decode-envelope.js';
import type { KeyRead, RangeRead } from './read-write-set.js';
import { encodeReadWriteSets } from './read-write-sets.js';

/**
 * What Fabric 3.1.5's own rwsetutil.RangeQueryResultsHelper makes of n reads (key `k%06d` of i, version i % 300 and
 * i % 7): number of reads, level of the hashes (0: none), length and SHA-256 of the `RangeQueryInfo` from k to l.
 */
const RANGES = [
  [0, 0, 8, 'de50e1ad2c80b651d4f1feec9f1021cd0876bd2aafab0d8f1f636f36b222cfa3'],
  [1, 0, 23, '78f805274a007e16154922f3179543c6f717c63b009374014a94791f25df047c'],
  [50, 0, 843, '1832ae0d67f911e967a8a24c7a790e49bad92fe4839ddc23f8f9938a41081d6f'],
  [51, 1, 48, '120b4420f2eae7c309558ef20d9b4b05d022b85bb24585ebd89b0608374c6195'],
  [52, 1, 82, 'e5ea55da2802f937d1107a901427cd133e44da5d5fd2f2bda89e997f7e0d3375'],
  [101, 1, 82, 'e267bdaae2cf81f8f6487aaf6d46413fd5b30611af26e3f2aaa60f760812f67c'],
  [102, 1, 82, '23af025c47fe100997fbfcc4bb50d192473b42041f3970e60d1e6b491e18870d'],
  [103, 1, 116, '14d503a00b7599157608e9c28a0951448638326ac1d5869c25ba1734188e8c32'],
  [2600, 2, 48, 'a8b114b9f8697717105b9161567754c2c71cacfeddc1dd5011694db409781be9'],
  [2601, 2, 48, 'b8a7f84b4b05289562998fafca29fe09338e31ade2f46601ffd346514527c240'],
  [2602, 2, 82, '854ab33f804ffee1fb877ea41a046dbfcbd1d7cfa9d42deb3a6cccbb9f852ed8'],
  [2652, 2, 82, '28c0eaa546c5a2c4b05517a6237ed6561581af05748d98d34ee9918953216947'],
  [2653, 2, 82, 'e74ae71084f2912354145a5ce46acbd10a27336123533be02ce8f6f900e0ff85'],
  [5202, 2, 82, '1c7f7adfc395d260792ed770253c35406c325042fa9604eeb5f5bba09440bc81'],
  [7000, 2, 116, '6cd26a1c144622c097d13b59d2c843901149efc98f320ccf48f0c62d3167b575'],
  [130050, 2, 1715, '050a1ba245405c7057111c4ec190784aaf2a05cef7fa04eaf34c6dc1cbb60476'],
  [130051, 3, 48, 'c1c05fd0369ecf08b1b373ae6138cd02e3acfbf8fea3597ad39b453624609f63'],
  [132651, 3, 48, 'fbfdaa6ef44a5e5d59d1067c879a36e30fb6ee3daba23294de5930853fb82e65'],
  [132652, 3, 82, 'b03650ea8e2365afdfeefb5748ce54dc10c4832281f7ec775ef5c08a635835f4'],
  [140000, 3, 82, '17d1ed23b318e2ced1b0eb7bd38530404b64b8fa72f47e5a545e69a4db7a1297'],
] as const;

describe('a range read', () => {
  it.each(RANGES)('of %i entries is recorded as Fabric records it, at level %i', (count, level, length, digest) => {
    const reads = Array.from({ length: count }, (_, index) => ({
      key: `k${String(index).padStart(6, '0')}`,
      version: { blockNumber: index % 300, transactionNumber: index % 7 },
    }));
    const range = { startKey: 'k', endKey: 'l', exhausted: true, reads };
    const bytes = encodeReadWriteSets(new Map([['', { reads: [], rangeReads: [range], writes: [] }]]));
    // TxReadWriteSet { ns_rwset { rwset { range_queries_info …
    const info = bytes.subarray(bytes.length - length);
    expect(createHash('sha256').update(info).digest('hex')).toBe(digest);
    const [decoded] = decodeReadWriteSets(bytes)[0]!.rangeQueriesInfo;
    expect(decoded).toMatchObject(
      level === 0
        ? { rawReads: count === 0 ? undefined : { kvReads: reads } }
        : { startKey: 'k', itrExhausted: true, readsMerkleHashes: { maxDegree: 50, maxLevel: level } },
    );
  });
});

describe('a read and write set', () => {
  it('is empty when nothing was read or written', () => {
    expect(encodeReadWriteSets(new Map([['basic', { reads: [], writes: [] }]]))).toHaveLength(0);
  });

  it('has its keys in byte order of UTF-8', () => {
    const keys = ['🚀', '\uff5e', 'b', 'a'];
    const set = {
      reads: keys.map((key) => ({ key, version: undefined })),
      writes: keys.map((key) => ({ key, value: Buffer.from(key) })),
    };
    const bytes = encodeReadWriteSets(new Map([['basic', set]]));
    const [sets] = decodeReadWriteSets(bytes);
    expect(sets!.reads.map(({ key }) => key)).toEqual(['a', 'b', '\uff5e', '🚀']);
    expect(sets!.writes.map(({ key }) => key)).toEqual(['a', 'b', '\uff5e', '🚀']);
  });

  it('has new metadata of keys, sorted by their keys and names', () => {
    const entry = (name: string) => ({ name, value: Buffer.from(name) });
    const metadataWrites = [
      { key: 'b', entries: [] },
      { key: 'a', entries: [entry('z'), entry('y')] },
    ];
    const bytes = encodeReadWriteSets(new Map([['basic', { reads: [], writes: [], metadataWrites }]]));
    expect(decodeReadWriteSets(bytes)[0]!.metadataWrites).toEqual([
      { key: 'a', entries: [entry('y'), entry('z')] },
      { key: 'b', entries: [] },
    ]);
    const protocol = ledger.rwset.TxReadWriteSet.deserializeBinary(bytes).getNsRwsetList()[0]!.getRwset_asU8();
    const [first] = ledger.rwset.kvrwset.KVRWSet.deserializeBinary(protocol).getMetadataWritesList();
    expect(first!.getEntriesList().map((each) => each.getName())).toEqual(['y', 'z']);
  });

  it('has its namespaces in byte order, without those where nothing was read or written', () => {
    const set = { reads: [], writes: [{ key: 'k', value: Buffer.from('v') }] };
    const sets = new Map([
      ['tokens', set],
      ['unused', { reads: [], writes: [] }],
      ['basic', set],
    ]);
    const decoded = decodeReadWriteSets(encodeReadWriteSets(sets));
    expect(decoded.map(({ namespace }) => namespace)).toEqual(['basic', 'tokens']);
  });

  it('is decoded to what was encoded', () => {
    const key = fc.string({ unit: 'grapheme', minLength: 1 });
    const version = fc.option(fc.record({ blockNumber: fc.maxSafeNat(), transactionNumber: fc.nat({ max: 99 }) }), {
      nil: undefined,
    });
    const read: fc.Arbitrary<KeyRead> = fc.record({ key, version });
    const write = fc.record({ key, value: fc.option(fc.uint8Array({ minLength: 1 }), { nil: undefined }) });
    const range: fc.Arbitrary<RangeRead> = fc.record({
      startKey: key,
      endKey: key,
      exhausted: fc.boolean(),
      reads: fc.array(read, { maxLength: 50 }),
    });
    fc.assert(
      fc.property(
        fc.array(read, { minLength: 1, maxLength: 1 }),
        fc.array(range),
        fc.array(write, { maxLength: 1 }),
        (reads, rangeReads, writes) => {
          const bytes = encodeReadWriteSets(new Map([['basic', { reads, rangeReads, writes }]]));
          const rangeQueriesInfo = rangeReads.map(({ startKey, endKey, exhausted, reads: kvReads }) => ({
            startKey,
            endKey,
            itrExhausted: exhausted,
            rawReads: kvReads.length === 0 ? undefined : { kvReads },
            readsMerkleHashes: undefined,
          }));
          expect(decodeReadWriteSets(bytes)).toEqual([
            { namespace: 'basic', reads, rangeQueriesInfo, writes, metadataWrites: [], collections: [] },
          ]);
        },
      ),
    );
  });
});
