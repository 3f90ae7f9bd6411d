/** How long a new tab waits for other tabs. They answer within milliseconds, unless the browser has frozen them. */
const ANSWER_TIMEOUT_MS = 300;

/** A message between the tabs of a page: a new tab requests the secret, a signed-in one answers, or the user signs out. */
type Message = { readonly kind: 'request' | 'end' } | { readonly kind: 'answer'; readonly secret: string };

/**
 * A key or token that the user entered. It is stored in sessionStorage: for this tab only, and never sent automatically. New
 * tabs request it from signed-in tabs of the same page, by messages that the browser does not store.
 */
export class Secret {
  readonly #name: string;
  readonly #tabs: BroadcastChannel;

  /** @param name - key in sessionStorage */
  constructor(name: string) {
    this.#name = name;
    // Another page of this origin, such as a second ledger below another path, has its own secret.
    this.#tabs = new BroadcastChannel(`${name} of ${new URL('.', document.baseURI).pathname}`);
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
   * Answers requests of other tabs from now on.
   * @param isSignedIn - returns whether the server has accepted the secret: no other tab answers
   * @param onEnd - called when the user has signed out in another tab
   */
  share(isSignedIn: () => boolean, onEnd: () => void): void {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      const { value } = this;
      if (data.kind === 'end') onEnd();
      if (data.kind === 'request' && value !== undefined && isSignedIn()) this.#post({ kind: 'answer', secret: value });
    });
  }

  /** Requests the secret from the other tabs, and stores it. @returns undefined if no signed-in tab answered */
  async request(): Promise<string | undefined> {
    const done = new AbortController();
    this.value = await new Promise<string | undefined>((resolve) => {
      const onMessage = ({ data }: MessageEvent<Message>): void => {
        if (data.kind === 'answer') resolve(data.secret);
        // The user signed out meanwhile.
        if (data.kind === 'end') resolve(undefined);
      };
      this.#tabs.addEventListener('message', onMessage, { signal: done.signal });
      setTimeout(resolve, ANSWER_TIMEOUT_MS);
      this.#post({ kind: 'request' });
    });
    done.abort();
    return this.value;
  }

  /** Removes the secret, and ends the sessions of the other tabs. */
  end(): void {
    this.value = undefined;
    this.#post({ kind: 'end' });
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

  #post(message: Message): void {
    this.#tabs.postMessage(message);
  }
}
