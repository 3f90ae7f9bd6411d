import { client, list } from '../api/client.ts';

/** Returns the number of the last block whose transactions are all at or before a time; undefined if there is none. */
export async function lastBlockAt(latest: number): Promise<number | undefined> {
  // The API compares the last transaction of each block only.
  const until = new Date(latest + 1).toISOString();
  let before: string | undefined;
  do {
    const parameters = { until, limit: 25, ...(before !== undefined && { before }) };
    const { items, next } = await list(client.GET('/blocks', { params: { query: parameters } }));
    const found = items.find(({ transactions }) => transactions.every((each) => Date.parse(each.timestamp) <= latest));
    if (found !== undefined) return found.number;
    before = next;
  } while (before !== undefined);
  return undefined;
}
