/** How an answer's body is written. */
export type Coding = 'br' | 'gzip' | 'identity';

const BEST_FIRST = ['br', 'gzip'] as const;
/** The weight that says no. */
const REFUSED = /^q=0(?:\.0{0,3})?$/;

/**
 * The smallest coding that a client takes (RFC 9110, 12.5.3). How much it prefers one is not asked: they all are made, and
 * read, in no time.
 */
export function preferredCoding(accepted: string | undefined): Coding {
  const taken = new Map<string, boolean>();
  for (const member of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim());
    taken.set(name === 'x-gzip' ? 'gzip' : name, !parameters.some((parameter) => REFUSED.test(parameter)));
  }
  return BEST_FIRST.find((coding) => taken.get(coding) ?? taken.get('*') ?? false) ?? 'identity';
}
