export { ChainFollower, type DerivedData, type FollowedChain, type FollowerOptions } from './chain-follower.js';
export { firstBlock } from './first-block.js';
export { IndexFile, removeIndex, UnusableIndex } from './index-file.js';
export { checkIndexDirectory, indexOpener, type IndexesOptions } from './open-indexes.js';
