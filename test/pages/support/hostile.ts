/** A text that would run a script if it were interpreted as markup or as a template. */
export const hostile = (name: string): string => `<img src=x onerror="alert('${name}')">'"\u202e{{7*7}}\${7*7}`;
/** The part of it that is visible wherever it is shown. */
export const seenOf = (name: string): string => hostile(name).split('\u202e')[0]!;

/**
 * Replaces every text in a response by a hostile one that contains the name of its property.
 *
 * @param kept - properties that are not replaced, because the page shows nothing without them
 */
export function madeHostile(value: unknown, kept: ReadonlySet<string>, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => madeHostile(each, kept, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, madeHostile(each, kept, key)]));
  }
  return typeof value === 'string' && !kept.has(name) ? hostile(name) : value;
}
