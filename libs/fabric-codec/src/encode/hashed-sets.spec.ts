import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { type CollectionSets, decodeActions, decodeEnvelope, decodeReadWriteSets } from '../decode/decode-envelope.js';
import { decodeBlock } from '../decode/decode-block.js';
import { bytesField, elementField, join, stringField } from '../messages/proto-fields.js';
import { hex } from '../messages/text.js';
import { recordedChains } from '../testing/recorded-blocks.js';
import { collectionSpace, hashedKey, hashedSet, partsOfSpace } from './hashed-sets.js';
import type { ReadWriteSet } from './read-write-set.js';
import { encodeReadWriteSets, type ReadWriteSets } from './read-write-sets.js';

/** The read and write sets of the transactions of a recorded block, as bytes. */
const resultsOf = (block: Uint8Array): readonly Uint8Array[] =>
  decodeBlock(block).envelopes.flatMap((envelope) =>
    decodeActions(decodeEnvelope(envelope).data).map(({ results }) => results),
  );

const encodedHashes = ({ hashedReads, hashedWrites, privateHash }: CollectionSets): ReadWriteSet => ({
  reads: hashedReads.map(({ keyHash, version }) => ({ key: hex(keyHash), version })),
  writes: hashedWrites.map(({ keyHash, valueHash, isPurge }) => ({
    key: hex(keyHash),
    value: valueHash,
    isPurge: isPurge === true,
  })),
  privateHash,
});

/** Reads the sets of a transaction again, as the simulator records them. */
const setsOf = (results: Uint8Array): ReadWriteSets =>
  new Map(
    decodeReadWriteSets(results).flatMap(({ namespace, reads, writes, collections }) => [
      [namespace, { reads, writes }] as const,
      ...collections.map((sets) => [collectionSpace(namespace, sets.collection), encodedHashes(sets)] as const),
    ]),
  );

/** `lifecycle.StateData` and `lifecycle.StateMetadata` */
const stateData = (bytes: Uint8Array): Buffer => bytesField(2, bytes);
const metadata = (datatype: string, fields: readonly string[]): Buffer =>
  join([stringField(1, datatype), ...fields.map((field) => elementField(2, field))]);

/** What an organization stores when it approves the definition of the chaincode in the recorded blocks. */
const approval = (packageId: string) => [
  {
    key: 'namespaces/metadata/basic#1',
    value: metadata('ChaincodeParameters', ['EndorsementInfo', 'ValidationInfo', 'Collections']),
  },
  {
    key: 'namespaces/fields/basic#1/EndorsementInfo',
    value: stateData(join([stringField(1, '1.0'), stringField(3, 'escc')])),
  },
  {
    key: 'namespaces/fields/basic#1/ValidationInfo',
    value: stateData(join([stringField(1, 'vscc'), bytesField(2, stringField(2, '/Channel/Application/Endorsement'))])),
  },
  { key: 'namespaces/fields/basic#1/Collections', value: elementField(2, '') },
  { key: 'chaincode-sources/metadata/basic#1', value: metadata('ChaincodeLocalPackage', ['PackageID']) },
  { key: 'chaincode-sources/fields/basic#1/PackageID', value: stringField(3, packageId) },
];

describe.each(recordedChains())('blocks of Fabric $version with private collections', ({ blocks }) => {
  const approvals = [1, 2].flatMap((number) => resultsOf(blocks[number]!.bytes));

  it('are encoded to the same bytes', () => {
    const all = blocks.slice(1).flatMap(({ bytes }) => resultsOf(bytes));
    expect(all.filter((results) => [...setsOf(results).keys()].some((name) => name.includes('\0')))).toHaveLength(3);
    for (const results of all) expect(hex(encodeReadWriteSets(setsOf(results)))).toBe(hex(results));
  });

  it('contain the hashes of the plain keys and values', () => {
    expect(approvals).toHaveLength(2);
    for (const results of approvals) {
      const [space, recorded] = [...setsOf(results)].find(([name]) => name.includes('\0'))!;
      expect(partsOfSpace(space)).toEqual({
        namespace: '_lifecycle',
        collection: expect.stringMatching(/^_implicit_org_Org[12]MSP$/),
      });
      const packageId = /basic_1\.0:[0-9a-f]{64}/.exec(Buffer.from(blocks[1]!.bytes).toString('latin1'))![0];
      const set = hashedSet({
        reads: recorded.reads.map(({ key, version }) => ({
          key: PLAIN_READS.find((plain) => hashedKey(plain) === key)!,
          version,
        })),
        writes: approval(packageId),
        metadataWrites: [],
      });
      expect(hex(encodeReadWriteSets(new Map([[space, set]])))).toBe(
        hex(encodeReadWriteSets(new Map([[space, recorded]]))),
      );
    }
  });
});

const PLAIN_READS = ['namespaces/metadata/basic#1', 'chaincode-sources/metadata/basic#1'];

describe('a hashed set', () => {
  const reads = [{ key: 'b', version: undefined }];
  const nothing = { reads: [], writes: [], metadataWrites: [] };

  it('has no hash of writes without writes, and is left out when it is empty', () => {
    expect(hashedSet({ ...nothing, reads })).toEqual({
      reads: [{ key: hashedKey('b'), version: undefined }],
      writes: [],
      metadataWrites: [],
      privateHash: undefined,
    });
    expect(encodeReadWriteSets(new Map([['cc\0one', hashedSet(nothing)]]))).toHaveLength(0);
  });

  it('is in the order of the plain keys', () => {
    const keys = ['a', 'b', 'c', '\uffff', '😀'];
    const value = Buffer.from('1');
    const { writes } = hashedSet({ ...nothing, writes: keys.toReversed().map((key) => ({ key, value })) });
    expect(writes.map(({ key }) => key)).toEqual(keys.map(hashedKey));
    const [decoded] = decodeReadWriteSets(
      encodeReadWriteSets(
        new Map([['cc\0one', hashedSet({ ...nothing, writes: keys.map((key) => ({ key, value })) })]]),
      ),
    );
    expect(decoded!.collections[0]!.hashedWrites.map(({ keyHash }) => hex(keyHash))).toEqual(keys.map(hashedKey));
  });

  it('marks a purge, and contains the metadata of keys in plain text', () => {
    const writes = [
      { key: 'a', value: undefined, isPurge: true },
      { key: 'b', value: undefined },
    ];
    const metadataWrites = [{ key: 'c', entries: [{ name: 'VALIDATION_PARAMETER', value: Buffer.from('policy') }] }];
    const sets = new Map([
      ['cc', { reads: [], writes: [] }],
      ['cc\0one', hashedSet({ reads, writes, metadataWrites })],
    ]);
    const [{ namespace, collections }] = decodeReadWriteSets(encodeReadWriteSets(sets)) as [
      ReturnType<typeof decodeReadWriteSets>[number],
    ];
    expect(namespace).toBe('cc');
    expect(collections).toMatchObject([
      {
        collection: 'one',
        hashedReads: [{ keyHash: Buffer.from(hashedKey('b'), 'hex') }],
        hashedWrites: [
          { keyHash: Buffer.from(hashedKey('a'), 'hex'), valueHash: undefined, isPurge: true },
          { keyHash: Buffer.from(hashedKey('b'), 'hex'), valueHash: undefined, isPurge: false },
        ],
        metadataWrites: [{ keyHash: Buffer.from(hashedKey('c'), 'hex'), entries: metadataWrites[0]!.entries }],
      },
    ]);
    expect(collections[0]!.privateHash).toHaveLength(32);
  });
});
