import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/until.js';
import { go } from '../support/explorer.js';
import { describePages, openBrowser, Tab, ZOOMED } from '../support/tab.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const DAY_MS = 86_400_000;
const PHONE = { width: 390, height: 844 };

let browser: Browser;
let api: LedgerApi;
let keys: Record<'ana' | 'ben', string>;
/** The transactions that changed car-7, oldest first. */
let changes: { id: string; block: number; time: number }[];

async function send(caller: 'ana' | 'ben', method: string, path: string, body: object): Promise<string> {
  const { headers } = await api.api(method, path, { body, headers: { 'x-api-key': keys[caller] } });
  return String(headers['x-transaction-id']);
}

async function get<Data>(path: string): Promise<Data> {
  const { json } = await api.api('GET', path, { headers: { 'x-api-key': keys.ana } });
  return (json as { data: Data }).data;
}

/** Opens the explorer as ana. */
async function open(fragment: string, heading: string, timezoneId = 'UTC'): Promise<Tab> {
  const tab = await Tab.open(browser, {
    timezoneId,
    before: `sessionStorage.setItem('ledger-api-key', '${keys.ana}')`,
  });
  await go(tab.page, api, fragment, heading);
  return tab;
}

/** Presses the button that downloads a list. @returns its lines */
async function downloadCsv(page: Page): Promise<string[]> {
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toMatch(/\.csv$/);
  return (await text(await download.createReadStream())).trim().split('\r\n');
}

