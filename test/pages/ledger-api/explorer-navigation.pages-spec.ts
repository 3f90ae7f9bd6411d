import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';
import { go, write } from '../support/explorer.js';
import { describePages, openBrowser, PHONE, SLOW_CLOCK, Tab, ZOOMED } from '../support/tab.js';

const LISTED = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:\+0[12]:00|UTC)$/;
/** Lets each timer end after the browser has changed its history and before the page learns it, as it may on a busy machine. */
const TIMERS_BEFORE_NAVIGATION = `{
  const pending = new Map();
  const { setTimeout } = window;
  window.setTimeout = (callback, ...rest) => {
    const run = () => pending.delete(timer) && callback();
    const timer = setTimeout(run, ...rest);
    pending.set(timer, run);
    return timer;
  };
  const { clearTimeout } = window;
  window.clearTimeout = (timer) => void (pending.delete(timer), clearTimeout(timer));
  addEventListener('popstate', () => [...pending.values()].forEach((run) => run()));
}`;

let browser: Browser;
let api: LedgerApi;
let transaction: string;

describePages('the navigation and the times of the explorer', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
    const ids = Array.from({ length: 60 }, (_, index) => `car-${String(index).padStart(2, '0')}`);
    await Promise.all(ids.map((id) => write(api, 'POST', '/assets', { id, ...FIELDS })));
    for (let size = 0; size < 50; size++) {
      transaction = await write(api, 'PUT', '/assets/car-00', { ...FIELDS, size: String(size) });
    }
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('shows date and time in text where one thing is shown, UTC on demand, and full hashes', async () => {
    const { json } = await api.api('GET', `/transactions/${transaction}`);
    const { data } = json as { data: { timestamp: string; blockNumber: number; blockHash: string } };
    const utc = `${data.timestamp.slice(0, 10)} ${data.timestamp.slice(11, 23)} UTC`;
    await using tab = await Tab.open(browser, { timezoneId: 'Europe/Berlin' });
    const { page } = tab;
    await page.goto(`${api.origin}/#/transactions/${transaction}`);
    const time = page.locator('dl time');
    await time.waitFor();
    expect(await time.textContent()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \+0[12]:00$/);
    await page.getByRole('button', { name: 'UTC' }).focus();
    await page.keyboard.press('Enter');
    await time.filter({ hasText: utc }).waitFor();
    expect(await page.locator('dl code').allTextContents()).toEqual(
      expect.arrayContaining([transaction, data.blockHash]),
    );
    expect(await tab.seriousFindings()).toEqual([]);
    await go(page, api, `#/blocks/${data.blockNumber}`, `Block ${data.blockNumber}`);
    expect(await page.locator('dl code').first().textContent()).toBe(data.blockHash);
    expect(tab.violations).toEqual([]);
  });

  it('switches lists between ages, local time and UTC, and remembers the choice', async () => {
    await using tab = await Tab.open(browser, { timezoneId: 'Europe/Berlin' });
    const { page } = tab;
    const times = async () => page.locator('td time').allTextContents();
    await go(page, api, '#/transactions', 'Transactions');
    await page.locator('td time').first().waitFor();
    expect((await times()).every((text) => /ago$|^just now$/.test(text))).toBe(true);
    await page.getByLabel('Times').selectOption('Local time');
    await until(async () => (await times()).every((text) => LISTED.test(text) && !text.endsWith('UTC')));
    await page.getByLabel('Times').selectOption('UTC');
    await until(async () => (await times()).every((text) => LISTED.test(text) && text.endsWith('UTC')));
    expect(await tab.problems()).toEqual([]);
    await go(page, api, '#/assets/car-00', 'car-00');
    await page.locator('li time').first().waitFor();
    expect(await page.locator('li time').first().textContent()).toMatch(/UTC$/);
    await page.reload();
    await page.locator('li time').first().waitFor();
    expect(await page.getByLabel('Times').inputValue()).toBe('utc');
    expect(tab.violations).toEqual([]);
  });

  it('showed “just now” for everything in a browser with a slow clock', async () => {
    await using tab = await Tab.open(browser, { before: SLOW_CLOCK });
    const { page } = tab;
    await page.route('**/api/v1/transactions?*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { data: object[] };
      const timestamp = new Date(Date.now() - 14.5 * 60_000).toISOString();
      await route.fulfill({ response, json: { ...list, data: list.data.map((each) => ({ ...each, timestamp })) } });
    });
    await go(page, api, '#/transactions', 'Transactions');
    await page.getByText('14 min ago').first().waitFor();
    expect(await page.getByText('just now').count()).toBe(0);
    // Ranges end at the time of the server, too.
    const lastHour = new URL((await page.getByRole('link', { name: 'Last hour' }).getAttribute('href'))!, api.origin);
    const since = Date.parse(new URLSearchParams(lastHour.hash.split('?')[1]).get('since')!);
    expect(Math.abs(Date.now() - 3_600_000 - since)).toBeLessThan(1_800_000);
    expect(tab.violations).toEqual([]);
  });

  it('broke the names of callers inside a word', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(api.origin);
    const names = page.locator('td[data-label="Caller"] bdi');
    await names.first().waitFor();
    for (const width of [360, 641, 768, 1061, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const lines = await page.evaluate<number[]>(
        `[...document.querySelectorAll('td[data-label="Caller"] bdi')].map((each) => each.getClientRects().length)`,
      );
      expect([width, ...new Set(lines)]).toEqual([width, 1]);
    }
  });

  it('lost the scroll position, the loaded pages and the focus on Back', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const scrolled = async () => page.evaluate<number>('Math.round(scrollY)');
    await go(page, api, '#/assets/car-00', 'car-00');
    await page.getByRole('button', { name: 'Older' }).click();
    const steps = page.locator('section ol > li');
    await until(async () => (await steps.count()) === 40);
    const link = steps
      .nth(35)
      .getByRole('link')
      .filter({ has: page.locator('code') });
    await link.scrollIntoViewIfNeeded();
    await link.focus();
    const target = await link.getAttribute('href');
    const before = await scrolled();
    expect(before).toBeGreaterThan(1000);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Updated car-00' }).waitFor();
    await until(async () => (await scrolled()) === 0);
    await page.goBack();
    await until(async () => (await steps.count()) === 40);
    await until(async () => (await scrolled()) === before);
    await until(async () => (await page.evaluate(`document.activeElement.getAttribute('href')`)) === target);
    // A reload restores them too.
    await page.reload();
    await until(async () => (await steps.count()) === 40);
    await until(async () => (await scrolled()) === before);
    // A page that was not visited before starts at its top.
    await page.getByRole('link', { name: 'Blocks', exact: true }).click();
    await page.getByRole('heading', { name: 'Blocks', exact: true }).waitFor();
    await until(async () => (await scrolled()) === 0);
    expect(tab.violations).toEqual([]);
  });

  it('saved the scroll position of the page that was left for the page that follows', async () => {
    await using tab = await Tab.open(browser, { before: TIMERS_BEFORE_NAVIGATION });
    const { page } = tab;
    const scrolled = async () => page.evaluate<number>('Math.round(scrollY)');
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
    const rows = page.locator('td[data-label="Caller"]');
    await go(page, api, '#/transactions', 'Transactions');
    await until(async () => (await rows.count()) > 10);
    await page.evaluate('scrollTo(0, 200)');
    await until(async () => (await page.evaluate('history.state.scroll')) === 200);
    await page.evaluate(`scrollTo(0, 250), requestAnimationFrame(() => (location.hash = '#/assets/car-00'))`);
    await heading('car-00').waitFor();
    await page.locator('section ol > li').nth(19).waitFor();
    expect(await scrolled()).toBe(0);
    await page.evaluate(`scrollTo(0, 500), requestAnimationFrame(() => history.back())`);
    await heading('Transactions').waitFor();
    await until(async () => (await scrolled()) === 200);
    expect(tab.violations).toEqual([]);
  });

  it('covered a page with its navigation on a phone and at a zoom of 200 %', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/transactions', 'Transactions');
    await page.getByRole('rowheader').first().waitFor();
    for (const viewport of [PHONE, { width: 390, height: 844 }, ZOOMED]) {
      await page.setViewportSize(viewport);
      for (const link of await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link').all()) {
        const { x, width } = (await link.boundingBox())!;
        expect([x >= 0, x + width <= viewport.width]).toEqual([true, true]);
      }
      await page.evaluate('scrollTo(0, 400)');
      expect((await page.locator('.page-header').boundingBox())!.y).toBeLessThanOrEqual(-400);
      await page.evaluate('scrollTo(0, 0)');
    }
    expect(tab.violations).toEqual([]);
  });
});
