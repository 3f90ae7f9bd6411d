import { type Contract, ContractError, type PrivateWrite } from '#contract-kit';
import { collectionSpace } from '#fabric-codec/encode';
import { contractRefusal, type LedgerCall, type SubmitResult } from '#ledger-gateway';
import { withoutTransient } from '#ledger-gateway/driver';
import type { PrivateValues, PrivateWrites } from '../private/private-values.js';
import type { SignedId, WriterClient } from '../writer/writer-client.js';

/**
 * Submits a call of a contract of the ledger's own with transient data. The private values that it may write are stored before it is
 * executed.
 * @throws without its transient data: a refusal of the contract, and what the writer throws
 */
export async function submitPrivately(
  contract: Contract,
  call: LedgerCall & { readonly chaincode: string },
  id: SignedId,
  { values, writer }: { readonly values: PrivateValues; readonly writer: WriterClient },
): Promise<SubmitResult> {
  const { chaincode, function: name, arguments: args, transient = new Map<string, Uint8Array>() } = call;
  // Copies, because a message would clone the whole buffer pool that a value is a view of.
  const copies = new Map(Array.from(transient, ([key, value]) => [key, new Uint8Array(value)] as const));
  try {
    const facts = { transactionId: id.transactionId, timestamp: new Date().toISOString(), transient: copies };
    const prepared = contract.prepare(name, args, facts);
    const writes = 'decide' in prepared ? (prepared.privateWrites ?? []) : [];
    return await values.write(privateWritesOf(chaincode, writes), () =>
      writer.submit({ ...call, transient: copies }, id),
    );
  } catch (error) {
    throw withoutTransient(error instanceof ContractError ? contractRefusal(error) : error, transient);
  }
}

function privateWritesOf(namespace: string, writes: readonly PrivateWrite[]): PrivateWrites {
  const named = writes.map((write) => ({ ...write, space: collectionSpace(namespace, write.collection) }));
  return {
    values: named.flatMap(({ space, key, value }) => (value === undefined ? [] : [{ space, key, value }])),
    keys: named.map(({ space, key }) => ({ space, key })),
    isPurge: named.some(({ isPurge }) => isPurge),
  };
}
