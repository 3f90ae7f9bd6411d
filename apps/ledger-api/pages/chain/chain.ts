import { answered, client, nextOf, type Page } from '../api/client.ts';
import type { components } from '../../../../docs/openapi/ledger-api.js';
import type { TransactionQuery } from '../places/place.ts';

export type Block = components['schemas']['Block'];
export type TransactionSummary = components['schemas']['TransactionSummary'];

/** Blocks, the newest first. */
export async function readBlocks(limit: number, before: string | undefined, signal: AbortSignal): Promise<Page<Block>> {
  const query = { limit, ...(before !== undefined && { before }) };
  const { body, headers } = await answered(client.GET('/blocks', { params: { query }, signal }));
  return { items: body.data, ...nextOf(headers) };
}

/** Transactions, the newest first. */
export async function readTransactions(
  limit: number,
  query: TransactionQuery,
  signal: AbortSignal,
): Promise<Page<TransactionSummary>> {
  const asked = { ...query, limit };
  const { body, headers } = await answered(client.GET('/transactions', { params: { query: asked }, signal }));
  return { items: body.data, ...nextOf(headers) };
}
