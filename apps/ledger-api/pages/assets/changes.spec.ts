import { describe, expect, it } from '@jest/globals';
import { changesBetween, continued, stepsOf } from './changes.js';

const ASSET = { ID: 'a', owner: 'Ana', color: 'red', size: '5', appraisedValue: '300' };

describe('changesBetween', () => {
  it('names the fields that differ, in the order in which they are shown', () => {
    expect(changesBetween(ASSET, { ...ASSET, appraisedValue: '', owner: 'Ben' })).toEqual([
      { field: 'owner', before: 'Ana', after: 'Ben' },
      { field: 'appraisedValue', before: '300', after: '' },
    ]);
  });

  it('has nothing to say of a write that wrote the same', () => {
    expect(changesBetween(ASSET, { ...ASSET })).toEqual([]);
  });
});

describe('stepsOf', () => {
  const version = (transactionId: string, asset: typeof ASSET | null) => ({
    transactionId,
    asset,
    deleted: asset === null,
  });
  const life = [
    version('6', ASSET),
    version('5', null),
    version('4', { ...ASSET, owner: 'Ben', color: 'blue' }),
    version('3', { ...ASSET, owner: 'Ben' }),
    version('2', ASSET),
    version('1', ASSET),
  ];

  it('tells what each transaction did', () => {
    expect(stepsOf(life, true).map(({ verb, changes }) => [verb, changes.map(({ field }) => field)])).toEqual([
      ['Created', []],
      ['Deleted', []],
      ['Updated', ['color']],
      ['Transferred', ['owner']],
      ['Updated', []],
      ['Created', []],
    ]);
  });

  it('tells what is no asset any more from what is deleted', () => {
    expect(stepsOf([{ ...version('1', null), deleted: false }], true)[0]?.verb).toBe('Overwritten');
  });

  it('leaves out the step of which it does not know what was before', () => {
    expect(stepsOf(life.slice(0, 4), false).map(({ version: { transactionId } }) => transactionId)).toEqual([
      '6',
      '5',
      '4',
    ]);
    expect(stepsOf([], false)).toEqual([]);
  });
});

describe('continued', () => {
  const versions = (...ids: readonly string[]) =>
    ids.map((transactionId) => ({ transactionId, asset: null, deleted: true }));

  it('joins a new first page to what is known', () => {
    expect(continued(versions('5', '4', '3'), versions('4', '3', '2', '1'))).toEqual(versions('5', '4', '3', '2', '1'));
  });

  it('says when there is a gap', () => {
    expect(continued(versions('9', '8'), versions('4', '3'))).toBeUndefined();
    expect(continued([], versions('1'))).toBeUndefined();
  });
});
