import type { components } from '../../../../docs/openapi/ledger-api.js';
import { hrefOf } from '../routes/route.ts';

/** Something in the ledger that begins with the text of a search. */
export type Suggestion = components['schemas']['Suggestion'];

/** What the page of a suggestion shows. */
export const KIND_NAMES: Readonly<Record<Suggestion['kind'], string>> = {
  block: 'Block',
  transaction: 'Transaction',
  asset: 'Asset',
  owner: 'Assets of the owner',
  caller: 'Transactions of the caller',
  function: 'Calls of the function',
};

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

/** Returns whether the suggestions differ from the text of the search in upper and lower case, because nothing has its case. */
export function ignoreCase(text: string, suggestions: readonly Suggestion[]): boolean {
  return suggestions.length > 0 && suggestions.every(({ value }) => !value.startsWith(text));
}
