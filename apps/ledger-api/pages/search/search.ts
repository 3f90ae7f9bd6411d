import type { Route } from '../routes/route.ts';

/** What the text in the search box may refer to. */
export interface Candidates {
  readonly block?: number;
  readonly transaction?: string;
  /** Any text may be an asset's id or an owner. */
  readonly text: string;
}

/** Parses the text. It may have surrounding white space, and `0x` or `#` before a number. */
export function candidatesOf(input: string): Candidates {
  const text = input.trim();
  const number = /^#?(\d{1,15})$/.exec(text)?.[1];
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  return {
    text,
    ...(number !== undefined && { block: Number(number) }),
    ...(hash !== undefined && { transaction: hash.toLowerCase() }),
  };
}

/** Which candidates exist. */
export interface Findings {
  readonly block: boolean;
  readonly transaction: boolean;
  readonly asset: boolean;
  readonly owner: boolean;
}

/** Returns the routes of the candidates that exist, most likely first. */
export function routesFound({ block, transaction, text }: Candidates, found: Findings): readonly Route[] {
  const routes: Route[] = [];
  if (found.transaction && transaction !== undefined) routes.push({ page: 'transaction', id: transaction });
  if (found.asset) routes.push({ page: 'asset', id: text });
  if (found.block && block !== undefined) routes.push({ page: 'block', number: block });
  if (found.owner) routes.push({ page: 'assets', query: { owner: text } });
  return routes;
}
