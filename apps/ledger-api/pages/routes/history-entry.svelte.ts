/** What the browser's history stores about a page, so that Back shows the page as it was left. */
interface Entry {
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

/** Whether the position of the present page is still to be restored, because its content loads. */
let isRestoring = false;

function entry(): Entry {
  return (history.state ?? {}) as Entry;
}

function save(change: Entry): void {
  history.replaceState({ ...entry(), ...change }, '');
}

/** Saves the scroll position of each page, and the link by which the user leaves it. @returns a function that stops it */
export function savePositions(): () => void {
  history.scrollRestoration = 'manual';
  const stopped = new AbortController();
  const { signal } = stopped;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => {
    clearTimeout(timer);
  };
  const onScroll = (): void => {
    cancel();
    timer = setTimeout(() => {
      if (!isRestoring) save({ scroll: scrollY });
    }, SAVE_DELAY_MS);
  };
  const onClick = ({ target }: Event): void => {
    const link = target instanceof Element ? target.closest('main a')?.getAttribute('href') : undefined;
    if (typeof link === 'string') save({ scroll: scrollY, link });
  };
  addEventListener('scroll', onScroll, { signal });
  addEventListener('click', onClick, { signal, capture: true });
  addEventListener('hashchange', cancel, { signal });
  return () => {
    cancel();
    stopped.abort();
  };
}

/**
 * Scrolls to where the user left the page, while it loads, and focuses the link that was followed.
 * @returns false if the page is a new one
 */
export function restorePosition(main: HTMLElement): boolean {
  const { scroll, link } = entry();
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
