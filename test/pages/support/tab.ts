import axe, { type AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const ENDPOINT = process.env['BROWSER_ENDPOINT'];

/** The tests of pages, where there is a browser; test/browser/start.mjs says when there is none. */
export const describePages = ENDPOINT === undefined ? describe.skip : describe;

/** The browser that all tests of pages share. */
export async function openBrowser(): Promise<Browser> {
  if (ENDPOINT === undefined) throw new Error('There is no browser.');
  return chromium.connect(ENDPOINT);
}

/** Only ends a wait for what never comes: a busy machine may stand still for a while. */
const LONGEST_MS = 120_000;

const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };

/** For {@link TabOptions.before}: what a browser says of a tab that is not in front, which none here can be told to be. */
export const HIDEABLE = `Object.defineProperty(document, 'visibilityState', { get: () => sessionStorage.getItem('hidden') ?? 'visible' })`;

export interface TabOptions {
  /** Runs before the scripts of each page. */
  readonly before?: string;
}

/** A tab of a window of its own, which notes what a page must never do. */
export class Tab implements AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Refusals of the Content-Security-Policy, errors of scripts, requests to elsewhere, dialogs. */
  readonly faults: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
  }

  static async open(browser: Browser, { before }: TabOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ colorScheme: 'light', viewport: DESKTOP, reducedMotion: 'reduce' });
    context.setDefaultTimeout(LONGEST_MS);
    if (before !== undefined) await context.addInitScript(before);
    const tab = new Tab(context, await context.newPage());
    await tab.#watch(tab.page);
    return tab;
  }

  /** Another tab of the same window. */
  async beside(): Promise<Page> {
    const page = await this.context.newPage();
    await this.#watch(page);
    return page;
  }

  /**
   * What axe-core finds that is serious (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md), with the places.
   *
   * @param rules - `color` for those alone that another theme can break
   */
  async seriousFindings(rules: 'all' | 'color' = 'all'): Promise<string[]> {
    const options = {
      resultTypes: ['violations'],
      ...(rules === 'color' && { runOnly: ['color-contrast', 'link-in-text-block'] }),
    };
    if (!(await this.page.evaluate<boolean>('"axe" in window'))) await this.page.evaluate(axe.source);
    // Of what it tells of a page most is that all is well.
    const violations = await this.page.evaluate<AxeResults['violations']>(
      `axe.run(${JSON.stringify(options)}).then((told) => told.violations)`,
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
      );
  }

  /** Puts a tab that is {@link HIDEABLE} in front of the window, or behind another one. */
  async show(state: 'hidden' | 'visible'): Promise<void> {
    await this.page.evaluate(
      `sessionStorage.setItem('hidden', '${state}'); document.dispatchEvent(new Event('visibilitychange'));`,
    );
  }

  /** What is wrong with the page as it stands in light and in dark, on a desk and on a phone. */
  async disorder(): Promise<string[]> {
    await this.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    const found = [...(await this.seriousFindings()), ...(await this.#cutOff())];
    await this.page.emulateMedia({ colorScheme: 'dark' });
    found.push(...(await this.seriousFindings('color')).map((each) => `dark: ${each}`));
    await this.page.setViewportSize(PHONE);
    found.push(...(await this.seriousFindings()).map((each) => `on a phone: ${each}`));
    found.push(...(await this.#cutOff()).map((each) => `on a phone: ${each}`));
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize(DESKTOP);
    return found;
  }

  /** What has to be scrolled to the right to be seen: the window, or a table. */
  async #cutOff(): Promise<string[]> {
    return this.page.evaluate<string[]>(`[document.documentElement, ...document.querySelectorAll('.table')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ scrollWidth, clientWidth, tagName, textContent }) =>
        [tagName, textContent.slice(0, 40), 'is', scrollWidth - clientWidth, 'pixels too wide'].join(' '))`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.context.close();
  }

  async #watch(page: Page): Promise<void> {
    page.on('pageerror', ({ message }) => this.faults.push(`error: ${message}`));
    page.on('dialog', (dialog) => {
      this.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      const own = page.url() === 'about:blank' ? request.url() : page.url();
      if (new URL(request.url()).origin !== new URL(own).origin) this.faults.push(`request: ${request.url()}`);
    });
    await page.exposeFunction('noteViolation', (text: string) => this.faults.push(`policy: ${text}`));
    await page.addInitScript(`addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      noteViolation([effectiveDirective, blockedURI, sample].join(' ')));`);
  }
}
