import { describe, expect, it } from '@jest/globals';
import { hrefOfSuggestion, ignoreCase, optionsOf } from './suggestions.js';

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

  it('show the hash of a block that was found by it', () => {
    const block = { kind: 'block', value: '12', hash: 'ab34' } as const;
    expect(optionsOf('ab', [block])).toEqual([{ text: 'ab34', name: 'Block 12', href: '#/blocks/12' }]);
    expect([ignoreCase('ab', [block]), ignoreCase('AB', [block])]).toEqual([false, true]);
  });

  it('end with all assets whose ids begin with the text, if there are several, also if one has exactly this id', () => {
    const asset = (value: string) => ({ kind: 'asset', value }) as const;
    const lastOf = (text: string, ...ids: string[]) => optionsOf(text, ids.map(asset)).at(-1)?.href;
    expect(lastOf('car-19', 'car-19', 'car-190')).toBe('#/assets?prefix=car-19');
    expect(lastOf('car-19', 'car-19')).toBe('#/assets/car-19');
    // The list of all assets is sensitive to case.
    expect(lastOf('CAR-1', 'car-19', 'car-190')).toBe('#/assets/car-190');
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
