import type { Place } from '../places/place.ts';

/** What a text in the search box can stand for, in the order in which it is looked for. */
export interface Candidates {
  readonly block?: number;
  readonly transaction?: string;
  /** Any text can be an asset's id, and an owner. */
  readonly text: string;
}

/** Takes a text apart; what was pasted may have blanks around it, or `0x` or `#` before a number. */
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

/** What of a search's candidates there is. */
export interface Findings {
  readonly block: boolean;
  readonly transaction: boolean;
  readonly asset: boolean;
  readonly owner: boolean;
}

/** The places that a search found, the likeliest first; whoever looks for the only one is brought there at once. */
export function placesFound({ block, transaction, text }: Candidates, found: Findings): readonly Place[] {
  const places: Place[] = [];
  if (found.transaction && transaction !== undefined) places.push({ page: 'transaction', id: transaction });
  if (found.asset) places.push({ page: 'asset', id: text });
  if (found.block && block !== undefined) places.push({ page: 'block', number: block });
  if (found.owner) places.push({ page: 'assets', query: { owner: text } });
  return places;
}
