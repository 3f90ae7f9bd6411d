/** What a text that is taken for markup would give itself away by. */
export const hostile = (name: string): string => `<img src=x onerror="alert('${name}')">'"\u202e{{7*7}}\${7*7}`;
/** The part of it that is seen wherever it is shown. */
export const seenOf = (name: string): string => hostile(name).split('\u202e')[0]!;

/**
 * The same answer, with every text in it replaced by one that would run a script, and says where it stood.
 *
 * @param kept - names whose texts stay, since without them there is nothing to show
 */
export function madeHostile(value: unknown, kept: ReadonlySet<string>, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => madeHostile(each, kept, name));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, madeHostile(each, kept, key)]));
  }
  return typeof value === 'string' && !kept.has(name) ? hostile(name) : value;
}
