import { describe, expect, it } from '@jest/globals';
import { hrefOfSuggestion, ignoreCase } from './suggestions.js';

describe('suggestions', () => {
  it('link to the page that shows them', () => {
    const kinds = ['block', 'transaction', 'asset', 'owner', 'caller', 'function'] as const;
    expect(kinds.map((kind) => hrefOfSuggestion({ kind, value: 'a/b' }))).toEqual([
      '#/blocks/a%2Fb',
      '#/transactions/a%2Fb',
      '#/assets/a%2Fb',
      '#/assets?owner=a%2Fb',
      '#/transactions?creator=a%2Fb',
      '#/transactions?function=a%2Fb',
    ]);
  });

  it('ignore the case if none begins with the text', () => {
    const suggestions = [{ kind: 'asset', value: 'Car-7' }] as const;
    expect([ignoreCase('Car', suggestions), ignoreCase('car', suggestions), ignoreCase('car', [])]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
