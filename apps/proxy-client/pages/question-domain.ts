/** The labels of domains below which anyone can register a name: `co.uk`, `com.au`. */
const SHORT = 3;

/**
 * Returns the entry for all names below the domain of a target.
 *
 * @returns undefined for an address, a short name, and where the domain may be a public suffix
 */
export function domainOf(target: string): string | undefined {
  const labels = target.slice(0, target.lastIndexOf(':')).split('.');
  const [first = '', ...others] = labels.slice(1);
  if (others.length === 0 || /^\d+$/.test(labels.at(-1) ?? '')) return undefined;
  return others.length === 1 && first.length <= SHORT ? undefined : `*.${[first, ...others].join('.')}`;
}
