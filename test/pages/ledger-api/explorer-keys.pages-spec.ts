import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buffer } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { go, write } from '../support/explorer.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

let browser: Browser;
let api: LedgerApi;

async function downloaded(page: Page) {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await saved;
  return { name: download.suggestedFilename(), bytes: await buffer(await download.createReadStream()) };
}

describePages('the explorer', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
    await write(api, 'POST', '/assets', { id: 'umlaut', ...FIELDS, owner: 'Jörg' });
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('focuses the search field by /, except where a slash is typed', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets', 'Assets');
    await page.keyboard.press('/');
    await page.locator('input[type="search"]:focus').waitFor();
    expect(await page.getByRole('combobox', { name: 'Search' }).inputValue()).toBe('');
    await page.getByLabel('Owner', { exact: true }).focus();
    await page.keyboard.type('a/b');
    expect(await page.getByLabel('Owner', { exact: true }).inputValue()).toBe('a/b');
    expect(tab.violations).toEqual([]);
  });

  it('finds the change that gave a field a value, by a URL that can be shared', async () => {
    await write(api, 'POST', '/assets', { id: 'sold', ...FIELDS, owner: 'Ana' });
    const owners = ['Ben', 'Carla', ...Array.from({ length: 30 }, (_, index) => `Dora ${index}`)];
    const ids = [];
    for (const newOwner of owners) ids.push(await write(api, 'PUT', '/assets/sold/transfer', { newOwner }));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets/sold', 'sold');
    await page.getByLabel('Became').fill('Carla');
    await page.keyboard.press('Enter');
    const steps = page.locator('ol.timeline > li');
    await page.locator('ins').getByText('Carla').waitFor();
    // It is older than the 20 newest changes. The one from Carla to Dora does not match.
    expect(await steps.count()).toBe(1);
    await steps.getByTitle(ids[1]!).waitFor();
    await page.reload();
    await steps.getByTitle(ids[1]!).waitFor();
    expect(await tab.problems()).toEqual([]);
    await page.getByLabel('Became').fill('carla');
    await page.keyboard.press('Enter');
    await page.getByText('No change matches the filter.').waitFor();
    await page.getByRole('link', { name: 'Show all', exact: true }).click();
    await page.locator('ins').getByText('Dora 29').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows the active filters, each of which can be removed', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets?owner=J%C3%B6rg&color=blue', 'Assets');
    const chips = page.getByRole('list', { name: 'Active filters' }).getByRole('link');
    await chips.filter({ hasText: 'Color: blue' }).waitFor();
    expect(await tab.problems()).toEqual([]);
    await chips.filter({ hasText: 'Owner: Jörg' }).click();
    await page.waitForURL('**/#/assets?color=blue');
    await chips.filter({ hasText: 'Owner' }).waitFor({ state: 'detached' });
    expect(await chips.count()).toBe(1);
    expect(tab.violations).toEqual([]);
  });

  it('names downloads by their filter, and marks those for Excel', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets?owner=J%C3%B6rg&color=blue', 'Assets');
    const plain = await downloaded(page);
    expect(plain.name).toBe('assets-owner-J_rg-color-blue.csv');
    await page.getByLabel('for Excel').check();
    const marked = await downloaded(page);
    expect(marked.bytes).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain.bytes]));
    expect(plain.bytes.toString()).toContain('Jörg');
    // The choice also applies to other lists, and after a reload.
    await go(page, api, '#/assets/umlaut', 'umlaut');
    await page.reload();
    expect(await page.getByLabel('for Excel').isChecked()).toBe(true);
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });
});
