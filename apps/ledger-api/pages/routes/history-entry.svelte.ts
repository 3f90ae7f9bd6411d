/** What the browser's history stores about a page, so that Back shows the page as it was left. */
interface Entry {
  /** Distinguishes it from the other entries. */
  readonly id?: number;
  /** The vertical scroll position. */
  readonly scroll?: number;
  /** The URL of the link that was followed. */
  readonly link?: string;
  /** The numbers of rows shown, by the names of their lists. */
  readonly rows?: Readonly<Record<string, number>>;
}

/** The delay after the last scroll event. Browsers limit how often a page may change its history. */
const SAVE_DELAY_MS = 100;
/** Events by which the user takes over the scrolling. */
const INPUTS = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'hashchange'];

/**
 * The id of the entry of the page that is shown. The browser changes its history before it sends the event by which the page
 * follows, and a timer may run in between: what belongs to the old page must not be saved in the entry of the new one.
 */
let shownId: number | undefined;
/** Whether the position of the present page is still to be restored, because its content loads. */
let isRestoring = false;

function entry(): Entry {
  return (history.state ?? {}) as Entry;
}

function save(change: Entry): void {
  history.replaceState({ ...entry(), ...change }, '');
}

function saveOfShown(change: Entry): void {
  if (entry().id === shownId) save(change);
}

/** Saves the scroll position of each page, and the link by which the user leaves it. @returns a function that stops it */
export function savePositions(): () => void {
  history.scrollRestoration = 'manual';
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onScroll = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (!isRestoring) saveOfShown({ scroll: scrollY });
    }, SAVE_DELAY_MS);
  };
  const onClick = ({ target }: Event): void => {
    const link = target instanceof Element ? target.closest('main a')?.getAttribute('href') : undefined;
    if (typeof link === 'string') saveOfShown({ scroll: scrollY, link });
  };
  addEventListener('scroll', onScroll, { signal });
  addEventListener('click', onClick, { signal, capture: true });
  return () => {
    clearTimeout(timer);
    stopped.abort();
  };
}

/**
 * Scrolls to where the user left the page, while it loads, and focuses the link that was followed.
 * @returns false if the page is a new one
 */
export function restorePosition(main: HTMLElement): boolean {
  const { id = Math.random(), scroll, link } = entry();
  shownId = id;
  save({ id });
  if (scroll === undefined) return false;
  isRestoring = true;
  const finished = new AbortController();
  const finish = (): void => {
    isRestoring = false;
    observer.disconnect();
    finished.abort();
  };
  const update = (): void => {
    scrollTo(0, scroll);
    if (main.querySelector('[aria-busy="true"]') !== null) return;
    const followed = [...main.querySelectorAll('a')].find((each) => each.getAttribute('href') === link);
    followed?.focus({ preventScroll: true });
    finish();
  };
  const observer = new MutationObserver(update);
  observer.observe(main, { subtree: true, childList: true, attributeFilter: ['aria-busy'] });
  for (const type of INPUTS) addEventListener(type, finish, { signal: finished.signal });
  update();
  return true;
}

/** The number of rows that a list shows. Back restores it. */
export class ShownRows {
  readonly #list: string;
  #count: number;

  /** @param list - its name, unique on the page */
  constructor(list: string, initial: number) {
    this.#list = list;
    this.#count = $state(entry().rows?.[list] ?? initial);
  }

  get count(): number {
    return this.#count;
  }

  set count(count: number) {
    this.#count = count;
    save({ rows: { ...entry().rows, [this.#list]: count } });
  }
}
