import { describe, expect, it } from '@jest/globals';
import { ListedFunctions } from './access.plugin.js';

describe('functions that LEDGER_CONTRACTS lists', () => {
  const listed = new ListedFunctions({
    listedFunctions: ['basic:ReadAsset', 'basic:org.hyperledger.fabric:GetMetadata'],
  });

  it('are split at the first colon, and met exactly', () => {
    expect(listed.has('basic', 'ReadAsset')).toBe(true);
    expect(listed.has('basic', 'org.hyperledger.fabric:GetMetadata')).toBe(true);
    for (const [chaincode, name] of [
      ['basic:org.hyperledger.fabric', 'GetMetadata'],
      ['basic', 'readAsset'],
      ['basic', 'ReadAsset '],
      ['basic', 'AssetTransferContract:ReadAsset'],
      ['Basic', 'ReadAsset'],
      ['', 'basic:ReadAsset'],
    ] as const) {
      expect([chaincode, name, listed.has(chaincode, name)]).toEqual([chaincode, name, false]);
    }
    expect([listed.hasAny('basic'), listed.hasAny('qscc'), listed.hasAny('')]).toEqual([true, false, false]);
  });

  it('are none without it', () => {
    expect(new ListedFunctions({ listedFunctions: [] }).hasAny('')).toBe(false);
  });
});
