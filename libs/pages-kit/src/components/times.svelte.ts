import type { Zone } from '#pages-kit';

const STORED = 'times';
const STYLES = ['age', 'local', 'utc'] as const satisfies readonly ('age' | Zone)[];

const DEFAULT = 'age';

/** How lists show times. The choice is stored in this browser, and part of the page's URL, so that a link shows the same times. */
class Times {
  #style: (typeof STYLES)[number] = $state(STYLES.find((style) => style === localStorage.getItem(STORED)) ?? DEFAULT);

  /** The zone of exact times. */
  get zone(): Zone {
    return this.#style === 'utc' ? 'utc' : 'local';
  }

  get style(): (typeof STYLES)[number] {
    return this.#style;
  }

  set style(style: (typeof STYLES)[number]) {
    this.#style = style;
    localStorage.setItem(STORED, style);
  }

  /** The parameter of a URL; undefined for the default. */
  get parameter(): string | undefined {
    return this.#style === DEFAULT ? undefined : this.#style;
  }

  /** Shows times as a link states, without storing that as the choice of this browser. */
  adopt(parameter: string | null): void {
    this.#style = STYLES.find((style) => style === parameter) ?? this.#style;
  }
}

export const times = new Times();
