import { replaceUrl, withParameter } from '#pages-kit';

/**
 * A choice of the reader that is a parameter of the page's URL, so that a link shows the same view, and a reload keeps it. It is
 * in the query and not in the fragment, which names a section.
 */
export class ViewParameter<Value extends string = string> {
  readonly #name: string;
  readonly #usual: Value;
  #value: Value;

  /**
   * @param usual - the value without a parameter
   * @param allowed - all values; any text if it is undefined
   */
  constructor(name: string, usual: Value, allowed?: readonly Value[]) {
    this.#name = name;
    this.#usual = usual;
    const given = new URLSearchParams(location.search).get(name);
    const isAllowed = given !== null && (allowed === undefined || (allowed as readonly string[]).includes(given));
    this.#value = $state(isAllowed ? (given as Value) : usual);
  }

  get value(): Value {
    return this.#value;
  }

  set value(value: Value) {
    this.#value = value;
    setParameter(this.#name, value === this.#usual ? undefined : value);
  }
}

/** Sets or removes a parameter of the page's URL. */
export function setParameter(name: string, value: string | undefined): void {
  const { pathname, search, hash } = location;
  replaceUrl(withParameter(pathname + search, name, value) + hash);
}
