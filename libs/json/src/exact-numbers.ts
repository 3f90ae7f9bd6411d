/** A number as a text has it, which `JSON.stringify` writes unchanged. */
export interface ExactNumber {
  readonly rawJSON: string;
}

// Both are in Node 22 and newer (ECMAScript proposal "JSON.parse source text access"); TypeScript does not declare them yet.
const SourceText = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};
type SourceReviver = (this: unknown, name: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Finds text that may have a number which `JSON.stringify` would write differently. Most texts have none. The character before a
 * number distinguishes it from most strings, such as Base64.
 */
const SUSPECT = /(?:^|[[,:\s])-?(?:\d+[.eE]|\d{16}|(?<=-)0)/;

/**
 * Returns a parsed text with its numbers unchanged: one that `JSON.stringify` would write differently (9007199254740993, 1.10,
 * 1e400, -0) is an {@link ExactNumber}.
 * @param parsed - the result of `JSON.parse`, whose depth is limited: with a reviver the parser calls itself for each level
 */
export function withExactNumbers(text: string, parsed: unknown): unknown {
  if (!SUSPECT.test(text)) return parsed;
  const exact: SourceReviver = (_name, value, { source = '' }) =>
    typeof value === 'number' && String(value) !== source ? SourceText.rawJSON(source) : value;
  return JSON.parse(text, exact as Parameters<typeof JSON.parse>[1]);
}

/** Returns whether a value is a number as a text had it, from {@link withExactNumbers}. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return SourceText.isRawJSON(value);
}

/** Returns whether objects and arrays are nested in more than a number of levels. Without recursion, for any depth. */
export function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const nested = level.filter((each) => typeof each === 'object' && each !== null && !isExactNumber(each));
    if (depth === levels && nested.length > 0) return true;
    level = nested.flatMap((each): readonly unknown[] => Object.values(each as object));
  }
  return false;
}
