import type { SearchQuery } from '#ledger-gateway';
import type { Suggestion, SuggestionKind } from '#ledger-gateway/driver';

/** Returns the first value in byte order that is not before a text. A value that is not present is skipped. */
export type ValueFrom = (text: string) => { readonly value: string; readonly isPresent?: boolean } | undefined;

/** Where a search looks for values. */
export interface SearchSources {
  /** Number of blocks. */
  readonly height: number;
  /** Blocks whose hashes begin with hexadecimal digits in lower case, in the order of the hashes. */
  readonly blocks: (prefix: string, limit: number) => readonly { readonly number: number; readonly hash: string }[];
  /** Ids of transactions that begin with hexadecimal digits in lower case, in order. */
  readonly transactions: (prefix: string, limit: number) => readonly string[];
  readonly texts: Readonly<Record<'asset' | 'owner' | 'caller' | 'function', ValueFrom>>;
}

/** Reads for one kind of suggestion, at most: values that are not present, and letters in another case, cost further reads. */
const MAX_READS = 500;

/** Returns what begins with a text. When nothing does, letters match in upper and lower case. */
export function suggestions({ text, limit }: SearchQuery, sources: SearchSources): Suggestion[] {
  const { height, blocks, transactions, texts } = sources;
  const find = (cases: readonly (readonly string[])[]): Suggestion[][] =>
    Object.entries(texts).map(([kind, from]) =>
      valuesWith(cases, from, limit).map((value) => ({ kind: kind as SuggestionKind, value })),
    );
  const characters = Array.from(text);
  const exact = find(characters.map((character) => [character]));
  const digits = /^[0-9a-f]{1,64}$/i.test(text) ? text.toLowerCase() : undefined;
  const hashes = digits === undefined ? [] : blocks(digits, limit);
  const ids = digits === undefined ? [] : transactions(digits, limit);
  const numbers = new Set(numbersWith(text, height, limit));
  const found = [
    Array.from(numbers, (value): Suggestion => ({ kind: 'block', value })),
    hashes
      .map(({ number, hash }): Suggestion => ({ kind: 'block', value: String(number), hash }))
      .filter(({ value }) => !numbers.has(value)),
    ids.map((value): Suggestion => ({ kind: 'transaction', value })),
    ...exact,
  ];
  return shared(found.some((group) => group.length > 0) ? found : find(characters.map(casesOf)), limit);
}

/** Shortens groups to a number of items in all, so that each group gets an equal share if it needs it. */
function shared(groups: readonly (readonly Suggestion[])[], limit: number): Suggestion[] {
  const lengths = groups.map(() => 0);
  for (let [rest, before] = [limit, -1]; rest > 0 && rest !== before;) {
    before = rest;
    for (const [index, group] of groups.entries()) {
      if (rest === 0 || (lengths[index] ?? 0) >= group.length) continue;
      lengths[index] = (lengths[index] ?? 0) + 1;
      rest -= 1;
    }
  }
  return groups.flatMap((group, index) => group.slice(0, lengths[index]));
}

/** Returns the numbers below a limit that begin with these digits, the shortest first. */
function numbersWith(text: string, below: number, limit: number): string[] {
  const numbers: string[] = [];
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) return numbers;
  for (let [first, count] = [Number(text), 1]; first < below && numbers.length < limit; first *= 10, count *= 10) {
    const end = Math.min(first + count, below, first + limit - numbers.length);
    for (let number = first; number < end; number++) numbers.push(String(number));
    if (first === 0) break;
  }
  return numbers;
}

/** Returns a character in lower and in upper case, in byte order, without forms of several characters. */
function casesOf(character: string): readonly string[] {
  const forms = [character.toUpperCase(), character.toLowerCase(), character];
  return [...new Set(forms.filter((form) => Array.from(form).length === 1))].sort(byBytes);
}

function byBytes(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}

/**
 * Returns the first values whose beginning consists of one of the given forms of each character. It skips from one
 * possible beginning to the next in the order of an index, so that it reads as often as there are such beginnings.
 */
function valuesWith(cases: readonly (readonly string[])[], from: ValueFrom, limit: number): string[] {
  const values: string[] = [];
  let next: string | undefined = cases.map(([first = '']) => first).join('');
  for (let reads = 0; reads < MAX_READS && values.length < limit && next !== undefined; reads++) {
    const read = from(next);
    if (read === undefined) break;
    const mismatch = mismatchIn(read.value, cases);
    if (mismatch < 0 && read.isPresent !== false) values.push(read.value);
    next = mismatch < 0 ? `${read.value}\u0000` : beginningAfter(read.value, cases, mismatch);
  }
  return values;
}

/** Returns the index of the first character that has none of the forms, or -1. */
function mismatchIn(value: string, cases: readonly (readonly string[])[]): number {
  const characters = Array.from(value);
  return cases.findIndex((forms, index) => !forms.includes(characters[index] ?? ''));
}

/** Returns the first possible beginning after a value that differs from all of them at an index. */
function beginningAfter(value: string, cases: readonly (readonly string[])[], mismatch: number): string | undefined {
  const characters = Array.from(value);
  for (let index = mismatch; index >= 0; index--) {
    const character = characters[index] ?? '';
    const form = cases[index]?.find((each) => character === '' || byBytes(each, character) > 0);
    if (form === undefined) continue;
    const rest = cases.slice(index + 1).map(([first = '']) => first);
    return [...characters.slice(0, index), form, ...rest].join('');
  }
  return undefined;
}
