export { ChainFollower, type DerivedData, type FollowedChain, type FollowerOptions } from './chain-follower.js';
