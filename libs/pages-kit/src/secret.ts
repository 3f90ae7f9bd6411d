/** A key or token that the user entered. It is stored in sessionStorage: for this tab only, and never sent automatically. */
export class Secret {
  readonly #name: string;

  /** @param name - key in sessionStorage */
  constructor(name: string) {
    this.#name = name;
  }

  /** Undefined if none is stored. */
  get value(): string | undefined {
    return sessionStorage.getItem(this.#name) ?? undefined;
  }

  set value(text: string | undefined) {
    if (text === undefined) sessionStorage.removeItem(this.#name);
    else sessionStorage.setItem(this.#name, text);
  }

  /**
   * Reads the secret from a link that ends in `#NAME=SECRET`, and removes it from the address bar and the history. Browsers do
   * not send the fragment to the server.
   */
  readFromUrl(name: string): void {
    const given = new URLSearchParams(location.hash.slice(1)).get(name);
    if (given === null) return;
    history.replaceState(null, '', location.pathname + location.search);
    if (given !== '') this.value = given;
  }
}
