import { describe, expect, it } from '@jest/globals';
import { storyOf } from './story.js';

describe('storyOf', () => {
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
      { verb: 'Transferred', asset: 'a', owner: 'Ben' },
    ],
    [
      { function: 'TransferAsset', firstArgument: 'a' },
      { verb: 'Transferred', asset: 'a' },
    ],
    [{ function: 'TransferAsset' }, { verb: 'Transferred' }],
    [{ function: 'InitLedger', arguments: [] }, { verb: 'Created the initial assets' }],
    [{ function: '', arguments: [] }, { verb: 'Configured the channel' }],
    [
      { function: 'Mint', arguments: ['1'] },
      { verb: 'Called', call: 'Mint' },
    ],
    [
      { function: 'constructor', arguments: ['1'] },
      { verb: 'Called', call: 'constructor' },
    ],
  ])('tells %j', (call, story) => {
    expect(storyOf(call)).toEqual(story);
  });
});
