import { describe, expect, it } from '@jest/globals';
import { summarizeCall } from './call-summary.js';

describe('summarizeCall', () => {
  it.each([
    [
      { function: 'CreateAsset', arguments: ['a', 'red', '5', 'Ana', '300'] },
      { verb: 'Created', asset: 'a' },
    ],
    [
      { function: 'UpdateAssetIfMatch', arguments: ['a'] },
      { verb: 'Updated', asset: 'a' },
    ],
    [
      { function: 'TransferAsset', arguments: ['a', 'Ben'] },
      { verb: 'Transferred', asset: 'a', newOwner: 'Ben' },
    ],
    [
      { function: 'TransferAsset', firstArgument: 'a' },
      { verb: 'Transferred', asset: 'a' },
    ],
    [{ function: 'TransferAsset' }, { verb: 'Transferred' }],
    [{ function: 'InitLedger', arguments: [] }, { verb: 'Created the initial assets' }],
    [{ function: 'CreateAssets', arguments: ['[]'] }, { verb: 'Created many assets' }],
    [
      { function: 'CreateAssets', firstArgument: '', createdAssets: { count: 2, first: 'a', last: 'b' } },
      { verb: 'Created', assets: { count: 2, first: 'a', last: 'b' } },
    ],
    [{ function: '', arguments: [] }, { verb: 'Configured the channel' }],
    [
      { function: 'Mint', arguments: ['1'] },
      { verb: 'Called', function: 'Mint' },
    ],
    [
      { function: 'constructor', arguments: ['1'] },
      { verb: 'Called', function: 'constructor' },
    ],
  ])('summarizes %j', (call, summary) => {
    expect(summarizeCall(call)).toEqual(summary);
  });

  it('names the first and the last of many assets in the order of the call, without those that were refused', () => {
    const call = (...ids: unknown[]) => ({
      function: 'CreateAssets',
      arguments: [JSON.stringify(ids.map((ID) => ({ ID })))],
    });
    expect(summarizeCall(call('car-1', 'car-2', 'car-10', 'taken'), ['car-1', 'car-10', 'car-2'])).toEqual({
      verb: 'Created',
      assets: { count: 3, first: 'car-1', last: 'car-10' },
    });
    expect(summarizeCall(call('taken'), [])).toEqual({ verb: 'Created many assets' });
    for (const argument of ['', '{}', '[null,1]']) {
      expect(summarizeCall({ function: 'CreateAssets', arguments: [argument] }, ['b', 'c'])).toEqual({
        verb: 'Created',
        assets: { count: 2, first: 'b', last: 'c' },
      });
    }
  });
});
