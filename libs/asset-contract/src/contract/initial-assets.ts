import type { Asset } from './asset.js';

/** What InitLedger writes: the six assets of fabric-samples' asset-transfer-basic. */
export const INITIAL_ASSETS: readonly Asset[] = [
  { ID: 'asset1', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
  { ID: 'asset2', appraisedValue: '400', color: 'red', owner: 'Brad', size: '5' },
  { ID: 'asset3', appraisedValue: '500', color: 'green', owner: 'Jin Soo', size: '10' },
  { ID: 'asset4', appraisedValue: '600', color: 'yellow', owner: 'Max', size: '10' },
  { ID: 'asset5', appraisedValue: '700', color: 'black', owner: 'Adriana', size: '15' },
  { ID: 'asset6', appraisedValue: '800', color: 'white', owner: 'Michel', size: '15' },
];
