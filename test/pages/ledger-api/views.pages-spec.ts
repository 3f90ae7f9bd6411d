import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { hostile, seenOf } from '../support/hostile.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const PHONE = { width: 390, height: 844 };
const WHEELS = Array.from({ length: 120 }, (_, index) => `wheel-${index + 1}`);

let browser: Browser;
let api: LedgerApi;
let key: string;
/** The blocks that changed car-7, oldest first. */
let blocks: number[];

async function send(method: string, path: string, body: object): Promise<void> {
  const answer = await api.api(method, path, { body, headers: { 'x-api-key': key } });
  if (answer.status >= 300) throw new Error(answer.text);
}

async function open(options: { readonly isSignedIn?: boolean } = {}): Promise<Tab> {
  const before = options.isSignedIn === false ? '' : `sessionStorage.setItem('ledger-api-key', '${key}')`;
  return Tab.open(browser, { timezoneId: 'Asia/Tokyo', before });
}

const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' }).getByRole('link');

describePages('a view of the explorer', () => {
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-views-'));
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start({ LEDGER_AUTH: 'on' }, dataDir)]);
    key = await changeCallers(api, () => addCaller(dataDir, 'ana', '--role', 'admin'));
    await send('POST', '/assets', { id: 'car-7', ...FIELDS, owner: 'Ana' });
    await send('PUT', '/assets/car-7/transfer', { newOwner: 'Ben' });
    await send('PUT', '/assets/car-7', { ...FIELDS, owner: 'Carla', color: hostile('color') });
    const assets = WHEELS.map((id) => ({ ID: id, ...FIELDS, owner: 'Ana' }));
    const call = { function: 'CreateAssets', arguments: [JSON.stringify(assets)] };
    await send('POST', '/contracts/basic/submit', call);
    const { json } = await api.api('GET', '/assets/car-7/history', { headers: { 'x-api-key': key } });
    blocks = (json as { data: { blockNumber: number }[] }).data.map(({ blockNumber }) => blockNumber).reverse();
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('of a list states the number of matches, and as many rows as the reader chooses', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets?owner=Ana`);
    await page.getByText('120 assets', { exact: true }).waitFor();
    const rows = page.getByRole('rowheader');
    await until(async () => (await rows.count()) === 50);
    await page.getByRole('link', { name: 'Next page' }).click();
    await rows.getByText('wheel-55', { exact: true }).waitFor();
    const first = await rows.first().textContent();
    await page.getByLabel('Rows on a page').selectOption('200');
    // From the same row on.
    await until(async () => (await rows.count()) === 70);
    expect(await rows.first().textContent()).toBe(first);
    await page.getByRole('link', { name: 'First page' }).click();
    await until(async () => (await rows.count()) === 120);
    expect(new URL(page.url()).hash).toBe('#/assets?owner=Ana&rows=200');
    expect(await tab.problems()).toEqual([]);
    await chips(page).filter({ hasText: 'Owner: Ana' }).click();
    await page.getByText('121 assets', { exact: true }).waitFor();
    await until(async () => (await rows.count()) === 121);
    expect(tab.violations).toEqual([]);
  });

  it.each([
    ['#/transactions?function=CreateAsset', '1 transaction'],
    ['#/transactions', '5 transactions'],
    ['#/blocks', '5 blocks'],
    ['#/blocks?until=2020-01-01T00:00:00Z', '0 blocks'],
  ])('%s states the number of matches', async (fragment, text) => {
    await using tab = await open();
    await tab.page.goto(`${api.origin}/${fragment}`);
    await tab.page.getByText(text, { exact: true }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('survives signing in and a reload, with its filters, page, rows and times', async () => {
    await using tab = await open({ isSignedIn: false });
    const { page } = tab;
    const range = 'since=2026-01-01T00%3A00%3A00.000Z';
    await page.goto(`${api.origin}/#/transactions?creator=ana%40org1.example.com&${range}&rows=25&times=utc`);
    await page.locator('#secret:focus').waitFor();
    await page.keyboard.insertText(key);
    await page.keyboard.press('Enter');
    await page.locator('h1:focus').getByText('Transactions').waitFor();
    const view = async (): Promise<unknown> => {
      await chips(page).filter({ hasText: 'Caller: ana@org1.example.com' }).waitFor();
      await chips(page).filter({ hasText: 'From: 2026-01-01 00:00:00.000 UTC' }).waitFor();
      await page.getByText('4 transactions', { exact: true }).waitFor();
      await page.getByRole('rowheader').nth(3).waitFor();
      return [
        page.url(),
        await page.getByLabel('Times').inputValue(),
        await page.locator('tbody time').first().textContent(),
      ];
    };
    const before = await view();
    expect(before).toEqual([expect.stringContaining('times=utc'), 'utc', expect.stringMatching(/ UTC$/)]);
    await page.reload();
    expect(await view()).toEqual(before);
    // The times of a link are not the choice of this browser, which other pages of the tab nevertheless keep.
    expect(await page.evaluate('localStorage.getItem("times")')).toBe(null);
    await page.getByRole('link', { name: 'Blocks', exact: true }).click();
    await page.waitForURL('**/#/blocks?times=utc');
    await page.getByLabel('Times').selectOption('age');
    await page.waitForURL('**/#/blocks');
    expect(tab.violations).toEqual([]);
  });

  it('of two states of an asset by their blocks has a URL, and marks the fields that changed', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets/car-7`);
    await page.getByRole('link', { name: 'Compare two states' }).click();
    // By default the newest change.
    await page.getByRole('heading', { name: '2 fields changed' }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/assets/car-7/compare?at=${blocks[2]! - 1}`);
    const [first, second] = [
      page.getByRole('region', { name: 'First state' }),
      page.getByRole('region', { name: 'Second state' }),
    ];
    await first.getByLabel('As of a block').fill(String(blocks[0]));
    await page.keyboard.press('Enter');
    await second.getByLabel('As of a block').fill(String(blocks[1]));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 field changed' }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/assets/car-7/compare?at=${blocks[0]}&with=${blocks[1]}`);
    const row = page.getByRole('row', { name: /Owner/ });
    expect(await row.locator('mark').allTextContents()).toEqual(['Ana', 'Ben']);
    await row.getByText('changed').waitFor();
    expect(await page.locator('mark').count()).toBe(2);
    expect(await tab.problems()).toEqual([]);
    await page.reload();
    await page.getByRole('heading', { name: '1 field changed' }).waitFor();
    await second.getByRole('link', { name: 'Show the present state' }).click();
    await page.locator('mark').getByText(seenOf('color')).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    // Before it was created.
    await first.getByLabel('As of a block').fill('0');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '4 fields changed' }).waitFor();
    await row.getByText('did not exist').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('of two states of an asset by their dates', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets/car-7/compare?at=${blocks[0]}&times=utc`);
    const second = page.getByRole('region', { name: 'Second state' });
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
    await second.getByLabel('As of a time').fill(tomorrow);
    await second.getByLabel('As of a time').press('Enter');
    await page.waitForURL(`**/compare?at=${blocks[0]}&with=4&withDate=*`);
    await page.getByRole('heading', { name: '2 fields changed' }).waitFor();
    expect(await second.getByLabel('As of a time').inputValue()).toBe(tomorrow);
    await page.getByRole('region', { name: 'First state' }).getByLabel('As of a time').fill('2020-01-01T00:00:00');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Every block has a transaction after this time.').waitFor();
    await page.goto(`${api.origin}/#/assets/never/compare`);
    await page.getByText('No asset with this id has ever existed.').waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('of a history has its filters as chips, and its rows in the URL', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets/car-7?value=Ben&since=2026-01-01T00%3A00%3A00.000Z`);
    await page.getByText('1 of 3 changes').waitFor();
    await chips(page).filter({ hasText: 'From: 2026-01-01' }).click();
    await page.waitForURL('**/#/assets/car-7?value=Ben');
    await chips(page).filter({ hasText: 'Became: Ben' }).click();
    await page.waitForURL('**/#/assets/car-7');
    await page.getByText('3 changes', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Compare with now' }).last().click();
    await page.waitForURL(`**/compare?at=${blocks[0]}`);
    expect(tab.violations).toEqual([]);
  });

  it('of a list of transactions names what was created in bulk', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(api.origin);
    await page.getByRole('rowheader', { name: 'Created 120 assets: wheel-1 … wheel-120' }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('has a header of one line on a phone, whose menu has the rest', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.setViewportSize(PHONE);
    await page.goto(`${api.origin}/#/assets`);
    await page.getByText('Live', { exact: true }).waitFor();
    const header = async () => (await page.locator('.page-header').boundingBox())!.height;
    expect(await header()).toBeLessThan(60);
    const menu = page.getByRole('button', { name: 'Menu' });
    const blocksLink = page.getByRole('link', { name: 'Blocks', exact: true });
    expect(await blocksLink.isVisible()).toBe(false);
    await menu.click();
    await blocksLink.waitFor();
    await page.locator('.caller').getByText('ana').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await page.keyboard.press('Escape');
    await blocksLink.waitFor({ state: 'hidden' });
    await page.locator('button:focus').getByText('Menu').waitFor();
    await page.keyboard.press('Enter');
    await blocksLink.click();
    await page.getByRole('heading', { name: 'Blocks', exact: true }).waitFor();
    await blocksLink.waitFor({ state: 'hidden' });
    expect(await header()).toBeLessThan(60);
    expect(tab.violations).toEqual([]);
  });
});
