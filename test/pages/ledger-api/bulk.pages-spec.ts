import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { hostile, seenOf } from '../support/hostile.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const IDS = Array.from({ length: 500 }, (_, index) => `car-${index + 1}`);

let browser: Browser;
let api: LedgerApi;

/** Opens the newest transaction that called a function. */
async function openTransaction(page: Page, name: string): Promise<void> {
  const { json } = await api.api('GET', `/transactions?function=${name}&limit=1`);
  const { data } = json as { data: { transactionId: string }[] };
  await page.goto(`${api.origin}/#/transactions/${data[0]!.transactionId}`);
  await page.getByRole('heading', { name: 'Call', exact: true }).waitFor();
}

describePages('the explorer shows assets that were created in bulk', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('as one sentence, the receipt, a table of the argument, and folded writes', async () => {
    await api.createMany(IDS);
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await openTransaction(page, 'CreateAssets');
    await page.getByRole('heading', { name: 'Created 500 assets: car-1 … car-500' }).waitFor();
    const headings = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents();
    expect(headings.slice(1)).toEqual(['Receipt', 'Call', 'Reads and writes']);

    const assets = page.getByRole('table', { name: 'argument 1' });
    expect(await assets.getByRole('columnheader').allTextContents()).toEqual([
      ...['ID', 'appraisedValue', 'color', 'owner', 'size'],
    ]);
    expect(await assets.getByRole('rowheader').allTextContents()).toEqual(IDS.slice(0, 10));
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await assets.getByRole('rowheader').count()).toBe(500);

    const keys = page.getByRole('table', { name: 'Keys read and written' });
    expect(await keys.isVisible()).toBe(false);
    expect(await tab.problems()).toEqual([]);
    await page.getByText('500 keys').click();
    expect(await keys.getByRole('rowheader').count()).toBe(100);
    expect(tab.violations).toEqual([]);
  });

  it('with other arguments in lines, in which hidden characters are escaped', async () => {
    const id = hostile('id');
    const nested = JSON.stringify({ id, list: Array.from({ length: 20 }, (_, index) => index) });
    await api.api('POST', '/contracts/basic/submit', {
      body: { function: 'CreateAsset', arguments: [id, nested, 's', 'o', '1'] },
    });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await openTransaction(page, 'CreateAsset');
    const lines = page.locator('.arguments pre');
    expect((await lines.textContent())!.split('\n')).toHaveLength(10);
    expect(await lines.textContent()).toContain(JSON.stringify(seenOf('id')).slice(1, -1) + String.raw`\u202e`);
    await page.getByText('The first 10 of 25 lines').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    expect((await lines.textContent())!.split('\n')).toHaveLength(25);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('as one row for each asset in the CSV of a search', async () => {
    await api.createMany(
      IDS.map((id) => `more-${id}`),
      { owner: hostile('owner') },
    );
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/transactions?function=CreateAssets`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = await text(await (await saved).createReadStream());
    const keys = [...csv.matchAll(/,VALID,basic,([^,]+),written,/g)].map(([, key]) => key);
    expect(keys).toHaveLength(1000);
    expect(new Set(keys)).toEqual(new Set([...IDS, ...IDS.map((id) => `more-${id}`)]));
    expect(tab.violations).toEqual([]);
  });
});
