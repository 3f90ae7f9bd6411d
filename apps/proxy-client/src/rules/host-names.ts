import { readName } from './host-reading.js';

const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const MAX_NAME = 253;
/** Before a name it stands for all that is below that name. */
const BELOW = '*.';
const ANY = '*';

/**
 * Reads what a rule says of names: `intranet`, `*.corp.example` (all that is below it, at any depth, not itself) or `*`.
 *
 * @returns the same in lower case as A-labels, without a dot at its end; undefined when it is none
 */
export function readNamePattern(text: string): string | undefined {
  if (text === ANY) return text;
  const isBelow = text.startsWith(BELOW);
  const name = readName(isBelow ? text.slice(BELOW.length) : text);
  if (name.length > MAX_NAME || !LABELS.test(name)) return undefined;
  return isBelow ? BELOW + name : name;
}

/** Names, to be asked for many: each costs a look-up for each of its labels, however many there are. */
export class HostNames {
  /** Names, and with a dot in front those that stand for what is below them. */
  readonly #names: ReadonlySet<string>;
  readonly #any: boolean;

  /** @param patterns - as {@link readNamePattern} gives them */
  constructor(patterns: Iterable<string>) {
    const names = new Set<string>();
    for (const pattern of patterns) names.add(pattern.startsWith(BELOW) ? pattern.slice(1) : pattern);
    this.#any = names.delete(ANY);
    this.#names = names;
  }

  /** @param name - in lower case as A-labels, without a dot at its end */
  has(name: string): boolean {
    if (this.#any || this.#names.has(name)) return true;
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      if (this.#names.has(name.slice(dot))) return true;
    }
    return false;
  }
}
