import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { go, write } from '../support/explorer.js';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';
import { pdfText } from '../support/pdf-text.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const CONTROLS = [
  'Excel',
  'Compare',
  'Menu',
  'Search',
  'Sign out',
  'Download',
  'Verify',
  'Last 7 days',
  'Filter',
  'ago',
  'Age',
  'Older',
];

let browser: Browser;
let api: LedgerApi;

/** Returns the number of sheets of a PDF. */
const sheetsOf = (pdf: Uint8Array): number =>
  Buffer.from(pdf)
    .toString('latin1')
    .match(/\/Type\s*\/Page\b/g)!.length;

/** Removes the blanks, because a long text is broken into lines. */
const packed = (text: string): string => text.replaceAll(' ', '');

describePages('the explorer on paper', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('has the whole history of an asset with full ids, UTC times and a foot, without controls', async () => {
    const created = await write(api, 'POST', '/assets', { id: 'filed', ...FIELDS });
    const owners = Array.from({ length: 30 }, (_, index) => `Owner ${index}`);
    for (const newOwner of owners) await write(api, 'PUT', '/assets/filed/transfer', { newOwner });
    await using tab = await Tab.open(browser, {
      before: 'print = () => { window.isPrinted = true }',
      timezoneId: 'Asia/Tokyo',
    });
    const { page } = tab;
    await go(page, api, '#/assets/filed', 'filed');
    await page.getByText('Live', { exact: true }).waitFor();
    // The foot has the head of the chain as soon as the page knows it.
    await page.locator('.on-paper', { hasText: '32 blocks' }).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Print' }).click();
    await until(() => page.evaluate<boolean>('window.isPrinted === true'));
    const pdf = await page.pdf({ format: 'A4' });
    const text = pdfText(pdf).replaceAll(/\s+/g, ' ');
    const { json } = await api.api('GET', '/assets/filed/history');
    const { data } = json as { data: { transactionId: string; timestamp: string }[] };
    expect(data).toHaveLength(31);
    for (const { transactionId, timestamp } of data) {
      expect(packed(text)).toContain(transactionId);
      expect(packed(text)).toContain(timestamp);
    }
    expect(text).toContain('Owner 29');
    const info = (await api.api('GET', '/blockchain/info')).json as { data: { blockHash: string } };
    expect(packed(text)).toContain(packed(`${api.origin}/#/assets/filed`));
    expect(packed(text)).toContain(`Channelmychannel,32blocks,hashofthenewestblock${info.data.blockHash}`);
    // The foot and the number are on each sheet.
    const sheets = sheetsOf(pdf);
    expect(sheets).toBeGreaterThan(2);
    for (const part of [packed(`${api.origin}/#/assets/filed`), info.data.blockHash, 'Printedat', `of${sheets}`])
      expect([part, packed(text).split(part).length - 1]).toEqual([part, sheets]);
    expect(text).toMatch(/Printed at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} UTC/);
    for (const control of CONTROLS) expect(text).not.toMatch(new RegExp(`\\b${control}\\b`));
    expect(packed(text)).toContain(created);
    expect(tab.violations).toEqual([]);
  });

  it('has all keys and arguments of a transaction that created many assets', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `sheet-${index}-`);
    await api.createMany(ids);
    const { json } = await api.api('GET', '/transactions?function=CreateAssets&limit=1');
    const [{ transactionId }] = (json as { data: [{ transactionId: string }] }).data;
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/transactions/${transactionId}`);
    await page.getByRole('heading', { name: 'Call', exact: true }).waitFor();
    const pdf = await page.pdf({ format: 'A4' });
    const text = pdfText(pdf).replaceAll(/\s+/g, ' ');
    expect(text.split('Printed at').length - 1).toBe(sheetsOf(pdf));
    expect(packed(text)).toContain(`Transaction${transactionId}`);
    // As a row of the argument, and as a key that was written.
    for (const id of ids) expect(text.split(id).length).toBeGreaterThan(2);
    for (const control of CONTROLS) expect(text).not.toMatch(new RegExp(`\\b${control}\\b`));
    // On the screen it is as before.
    expect(await page.getByRole('table', { name: 'argument 1' }).getByRole('rowheader').count()).toBe(10);
    expect(tab.violations).toEqual([]);
  });
});
