import type { Zone } from '#pages-kit';

const STORED = 'times';
const STYLES = ['age', 'local', 'utc'] as const satisfies readonly ('age' | Zone)[];

/** How lists show times. The choice is stored in this browser. */
class Times {
  #style: (typeof STYLES)[number] = $state(STYLES.find((style) => style === localStorage.getItem(STORED)) ?? 'age');

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
}

export const times = new Times();
