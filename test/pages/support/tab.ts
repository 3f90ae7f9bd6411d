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

export const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
export const THEMES = ['light', 'dark'] as const;

export interface TabOptions {
  readonly theme?: (typeof THEMES)[number];
  readonly size?: { readonly width: number; readonly height: number };
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

  static async open(browser: Browser, { theme = 'light', size = DESKTOP, before }: TabOptions = {}): Promise<Tab> {
    const context = await browser.newContext({ colorScheme: theme, viewport: size, reducedMotion: 'reduce' });
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

  /** What axe-core finds that is serious (https://github.com/dequelabs/axe-core/blob/develop/doc/API.md), with the places. */
  async seriousFindings(): Promise<string[]> {
    await this.page.evaluate(axe.source);
    const { violations } = await this.page.evaluate<AxeResults>('axe.run()');
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join('; ')}`,
      );
  }

  /** How many pixels stand out to the right of the window. */
  async overhang(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
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
