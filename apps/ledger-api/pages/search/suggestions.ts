import type { components } from '../../../../docs/openapi/ledger-api.js';
import { hrefOf } from '../routes/route.ts';

/** Something in the ledger that begins with the text of a search. */
export type Suggestion = components['schemas']['Suggestion'];

/** An entry of the list below the search field. */
export interface SearchOption {
  readonly text: string;
  /** What its page shows. */
  readonly name: string;
  readonly href: string;
}

/** What the page of a suggestion shows. */
const KIND_NAMES: Readonly<Record<Suggestion['kind'], string>> = {
  block: 'Block',
  transaction: 'Transaction',
  asset: 'Asset',
  owner: 'Assets of the owner',
  caller: 'Transactions of the caller',
  function: 'Calls of the function',
};

/** Returns what a suggestion shows: the text that was searched for, and what its page shows. */
export function labelOf({ kind, value, hash }: Suggestion): Pick<SearchOption, 'text' | 'name'> {
  return hash === undefined ? { text: value, name: KIND_NAMES[kind] } : { text: hash, name: `Block ${value}` };
}

/** Returns the URL of the page that shows a suggestion. */
export function hrefOfSuggestion({ kind, value }: Suggestion): string {
  switch (kind) {
    case 'owner':
      return hrefOf({ page: 'assets', query: { owner: value } });
    case 'caller':
      return hrefOf({ page: 'transactions', query: { creator: value } });
    case 'function':
      return hrefOf({ page: 'transactions', query: { function: value } });
    default:
      return hrefOf({ page: kind, id: value });
  }
}

/**
 * Returns the entries for a text. The last one leads to all assets whose ids begin with it: the search itself opens the asset
 * with exactly this id if there is one.
 */
export function optionsOf(text: string, suggestions: readonly Suggestion[]): readonly SearchOption[] {
  const options = suggestions.map((each) => ({ ...labelOf(each), href: hrefOfSuggestion(each) }));
  const assets = suggestions.filter(({ kind, value }) => kind === 'asset' && value.startsWith(text));
  if (assets.length < 2) return options;
  const href = hrefOf({ page: 'assets', query: { prefix: text } });
  return [...options, { text: `${text}…`, name: 'All assets with such ids', href }];
}

/** Returns whether the suggestions differ from the text of the search in upper and lower case, because nothing has its case. */
export function ignoreCase(text: string, suggestions: readonly Suggestion[]): boolean {
  return suggestions.length > 0 && suggestions.every((each) => !labelOf(each).text.startsWith(text));
}
