import type { AxeResults } from 'axe-core';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserType, Page } from 'playwright-core';

/** Loads Playwright once per worker. Jest's own module registry would load its 4 MB again for each test file, in 0.5 s of CPU. */
const { chromium } = process.getBuiltinModule('node:module').createRequire(import.meta.url)('playwright-core') as {
  readonly chromium: BrowserType;
};

const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
/**
 * Leaves out the rules whose findings are never serious, and style sheets loaded again for a rule that is disabled by
 * default (css-orientation-lock).
 */
const AXE_OPTIONS = `{
  resultTypes: ['violations'],
  preload: false,
  rules: Object.fromEntries(
    axe._audit.rules.filter(({ impact }) => /minor|moderate/.test(impact)).map(({ id }) => [id, { enabled: false }]),
  ),
}`;
/** The rules that depend on the theme. */
const AXE_OPTIONS_OF_COLORS = `{ resultTypes: ['violations'], preload: false, runOnly: ['color-contrast', 'link-in-text-block'] }`;

const ENDPOINT = process.env['BROWSER_ENDPOINT'];

/** Describes tests that need a browser. They are skipped without one; test/browser/start.mjs reports that. */
export const describePages = ENDPOINT === undefined ? describe.skip : describe;

/** Connects to the browser that all tests share. */
export async function openBrowser(): Promise<Browser> {
  if (ENDPOINT === undefined) throw new Error('No browser is available.');
  return chromium.connect(ENDPOINT);
}

/** Only for waits that would never end; generous, because the machine may be busy. */
const TIMEOUT_MS = 120_000;

export const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
const TABLET = { width: 768, height: 1024 };
/** The viewport of {@link DESKTOP} at a zoom of 200 %. */
export const ZOOMED = { width: 640, height: 450 };

/** For {@link TabOptions.before}: makes the visibility controllable by {@link Tab.show}, which a headless browser lacks. */
export const HIDEABLE = `Object.defineProperty(document, 'visibilityState', { get: () => sessionStorage.getItem('hidden') ?? 'visible' })`;

/** For {@link TabOptions.before}: a browser whose clock is an hour behind. */
export const SLOW_CLOCK = 'const now = Date.now; Date.now = () => now() - 3_600_000;';

export interface TabOptions {
  /** A script that runs before those of each page. */
  readonly before?: string;
  /** The time zone of the browser: `Europe/Berlin`. */
  readonly timezoneId?: string;
}

/** A tab in its own browser context that records what a page must never do. */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Violations of the Content-Security-Policy, script errors, requests to other origins, and dialogs. */
  readonly violations: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  static async open(browser: Browser, { before, timezoneId }: TabOptions = {}): Promise<Tab> {
    const context = await browser.newContext({
      colorScheme: 'light',
      viewport: DESKTOP,
      reducedMotion: 'reduce',
      ...(timezoneId !== undefined && { timezoneId }),
    });
    context.setDefaultTimeout(TIMEOUT_MS);
    if (before !== undefined) await context.addInitScript(before);
    const tab = new Tab(context, await context.newPage());
    await tab.#watch(tab.page);
    return tab;
  }

  /** Opens another tab in the same context. */
  async openTab(): Promise<Page> {
    const page = await this.context.newPage();
    await this.#watch(page);
    return page;
  }

  /**
   * Returns the serious findings of axe-core (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md).
   *
   * @param rules - `color` for the rules that depend on the theme
   */
  async seriousFindings(rules: 'all' | 'color' = 'all'): Promise<string[]> {
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(AXE);
    // Only the violations: the whole result is large.
    const violations = await this.page.evaluate<AxeResults['violations']>(
      `axe.run(${rules === 'color' ? AXE_OPTIONS_OF_COLORS : AXE_OPTIONS}).then((results) => results.violations)`,
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
      );
  }

  /** Changes the visibility of a {@link HIDEABLE} tab. */
  async show(state: 'hidden' | 'visible'): Promise<void> {
    await this.page.evaluate(
      `sessionStorage.setItem('hidden', '${state}'); document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  /** Returns accessibility and layout problems of the page in light and dark, on a desktop, a tablet and a phone, and at a zoom of 200 %. */
  async problems(): Promise<string[]> {
    await this.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const found = [...(await this.seriousFindings()), ...(await this.#overflow())];
    await this.page.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await this.seriousFindings('color')).map((each) => `dark: ${each}`));
    await this.page.setViewportSize(PHONE);
    found.push(...(await this.seriousFindings()).map((each) => `on a phone: ${each}`));
    found.push(...(await this.#overflow()).map((each) => `on a phone: ${each}`));
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize(ZOOMED);
    found.push(...(await this.#overflow()).map((each) => `at a zoom of 200 %: ${each}`));
    await this.page.setViewportSize(TABLET);
    found.push(...(await this.#overflow()).map((each) => `on a tablet: ${each}`));
    await this.page.setViewportSize(DESKTOP);
    return found;
  }

  /** Returns elements that are wider than the viewport, after the charts have adapted to it. */
  async #overflow(): Promise<string[]> {
    await this.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    return this.page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('.table')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ scrollWidth, clientWidth, tagName, textContent }) =>
        [tagName, textContent.slice(0, 40), 'overflows by', scrollWidth - clientWidth, 'pixels'].join(' '))`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The page may still load, through the routes of a test that has ended.
    for (const page of this.context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context.close();
  }

  async #watch(page: Page): Promise<void> {
    page.on('pageerror', ({ message }) => this.violations.push(`error: ${message}`));
    page.on('dialog', (dialog) => {
      this.violations.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const own = page.url() === 'about:blank' ? request.url() : page.url();
      if (new URL(request.url()).origin !== new URL(own).origin) this.violations.push(`request: ${request.url()}`);
    });
    await page.exposeFunction('recordViolation', (text: string) => this.violations.push(`policy: ${text}`));
    await page.addInitScript(`addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      recordViolation([effectiveDirective, blockedURI, sample].join(' ')));`);
  }
}
