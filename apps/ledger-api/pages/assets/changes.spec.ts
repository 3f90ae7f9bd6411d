import { describe, expect, it } from '@jest/globals';
import { changesBetween, compareStates, FIELDS, stepsOf } from './changes.js';

const ASSET = { ID: 'a', owner: 'Ana', color: 'red', size: '5', appraisedValue: '300' };

describe('changesBetween', () => {
  it('lists the fields that differ, in display order', () => {
    expect(changesBetween(ASSET, { ...ASSET, appraisedValue: '', owner: 'Ben' })).toEqual([
      { field: 'owner', before: 'Ana', after: 'Ben' },
      { field: 'appraisedValue', before: '300', after: '' },
    ]);
  });

  it('returns nothing for a write of the same values', () => {
    expect(changesBetween(ASSET, { ...ASSET })).toEqual([]);
  });
});

describe('compareStates', () => {
  it('pairs every field, and marks those that differ', () => {
    const pairs = compareStates(ASSET, { ...ASSET, owner: 'Ben' });
    expect(pairs.map(({ field }) => field)).toEqual(FIELDS);
    expect(pairs.filter(({ isChanged }) => isChanged)).toEqual([
      { field: 'owner', before: 'Ana', after: 'Ben', isChanged: true },
    ]);
  });

  it('has no values where the asset did not exist', () => {
    expect(compareStates(undefined, ASSET)[0]).toEqual({
      field: 'owner',
      before: undefined,
      after: 'Ana',
      isChanged: true,
    });
    expect(compareStates(undefined, undefined).some(({ isChanged }) => isChanged)).toBe(false);
  });
});

describe('stepsOf', () => {
  const version = (transactionId: string, asset: typeof ASSET | null) => ({
    transactionId,
    asset,
    deleted: asset === null,
  });
  const versions = [
    version('6', ASSET),
    version('5', null),
    version('4', { ...ASSET, owner: 'Ben', color: 'blue' }),
    version('3', { ...ASSET, owner: 'Ben' }),
    version('2', ASSET),
    version('1', ASSET),
  ];

  it('derives the effect of each transaction', () => {
    expect(stepsOf(versions, true).map(({ verb, changes }) => [verb, changes.map(({ field }) => field)])).toEqual([
      ['Created', [...FIELDS]],
      ['Deleted', []],
      ['Updated', ['color']],
      ['Transferred', ['owner']],
      ['Updated', []],
      ['Created', [...FIELDS]],
    ]);
  });

  it('distinguishes values that are not assets from deletions', () => {
    expect(stepsOf([{ ...version('1', null), deleted: false }], true)[0]?.verb).toBe('Overwritten');
  });

  it('omits the oldest version of an incomplete history', () => {
    expect(stepsOf(versions.slice(0, 4), false).map(({ version: { transactionId } }) => transactionId)).toEqual([
      '6',
      '5',
      '4',
    ]);
    expect(stepsOf([], false)).toEqual([]);
  });
});
