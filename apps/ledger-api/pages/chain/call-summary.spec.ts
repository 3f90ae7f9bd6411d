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
});
