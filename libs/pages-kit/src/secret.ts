/**
 * A key or a token that whoever looks has given. It is kept for the tab and nowhere else: gone with it, unknown to other tabs,
 * never sent by itself as a cookie would be.
 */
export class Secret {
  readonly #name: string;

  /** @param name - under which the tab keeps it */
  constructor(name: string) {
    this.#name = name;
  }

  /** Undefined while there is none. */
  get value(): string | undefined {
    return sessionStorage.getItem(this.#name) ?? undefined;
  }

  set value(text: string | undefined) {
    if (text === undefined) sessionStorage.removeItem(this.#name);
    else sessionStorage.setItem(this.#name, text);
  }

  /**
   * Takes it from a link that ends in `#NAME=SECRET`, and the link out of the address bar and the history. What stands behind
   * a `#` is sent to no server.
   */
  takeFromAddress(name: string): void {
    const given = new URLSearchParams(location.hash.slice(1)).get(name);
    if (given === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    if (given !== '') this.value = given;
  }
}
