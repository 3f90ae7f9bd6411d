import { readBatchResult } from '#asset-contract';
import { decodeCall, type DecodedEnvelope } from '#fabric-codec';
import type { CreatedAssets } from '#ledger-gateway/driver';

/**
 * Returns the assets that a call of CreateAssets created, by its argument and the response of the contract.
 * @returns undefined for any other call, for one that created none, and for another contract with a function of that name
 */
export function createdAssets(envelope: DecodedEnvelope, calledFunction: string): CreatedAssets | undefined {
  if (calledFunction !== 'CreateAssets') return undefined;
  const { arguments: args, response } = decodeCall(envelope);
  try {
    const { created: count, refused } = readBatchResult(response?.payload ?? new Uint8Array());
    const isRefused = new Set(refused.map(({ index }) => index));
    const elements = JSON.parse(Buffer.from(args[1] ?? []).toString()) as readonly unknown[];
    const ids = elements.flatMap((asset, index) => (isRefused.has(index) ? [] : [idOf(asset)]));
    const [first, last] = [ids[0], ids.at(-1)];
    const isComplete = ids.length === count && ids.every((id) => id !== undefined);
    return !isComplete || first === undefined || last === undefined ? undefined : { count, first, last };
  } catch {
    // Another contract: its argument or response is of another form.
    return undefined;
  }
}

function idOf(asset: unknown): string | undefined {
  const { ID: id } = (asset ?? {}) as { readonly ID?: unknown };
  return typeof id === 'string' ? id : undefined;
}
