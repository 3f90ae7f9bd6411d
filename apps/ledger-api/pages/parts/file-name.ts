import type { Query } from '../routes/route.ts';

/** File systems allow 255 bytes. */
const MAX_FILTER = 120;

/** Returns the name of a file with the filters of its list: `assets.csv` becomes `assets-owner-Ana.csv`. */
export function withFilter(name: string, filter: Query): string {
  const parts = Object.entries(filter).map(([field, value]) => `${field}-${value}`);
  // Other characters are not allowed on every system, or hide the end of the name.
  const text = parts
    .join('-')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
    .slice(0, MAX_FILTER);
  return text === '' ? name : name.replace(/(?=\.[^.]*$)|$/, () => `-${text}`);
}
