/** The routes of the admin pages, as their server knows them. */
export class AdminRoutes {
  /** The methods of each path; a segment that begins with a colon is a parameter. */
  readonly #methods = new Map<string, Set<string>>();

  /** Adds a route of Fastify (its hook `onRoute`). */
  readonly add = ({ url, method }: { readonly url: string; readonly method: string | readonly string[] }): void => {
    const methods = this.#methods.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    this.#methods.set(url, methods);
  };

  /** Returns the methods that a path accepts; none if it has no route. */
  methodsOf(path: string): readonly string[] {
    const segments = path.split('/');
    for (const [url, methods] of this.#methods) if (matches(url.split('/'), segments)) return [...methods];
    return [];
  }
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isSame = (part: string, index: number): boolean =>
    part.startsWith(':') ? segments[index] !== '' : part === segments[index];
  return pattern.length === segments.length && pattern.every(isSame);
}
