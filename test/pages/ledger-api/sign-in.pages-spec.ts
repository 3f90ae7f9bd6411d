import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, ledgerTool } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

let browser: Browser;
let api: LedgerApi;
let reader: string;
let writer: string;

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describePages('the explorer of a ledger with callers', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([
      openBrowser(),
      LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_RATE_LIMIT: '20' }),
    ]);
    reader = await addCaller(api.dataDir, 'rita', '--role', 'reader');
    writer = await addCaller(api.dataDir, 'walt', '--role', 'writer');
    const headers = { 'x-api-key': writer };
    await until(async () => (await api.api('GET', '/callers/me', { headers })).status === 200);
    await api.api('POST', '/assets', { headers, body: { id: 'car-7', ...FIELDS } });
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('asks for a key, says what is wrong with one, and keeps it for the tab only', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(`${api.origin}/#/assets/car-7`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await signIn(page, 'schlüssel');
    await page.getByText('That is no key.').waitFor();
    await signIn(page, `${reader.slice(0, -1)}x`);
    await page.getByRole('alert').getByText('key').waitFor();
    await signIn(page, writer);
    // Where whoever came wanted to go.
    await page.getByRole('heading', { name: 'car-7' }).waitFor();
    await page.getByText('walt').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'car-7' }).waitFor();
    const other = await tab.beside();
    await other.goto(api.origin);
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
    expect(urls.filter((url) => url.includes('lk_'))).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('offers what the role may do, and signs with the name of who does it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets/car-7/transfer`);
    await signIn(page, reader);
    await page.getByText('You may read.').waitFor();
    await page.goto(`${api.origin}/#/assets/car-7`);
    await page.locator('dl').getByText('Tomoko').waitFor();
    expect(await page.getByRole('link', { name: 'Transfer' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, writer);
    await page.getByRole('link', { name: 'Transfer' }).click();
    await page.getByLabel('New owner').fill('Ben');
    await page.keyboard.press('Enter');
    await page.getByRole('list').getByText('walt@org1.example.com').first().waitFor();
    expect(tab.faults).toEqual([]);
  });

  it('shows the door to a caller who is revoked, at once', async () => {
    const key = await addCaller(api.dataDir, 'gone', '--role', 'reader');
    await until(async () => (await api.api('GET', '/callers/me', { headers: { 'x-api-key': key } })).status === 200);
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(api.origin);
    await signIn(page, key);
    await page.getByText('Live', { exact: true }).waitFor();
    await ledgerTool(api.dataDir, 'callers', 'revoke', 'gone');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    expect(tab.faults).toEqual([]);
  });

  it('waits when it has asked too often, and goes on by itself', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(api.origin);
    await signIn(page, reader);
    await page.getByText('Live', { exact: true }).waitFor();
    const headers = { 'x-api-key': reader };
    const limited = async () => (await api.api('GET', '/callers/me', { headers })).status === 429;
    await until(limited);
    await page.getByRole('link', { name: 'Blocks', exact: true }).click();
    await page.getByText('More than 20 requests came in a second.').waitFor();
    await page.getByRole('rowheader').first().waitFor();
    expect(tab.faults).toEqual([]);
  });
});
