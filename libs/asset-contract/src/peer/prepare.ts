import { createHash } from 'node:crypto';
import { prepare as prepareWith, type PreparedCall } from '../contract/contract.js';

/** What names an asset as it is at one time: SHA-256 of its stored form, as bytes or text, in base64url, 43 characters. */
export function assetDigest(asset: Uint8Array | string): string {
  // Not by crypto.hash: a peer may run the contract on a Node that has it not.
  return createHash('sha256').update(asset).digest('base64url');
}

/**
 * Finds the function of a call and what it reads, for everybody who runs the contract: all have to compare by one digest, which
 * contract/ is handed, since it imports nothing but itself.
 * @throws {@link ContractError} when there is no such function, or for arguments that are refused whatever is stored
 */
export function prepare(functionName: string, args: readonly string[]): PreparedCall {
  return prepareWith(functionName, args, assetDigest);
}
