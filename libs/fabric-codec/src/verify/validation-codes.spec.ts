import { describe, expect, it } from '@jest/globals';
import { Buffer } from 'node:buffer';
import type { TestChain } from '../testing/test-chain.js';
import { type TestBlock } from '../testing/test-chain.js';
import { blockWith, chainWith, read, write } from '../testing/verify-chain.js';

describe('validation codes', () => {
  const CONFLICT = 'MVCC_READ_CONFLICT';
  const lie = (place: string, recorded: string, replayed: string) =>
    `${place} VALIDATION_CODE the transaction is recorded as ${recorded}, but replaying the chain returns ${replayed}`;

  /** One block behind the one that wrote `a`, of calls with these read and write sets and codes. */
  const replaying = (
    calls: readonly (readonly [Parameters<TestChain['transaction']>[0]['readWriteSet'], number])[],
    writes: TestBlock['writes'] = [],
  ): string[] =>
    chainWith((chain) => {
      const envelopes = calls.map(([readWriteSet]) => chain.transaction({ readWriteSet }));
      chain.append({ envelopes, validationCodes: calls.map(([, code]) => code), writes });
    });

  it('are right when reads found what was there, or did not', () => {
    expect(
      replaying([
        [read('a', [1, 0]), 0],
        [read('b'), 0],
        [read('a'), 11],
        [read('a', [0, 0]), 11],
        [read('b', [1, 0]), 11],
      ]),
    ).toEqual([]);
  });

  it('that call a conflict valid, or the other way round, are found', () => {
    expect(
      replaying([
        [read('a'), 0],
        [read('a', [1, 0]), 11],
        [read('b'), 12],
      ]),
    ).toEqual([
      lie('2[0]', 'VALID', CONFLICT),
      lie('2[1]', CONFLICT, 'VALID'),
      lie('2[2]', 'PHANTOM_READ_CONFLICT', 'VALID'),
    ]);
  });

  it('count a read of what the same block wrote as a conflict', () => {
    const calls = [
      [write('b'), 0],
      [read('b'), 11],
      [read('b', [2, 0]), 11],
    ] as const;
    expect(replaying(calls, [[0, 'b', 'v']])).toEqual([]);
    const deletion = { reads: [], writes: [{ key: 'z', value: undefined }] };
    expect(
      replaying(
        [
          [deletion, 0],
          [read('z'), 0],
        ],
        [[0, 'z', undefined]],
      ),
    ).toEqual([lie('2[1]', 'VALID', CONFLICT)]);
  });

  it('evaluate ranges by their content, including writes of the same block', () => {
    const range = (
      startKey: string,
      endKey: string,
      exhausted: boolean,
      ...keys: (readonly [string, number, number])[]
    ) => ({
      reads: [],
      writes: [],
      rangeReads: [
        {
          startKey,
          endKey,
          exhausted,
          reads: keys.map(([key, blockNumber, transactionNumber]) => ({
            key,
            version: { blockNumber, transactionNumber },
          })),
        },
      ],
    });
    expect(
      replaying(
        [
          [range('', '', true, ['a', 1, 0]), 0],
          [range('a', 'b', true, ['a', 1, 0]), 0],
          [range('a', 'a', false, ['a', 1, 0]), 0],
          [range('b', 'c', true), 0],
          [range('a', 'b', true), 12],
          [range('a', 'b', true, ['a', 1, 1]), 12],
          [range('b', 'c', true, ['b', 1, 0]), 12],
          [write('b'), 0],
          [range('', '', true, ['a', 1, 0]), 12],
          [range('b', 'c', true), 12],
          [range('c', '', true), 0],
          [{ reads: [], writes: [{ key: 'a', value: undefined }] }, 0],
          [range('a', 'b', true, ['a', 1, 0]), 12],
          [range('a', 'b', true), 0],
        ],
        [
          [7, 'b', 'v'],
          [11, 'a', undefined],
        ],
      ),
    ).toEqual([]);
  });

  it('validate long ranges, which are recorded as hashes', () => {
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(3, '0')}`);
    const range = (changed: number) => ({
      reads: [],
      writes: [],
      rangeReads: [
        {
          startKey: 'k',
          endKey: 'l',
          exhausted: true,
          reads: keys.map((key, index) => ({
            key,
            version: { blockNumber: 2, transactionNumber: index === changed ? 1 : 0 },
          })),
        },
      ],
    });
    const found = chainWith((chain) => {
      const all = { reads: [], writes: keys.map((key) => ({ key, value: Buffer.from('v') })) };
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: all })],
        writes: keys.map((key) => [0, key, 'v'] as const),
      });
      const envelopes = [-1, 30].map((changed) => chain.transaction({ readWriteSet: range(changed) }));
      chain.append({ envelopes, validationCodes: [0, 12] });
      const few = { reads: [], writes: keys.slice(10).map((key) => ({ key, value: undefined })) };
      chain.append({
        envelopes: [chain.transaction({ readWriteSet: few })],
        writes: keys.slice(10).map((key) => [0, key, undefined] as const),
      });
      chain.append({ envelopes: [chain.transaction({ readWriteSet: range(-1) })], validationCodes: [0] });
    });
    expect(found).toEqual([lie('5[0]', 'VALID', 'PHANTOM_READ_CONFLICT')]);
  });

  it('that no peer records are found, and so are duplicates that are none', () => {
    expect(
      replaying([
        [write('b'), 254],
        [write('c'), 77],
        [write('d'), 9],
        [write('e'), 10],
      ]),
    ).toEqual([
      '2[0] VALIDATION_CODE no peer records the validation code NOT_VALIDATED',
      '2[1] VALIDATION_CODE no peer records the validation code UNKNOWN_77',
      '2[2] VALIDATION_CODE the transaction is recorded as a duplicate, but no other has its id',
    ]);
  });

  it('of a real duplicate, and of garbage that a peer refused, are taken', () => {
    const found = chainWith((chain) => {
      const again = chain.transaction({ readWriteSet: write('b') });
      chain.append({
        envelopes: [again, again, Buffer.from('garbage')],
        validationCodes: [0, 9, 2],
        writes: [[0, 'b', 'v']],
      });
    });
    expect(found).toEqual([]);
  });

  it('are tied to the writes by the commit hash', () => {
    expect(blockWith({ writes: [[0, 'b', 'other']] })).toEqual([
      '2 COMMIT_HASH the commit hash is not that of the validation codes and writes',
    ]);
  });
});