describePages('finding things in the explorer', () => {
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-find-'));
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start({ LEDGER_AUTH: 'on' }, dataDir)]);
    const ana = await changeCallers(api, () => addCaller(dataDir, 'ana', '--role', 'writer'));
    keys = { ana, ben: await changeCallers(api, () => addCaller(dataDir, 'ben', '--role', 'writer')) };
    await send('ana', 'POST', '/assets', { id: 'car-7', ...FIELDS });
    for (let number = 190; number < 196; number++)
      await send('ana', 'POST', '/assets', { id: `car-${number}`, ...FIELDS });
    await send('ben', 'POST', '/assets', { id: 'Boat-1', ...FIELDS, owner: 'Sue', color: '=1+1' });
    await send('ben', 'PUT', '/assets/car-7/transfer', { newOwner: 'Ben' });
    await send('ana', 'PUT', '/assets/car-7', { ...FIELDS, color: 'green' });
    const versions = await get<{ transactionId: string; blockNumber: number; timestamp: string }[]>(
      '/assets/car-7/history?limit=10',
    );
    changes = versions
      .map((each) => ({ id: each.transactionId, block: each.blockNumber, time: Date.parse(each.timestamp) }))
      .reverse();
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('suggests ids that begin with a text, by keyboard', async () => {
    await using tab = await open('', 'Overview');
    const { page } = tab;
    const field = page.getByRole('combobox', { name: 'Search' });
    const options = page.locator('#suggestions').getByRole('option');
    await field.focus();
    await page.keyboard.type('car-19');
    await options.getByText('car-195').waitFor();
    expect(await options.count()).toBe(7);
    expect(await field.getAttribute('aria-expanded')).toBe('true');
    expect(await tab.seriousFindings()).toEqual([]);
    await page.keyboard.press('ArrowUp');
    const selected = page.locator('#suggestions').getByRole('option', { selected: true });
    await selected.filter({ hasText: 'All assets with such ids' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await selected.filter({ hasText: 'car-190' }).waitFor();
    expect(await field.getAttribute('aria-activedescendant')).toBe(await selected.getAttribute('id'));
    await page.keyboard.press('Escape');
    await until(async () => (await options.count()) === 0);
    expect(await field.inputValue()).toBe('car-19');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Begins with this text' }).waitFor();
    await page.getByRole('link', { name: 'All assets with such ids' }).click();
    await page.getByRole('rowheader', { name: 'car-195' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(6);
    expect(tab.violations).toEqual([]);
  });

  it('suggests with the mouse and on a phone, without regard to case on a second try', async () => {
    await using tab = await open('#/blocks', 'Blocks');
    const { page } = tab;
    const field = page.getByRole('combobox', { name: 'Search' });
    await page.setViewportSize(PHONE);
    await field.fill('bOaT');
    await page.getByText('In upper or lower case:').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    const { x, width } = (await page.locator('#suggestions').getByRole('option').first().boundingBox())!;
    expect([x >= 0, x + width <= PHONE.width]).toEqual([true, true]);
    await page.getByRole('option', { name: 'Boat-1' }).click();
    await page.getByRole('heading', { name: 'Boat-1', level: 1 }).waitFor();
    // A selected suggestion is scrolled into view; the list closes with the focus.
    await page.setViewportSize(ZOOMED);
    await field.fill('car');
    await page.locator('#suggestions').getByRole('option').first().waitFor();
    await page.keyboard.press('ArrowUp');
    await until(async () => {
      const [box, last] = await Promise.all(
        ['.suggestions', '[aria-selected="true"]'].map(async (each) => page.locator(each).boundingBox()),
      );
      return last!.y + last!.height <= box!.y + box!.height;
    });
    await page.keyboard.press('Tab');
    await page.locator('#suggestions').getByRole('option').first().waitFor({ state: 'hidden' });
    expect(tab.violations).toEqual([]);
  });

  it.each([
    ['ben@', 'Transactions of the caller', 'ben@org1.example.com', ['Transferred car-7', 'Created Boat-1']],
    ['Transf', 'Calls of the function', 'TransferAsset', ['Transferred car-7']],
    ['Su', 'Assets of the owner', 'Sue', ['Boat-1']],
  ])('finds %s as %s', async (prefix, kind, value, rows) => {
    await using tab = await open('', 'Overview');
    const { page } = tab;
    await page.getByRole('combobox', { name: 'Search' }).fill(prefix);
    await page.getByRole('option', { name: `${value} ${kind}` }).click();
    await page.getByRole('heading', { name: /^(Transactions|Assets)$/, level: 1 }).waitFor();
    await page.getByRole('rowheader', { name: rows.at(-1)! }).waitFor();
    const shown = await page.getByRole('rowheader').allTextContents();
    expect(shown.map((each) => each.replace(/\s+/g, ' ').trim())).toEqual(
      rows.map((row) => expect.stringContaining(row.split(' ')[0]!) as unknown),
    );
    expect(tab.violations).toEqual([]);
  });

  it('finds a transaction and a block by their first digits, and everything that a caller did', async () => {
    const [, transfer] = changes;
    await using tab = await open(
      `#/search?q=${transfer!.id.slice(0, 12)}`,
      `Transaction ${transfer!.id.slice(0, 8)}…${transfer!.id.slice(-6)}`,
    );
    const { page } = tab;
    // The caller of the transaction is a link to everything that it did.
    await page.locator('dl').getByRole('link', { name: 'ben@org1.example.com' }).click();
    await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor();
    await until(async () => (await page.getByLabel('Caller').inputValue()) === 'ben@org1.example.com');
    await until(async () => (await page.getByRole('rowheader').count()) === 2);
    await page.getByLabel('Id begins with').fill(transfer!.id.slice(0, 10).toUpperCase());
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader').nth(1).waitFor({ state: 'detached' });
    await page.getByTitle(transfer!.id).waitFor();
    await until(async () => (await page.getByRole('rowheader').count()) === 1);

    const { hash } = await get<{ hash: string }>(`/blocks/${transfer!.block}`);
    await page.getByRole('combobox', { name: 'Search' }).fill(hash.slice(0, 40).toUpperCase());
    await page.locator('#suggestions').getByRole('option').getByText(`Block ${transfer!.block}`).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Block ${transfer!.block}`, level: 1 }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('searches without suggestions where the ledger does not support them', async () => {
    await using tab = await open('', 'Overview');
    const { page } = tab;
    let requests = 0;
    const refusal = { status: 501, headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' } };
    await page.route('**/search?*', async (route) => {
      requests += 1;
      await route.fulfill({ ...refusal, json: { success: false, message: 'The driver fabric cannot search.' } });
    });
    const field = page.getByRole('combobox', { name: 'Search' });
    const refused = page.waitForResponse('**/search?*');
    await field.fill('car-');
    await (await refused).finished();
    // The page reads the response in its own tasks.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    await field.fill('car-7');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'car-7', level: 1, exact: true }).waitFor();
    // Typing requested only once, the search page once.
    expect(requests).toBe(2);
    expect(tab.violations).toEqual([]);
  });

  it('shows everything that happened yesterday, and jumps to a date', async () => {
    await using tab = await open('#/transactions', 'Transactions', 'Europe/Berlin');
    const { page } = tab;
    const rows = page.getByRole('rowheader');
    const tomorrow = changes.at(-1)!.time + DAY_MS;
    await page.clock.setFixedTime(tomorrow);
    // The server's clock decides which day was yesterday.
    await page.route('**/api/v1/**', async (route) => {
      if (route.request().url().includes('/events')) return route.abort();
      const response = await route.fetch();
      const headers = { ...response.headers(), date: new Date(tomorrow).toUTCString() };
      return route.fulfill({ response, headers });
    });
    await page.reload();
    await page.getByRole('link', { name: 'Yesterday' }).click();
    await page.getByText('By the clocks of the senders.').waitFor();
    const chips = page.getByRole('list', { name: 'Active filters' }).getByRole('link');
    await chips.filter({ hasText: /From: .* 00:00:00\.000 \+0[12]:00/ }).waitFor();
    await chips.filter({ hasText: /Before: .* 00:00:00\.000 \+0[12]:00/ }).waitFor();
    await rows.nth(9).waitFor();
    expect(await page.getByLabel('From').inputValue()).toBe(await page.getByLabel('To').inputValue());
    await page.getByRole('link', { name: 'Today' }).click();
    await page.getByText('No transaction matches the filter.').waitFor();
    expect(await tab.problems()).toEqual([]);
    // By keyboard: only the last day, which is the jump to a date.
    await page.getByLabel('From').fill('');
    await page.getByLabel('To').fill('2020-01-01');
    await page.getByLabel('To').press('Enter');
    await chips.filter({ hasText: 'Before: 2020-01-02' }).waitFor();
    expect(await chips.count()).toBe(1);
    await page.getByText('No transaction matches the filter.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await rows.nth(9).waitFor();
    await go(page, api, '#/blocks', 'Blocks');
    await page.getByRole('link', { name: 'Yesterday' }).click();
    await page.getByText(/By the clocks/).waitFor();
    await rows.nth(9).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows the history of an asset in a range of time, compared with the version before it', async () => {
    const [, transfer] = changes;
    const range = `since=${new Date(transfer!.time).toISOString()}&until=${new Date(transfer!.time + 1).toISOString()}`;
    await using tab = await open(`#/assets/car-7?${range}`, 'car-7');
    const { page } = tab;
    const steps = page.locator('section ol > li');
    await steps.first().waitFor();
    expect(await steps.count()).toBe(1);
    expect(await steps.locator('del').textContent()).toBe('Tomoko');
    expect(await downloadCsv(page)).toHaveLength(2);
    await page.getByRole('link', { name: 'Show all' }).click();
    await steps.nth(2).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows an asset as of a time and as of a block', async () => {
    const [create, transfer] = changes;
    await using tab = await open('#/assets/car-7', 'car-7', 'Europe/Berlin');
    const { page } = tab;
    const facts = page.locator('dl.facts');
    await facts.getByText('green').waitFor();
    await page.getByLabel('As of a block').fill(String(create!.block));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `car-7 as of block ${create!.block}`, level: 1 }).waitFor();
    await facts.getByText('Tomoko').waitFor();
    await page.getByRole('link', { name: 'Transfer' }).waitFor({ state: 'detached' });
    expect(await tab.problems()).toEqual([]);
    const latest = Math.floor(transfer!.time / 1000 + 1) * 1000;
    const shown = await page.evaluate<string>(`new Date(${latest}).toLocaleString('sv').replace(' ', 'T')`);
    const blocks = await get<{ number: number; transactions: { timestamp: string }[] }[]>('/blocks?limit=100');
    const expected = blocks.find(({ transactions }) =>
      transactions.every((each) => Date.parse(each.timestamp) <= latest),
    )!;
    await page.getByLabel('As of a time').fill(shown);
    await page.keyboard.press('Enter');
    await page
      .getByText(/the last\s+block whose transactions are all at or before .* \+0[12]:00,\s+by\s+the\s+clocks/)
      .waitFor();
    await page.getByRole('link', { name: `block ${expected.number}`, exact: true }).waitFor();
    await page.getByLabel('As of a block').fill('0');
    await page.keyboard.press('Enter');
    await page.getByText('There was no asset with this id after block 0.').waitFor();
    await page.getByLabel('As of a block').fill('123456');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('123456').waitFor();
    await page.getByLabel('As of a time').fill('2020-01-01T00:00:00');
    await page.keyboard.press('Enter');
    await page.getByText('Every block has a transaction after this time.').waitFor();
    await page.getByRole('link', { name: 'Show the present state' }).click();
    await facts.getByText('green').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('downloads what a list shows as CSV, and the certificate of the authority', async () => {
    await using tab = await open('#/assets?prefix=Boat', 'Assets');
    const { page } = tab;
    await page.getByRole('rowheader', { name: 'Boat-1' }).waitFor();
    const assets = await downloadCsv(page);
    expect(assets).toHaveLength(2);
    expect(assets[1]).toContain("'=1+1");
    await go(page, api, '#/transactions?creator=ben@org1.example.com', 'Transactions');
    expect(await downloadCsv(page)).toHaveLength(3);
    await go(page, api, '#/blocks', 'Blocks');
    expect((await downloadCsv(page)).length).toBeGreaterThan(10);
    await page.goto(`${api.origin}/#/transactions/${changes[0]!.id}`);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CA certificate of Org1MSP' }).click();
    expect(await text(await (await saved).createReadStream())).toMatch(/^-----BEGIN CERTIFICATE-----/);
    expect(tab.violations).toEqual([]);
  });

  it('counts assets and transactions, and shows the transactions of an hour', async () => {
    const { assets, transactions } = await get<{ assets: number; transactions: number }>('/ledger/totals');
    await using tab = await open('', 'Overview');
    const { page } = tab;
    const figure = (name: string) => page.locator('dl.figures > div').filter({ hasText: name }).locator('dd');
    await page.getByRole('heading', { name: 'Transactions per hour' }).waitFor();
    await figure('Assets').getByText(String(assets), { exact: true }).waitFor();
    await figure('Transactions').getByText(String(transactions), { exact: true }).waitFor();
    expect(await tab.problems()).toEqual([]);
    const bar = page.getByRole('link', { name: /^\d{4}-\d\d-\d\d \d\d:00 UTC: \d+ transactions?$/ }).last();
    await bar.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Transactions', level: 1 }).waitFor();
    await page.getByRole('rowheader').first().waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('hides the totals where the driver has none', async () => {
    const refusal = { status: 501, headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' } };
    await using tab = await open('#/blocks', 'Blocks');
    const { page } = tab;
    await page.route('**/ledger/totals', (route) =>
      route.fulfill({ ...refusal, json: { success: false, message: 'The driver fabric has no totals.' } }),
    );
    const answered = page.waitForResponse('**/ledger/totals');
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await answered;
    await page.getByRole('rowheader').first().waitFor();
    expect(await page.getByText(/totals|per hour/).count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });
});
