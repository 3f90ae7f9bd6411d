import { ASSET_CONTRACT } from '#asset-contract';
import type { Contract } from '#contract-kit';
import { RECORDS_CONTRACT, RECORDS_NAME } from '#records-contract';

/**
 * Returns the contract that the ledger itself executes for a chaincode.
 * @param chaincode - undefined for the contract of assets
 * @param assets - the name under which the contract of assets is called
 */
export function ownContract(chaincode: string | undefined, assets: string): Contract | undefined {
  if (chaincode === undefined || chaincode === assets) return ASSET_CONTRACT;
  return chaincode === RECORDS_NAME ? RECORDS_CONTRACT : undefined;
}
