import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import type { CollectionSets, NamespaceSets } from '../../decode/decode-envelope.js';
import { TxValidationCode } from '../../messages/enums.js';
import { BlockReplay } from './block-replay.js';
import { MemoryReplayState } from '../../testing/memory-verifier.js';

const { MVCC_READ_CONFLICT, VALID } = TxValidationCode;

const HASH = Buffer.from('aa', 'hex');
const OTHER = Buffer.from('bb', 'hex');
const at = (blockNumber: number, transactionNumber = 0) => ({ blockNumber, transactionNumber });

function sets(parts: Partial<NamespaceSets>): NamespaceSets[] {
  return [
    { namespace: 'cc', reads: [], rangeQueriesInfo: [], writes: [], metadataWrites: [], collections: [], ...parts },
  ];
}

function collection(parts: Partial<CollectionSets>): NamespaceSets[] {
  return sets({
    collections: [
      { collection: 'secret', hashedReads: [], hashedWrites: [], metadataWrites: [], privateHash: HASH, ...parts },
    ],
  });
}

describe('private collections', () => {
  it('are replayed by the hashes of their keys, apart from public keys', () => {
    const state = new MemoryReplayState();
    const first = new BlockReplay(state, 1);
    first.apply(collection({ hashedWrites: [{ keyHash: HASH, valueHash: OTHER }] }), 0);
    expect(first.validate(collection({ hashedReads: [{ keyHash: HASH, version: undefined }] }))).toBe(
      MVCC_READ_CONFLICT,
    );
    expect(first.updates).toEqual([{ namespace: 'cc', collection: 'secret', key: HASH, value: OTHER, version: at(1) }]);
    first.commit();

    const second = new BlockReplay(state, 2);
    expect(second.validate(collection({ hashedReads: [{ keyHash: HASH, version: at(1) }] }))).toBe(VALID);
    expect(second.validate(collection({ hashedReads: [{ keyHash: HASH, version: at(0) }] }))).toBe(MVCC_READ_CONFLICT);
    expect(second.validate(sets({ reads: [{ key: 'aa', version: undefined }] }))).toBe(VALID);
    second.apply(collection({ hashedWrites: [{ keyHash: HASH, valueHash: undefined }] }), 0);
    second.commit();
    expect(
      new BlockReplay(state, 3).validate(collection({ hashedReads: [{ keyHash: HASH, version: undefined }] })),
    ).toBe(VALID);
  });

  it('do not show in ranges of public keys', () => {
    const replay = new BlockReplay(new MemoryReplayState(), 1);
    replay.apply(collection({ hashedWrites: [{ keyHash: Buffer.from('k'), valueHash: OTHER }] }), 0);
    const range = { startKey: '', endKey: '', itrExhausted: true, rawReads: undefined, readsMerkleHashes: undefined };
    const rangeQueriesInfo = [range];
    expect(replay.validate(sets({ rangeQueriesInfo }))).toBe(VALID);
    expect(replay.validate(sets({ namespace: 'other', rangeQueriesInfo }))).toBe(VALID);
  });
});

describe('new metadata of a key', () => {
  it('assign it a new version, and omit its value from the commit hash', () => {
    const state = new MemoryReplayState();
    state.setVersion('cc', 'k', at(1));
    const replay = new BlockReplay(state, 2);
    replay.apply(sets({ metadataWrites: [{ key: 'k', entries: [] }] }), 3);
    expect(replay.valuesAreKnown).toBe(false);
    expect(replay.validate(sets({ reads: [{ key: 'k', version: at(1) }] }))).toBe(MVCC_READ_CONFLICT);
    replay.commit();
    expect(state.version('cc', 'k')).toEqual(at(2, 3));
  });

  it('do nothing to a key that is not there', () => {
    const state = new MemoryReplayState();
    const replay = new BlockReplay(state, 2);
    replay.apply(
      sets({
        writes: [{ key: 'gone', value: undefined }],
        metadataWrites: [
          { key: 'gone', entries: [] },
          { key: 'never', entries: [] },
        ],
      }),
      0,
    );
    replay.commit();
    expect(replay.valuesAreKnown).toBe(true);
    expect([state.version('cc', 'gone'), state.version('cc', 'never')]).toEqual([undefined, undefined]);
  });

  it('leave the value known that the same block wrote', () => {
    const replay = new BlockReplay(new MemoryReplayState(), 2);
    const value = Buffer.from('v');
    replay.apply(sets({ writes: [{ key: 'k', value }], metadataWrites: [{ key: 'k', entries: [] }] }), 0);
    replay.apply(sets({ metadataWrites: [{ key: 'k', entries: [] }] }), 1);
    expect(replay.valuesAreKnown).toBe(true);
    expect(replay.updates).toEqual([
      { namespace: 'cc', collection: '', key: Buffer.from('k'), value, version: at(2, 1) },
    ]);
  });

  it('enter the commit hash with the value in the state, if it is stored there', () => {
    const state = new MemoryReplayState();
    state.setVersion('cc', 'k', at(1));
    const value = Buffer.from('v');
    const withValues = Object.assign(state, {
      value: (name: string, key: string) => (name + key === 'cck' ? value : undefined),
    });
    const replay = new BlockReplay(withValues, 2);
    replay.apply(sets({ metadataWrites: [{ key: 'k', entries: [] }] }), 0);
    expect(replay.valuesAreKnown).toBe(true);
    expect(replay.updates).toMatchObject([{ value, version: at(2) }]);
  });

  it('count for private keys too', () => {
    const state = new MemoryReplayState();
    state.setVersion('cc\u0000secret', 'aa', at(1));
    const replay = new BlockReplay(state, 2);
    replay.apply(collection({ metadataWrites: [{ keyHash: HASH, entries: [] }] }), 0);
    expect(replay.updates).toMatchObject([{ collection: 'secret', key: HASH, version: at(2) }]);
    expect(replay.valuesAreKnown).toBe(false);
  });
});
