export { ChannelTree } from './channel-tree.js';
export { openTrees, type Trees } from './channel-trees.js';
export { importTree } from './import-tree.js';
export type { TreeLogger } from './tree-logger.js';
export { TreeState } from './tree-state.js';
export { readPolicy } from './witness-policy.js';
export { WitnessedLogs } from './witnessed-logs.js';
export { WitnessRounds } from './witness-rounds.js';
