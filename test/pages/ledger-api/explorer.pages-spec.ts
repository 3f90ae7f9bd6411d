import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { until } from '../../support/until.js';
import { go, write } from '../support/explorer.js';
import { describePageFiles } from '../support/page-files.js';
import { describePages, HIDEABLE, openBrowser, Tab } from '../support/tab.js';

const FORM = { Owner: 'Ana', Color: 'red', Size: '5', 'Appraised value': '300' };

let browser: Browser;
let api: LedgerApi;

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(({ activeElement: at }) => at.getAttribute('aria-label') ?? at.labels?.[0]?.textContent.split(',')[0].trim() ?? at.textContent.trim())(document)`;
  for (let presses = 0; presses < 60; presses++) {
    if ((await page.evaluate(focused)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} is not reachable by keyboard.`);
}

beforeAll(async () => {
  api = await LedgerApi.start();
});
afterAll(async () => {
  await api.stop();
});

describePageFiles('ledger-api', () => api.origin);

describePages('the explorer', () => {
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  it('offers to create the first assets of an empty ledger', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '', 'Overview');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('There are no assets yet.').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await page.getByRole('button', { name: 'Create six assets' }).click();
    await page.getByText('There are no assets yet.').waitFor({ state: 'detached' });
    // Shown by a live update.
    await page.getByRole('table').first().getByText('Created the initial assets').waitFor();
    await page.getByRole('link', { name: 'Assets', exact: true }).click();
    await page.getByRole('link', { name: 'asset6' }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('creates an asset by keyboard, with the API’s errors at each field', async () => {
    await write(api, 'POST', '/assets', { id: 'taken', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets', 'Assets');
    await tabTo(page, 'New asset');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New asset' }).waitFor();
    await page.locator('#id:focus').waitFor();
    await page.keyboard.type('taken');
    await page.keyboard.press('Enter');
    await until(async () => (await page.getByText('Must not be empty.').count()) === 4);
    // The first invalid field has the focus and refers to its error.
    await page.locator('[aria-describedby="owner-error"]:focus').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    for (const [name, value] of Object.entries(FORM)) {
      await tabTo(page, name);
      await page.keyboard.type(value);
    }
    await page.keyboard.press('Enter');
    await page.locator('#id-error').getByText('taken').waitFor();
    await page.locator('#id:focus').waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('car/7 %?#');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'car/7 %?#', level: 1 }).waitFor();
    await page.getByText('Created.').waitFor();
    await page.getByRole('list').getByText('Created', { exact: true }).waitFor();
    // The URL identifies the page.
    await page.reload();
    await page.getByRole('heading', { name: 'car/7 %?#', level: 1 }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows concurrent changes instead of overwriting them', async () => {
    const path = '/assets/contested';
    await write(api, 'POST', '/assets', { id: 'contested', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets/contested/update', 'Update contested');
    await page.getByLabel('Color', { exact: true }).fill('green');
    await write(api, 'PUT', path, { ...FIELDS, owner: 'Ben', size: '6' });
    await page.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Changed meanwhile to Ben.').waitFor();
    // Fields that were not edited show the new value.
    expect(await page.getByLabel('Owner', { exact: true }).inputValue()).toBe('Ben');
    expect(await page.getByLabel('Color', { exact: true }).inputValue()).toBe('green');
    await page.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Updated.').waitFor();
    expect((await api.api('GET', path)).json).toMatchObject({
      data: { ...FIELDS, owner: 'Ben', size: '6', color: 'green' },
    });
    expect(tab.violations).toEqual([]);
  });

  it('executes a write once that is repeated because its response was lost', async () => {
    await write(api, 'POST', '/assets', { id: 'once', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets/once/transfer', 'Transfer once');
    await page.route(
      '**/transfer',
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await page.getByLabel('New owner', { exact: true }).fill('Ana');
    await page.getByRole('button', { name: 'Transfer' }).click();
    await page.getByText('it is executed only once').waitFor();
    await page.getByRole('button', { name: 'Transfer' }).click();
    await page.getByText('Transferred.').waitFor();
    await page.getByText('Transferred', { exact: true }).waitFor();
    const { json } = await api.api('GET', '/assets/once/history');
    expect((json as { data: unknown[] }).data).toHaveLength(2);
    expect(tab.violations).toEqual([]);
  });

  it('shows the history of an asset, the transaction and block of an entry, and downloads the receipt', async () => {
    await write(api, 'POST', '/assets', { id: 'life', ...FIELDS });
    const transfer = await write(api, 'PUT', '/assets/life/transfer', { newOwner: 'Ben' });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets/life', 'life');
    const step = page.getByRole('listitem').filter({ hasText: 'Transferred' });
    expect(await step.locator('del').textContent()).toBe('Tomoko');
    expect(await step.locator('ins').textContent()).toBe('Ben');
    await step.getByTitle(transfer).click();
    await page.getByRole('heading', { name: 'Transferred life to Ben' }).waitFor();
    await page.getByText('peer0.org1.example.com').waitFor();
    const written = page.getByRole('table').getByRole('row').filter({ hasText: 'basic' });
    expect(await written.textContent()).toContain('"owner":"Ben"');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the receipt' }).click();
    const download = await saved;
    expect(JSON.parse(await text(await download.createReadStream()))).toMatchObject({ transactionId: transfer });
    expect(download.suggestedFilename()).toMatch(/\.json$/);
    await written.getByRole('link', { name: /^block \d+$/ }).click();
    await page.getByRole('heading', { name: /^Block \d+$/, level: 1 }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Created' }).waitFor();
    await page.getByRole('link', { name: /→$/ }).click();
    await page.getByTitle(transfer).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('calls functions of a contract by keyboard, and shows results, refusals and events', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/contracts', 'Contracts');
    await page.getByRole('link', { name: 'basic', exact: true }).press('Enter');
    await page.getByText('New events of this chaincode').waitFor();
    const open = async (signature: string) => {
      await page.locator('summary', { hasText: signature }).press('Enter');
      const form = page.locator('details', { hasText: signature }).locator('form');
      await form.waitFor();
      return form;
    };
    const create = await open('CreateAsset(id: string, color: string');
    for (const value of ['by-form', 'blue', '5', 'Ana', '300']) {
      await page.keyboard.press('Tab');
      await page.keyboard.insertText(value);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await create.getByText('"owner": "Ana"').waitFor();
    await page.getByRole('table', { name: 'Events of the chaincode' }).getByText('CreateAsset').waitFor();
    await create.getByRole('button', { name: 'Submit' }).click();
    await create.getByRole('alert').getByText('refused: ').getByText('by-form').waitFor();
    const read = await open('ReadAsset(id: string)');
    await read.getByLabel('id').fill('by-form');
    expect(await read.getByRole('button').allTextContents()).toEqual(['Evaluate', 'Submit']);
    await read.getByRole('button', { name: 'Evaluate' }).click();
    await read.getByText('"appraisedValue": "300"').waitFor();
    expect(await tab.problems()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await tab.seriousFindings()).toEqual([]);
    await page.getByRole('table', { name: 'Events of the chaincode' }).getByRole('link').click();
    await page.getByRole('link', { name: 'basic', exact: true }).click();
    await page.waitForURL('**/#/contracts/basic');
    await go(page, api, '#/contracts/cars', 'Contract cars');
    await page.getByText('No chaincode with this name exists').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows writes of others live, and disconnects while the tab is hidden', async () => {
    await write(api, 'POST', '/assets', { id: 'watched', ...FIELDS });
    await using tab = await Tab.open(browser, { before: HIDEABLE });
    const { page } = tab;
    const streams = async () =>
      /^ledger_event_streams (\d+)/m.exec(await (await fetch(`${api.origin}/metrics`)).text())?.[1];
    await go(page, api, '#/assets/watched', 'watched');
    await page.getByText('Live', { exact: true }).waitFor();
    await write(api, 'PUT', '/assets/watched/transfer', { newOwner: 'Ben' });
    await page.locator('dl').getByText('Ben').waitFor();
    await tab.show('hidden');
    await page.getByText('Paused').waitFor();
    await until(async () => (await streams()) === '0');
    await write(api, 'PUT', '/assets/watched/transfer', { newOwner: 'Carla' });
    await tab.show('visible');
    await page.locator('dl').getByText('Carla').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows a list that loads slower than blocks arrive, and loads an asset at most once per update', async () => {
    await write(api, 'POST', '/assets', { id: 'busy', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const update = async () => page.waitForRequest('**/blockchain/info');
    const answer = Promise.withResolvers<undefined>();
    let isFirst = true;
    await page.route('**/assets?*', async (route) => {
      if (route.request().url().includes('count=true')) return route.continue();
      if (!isFirst) return;
      isFirst = false;
      await answer.promise;
      await route.continue();
    });
    const first = update();
    await page.goto(`${api.origin}/#/assets?owner=${FIELDS.owner}`);
    await first;
    await until(() => !isFirst);
    const second = update();
    await write(api, 'PUT', '/assets/busy', { ...FIELDS, size: '1' });
    await second;
    answer.resolve(undefined);
    await page.getByRole('link', { name: 'busy' }).waitFor();

    await go(page, api, '#/assets/busy', 'busy');
    await page.locator('dl').getByText('1', { exact: true }).waitFor();
    const requests = { asset: 0, update: 0 };
    page.on('request', (request) => {
      if (request.url().endsWith('/assets/busy')) requests.asset += 1;
      if (request.url().endsWith('/blockchain/info')) requests.update += 1;
    });
    for (let size = 2; size <= 20; size++) await write(api, 'PUT', '/assets/busy', { ...FIELDS, size: String(size) });
    await page.locator('dl').getByText('20', { exact: true }).waitFor();
    expect(requests.asset).toBeLessThanOrEqual(requests.update + 1);
    expect(tab.violations).toEqual([]);
  });

  it('pages through lists, and filters them', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `paged-${String(index).padStart(2, '0')}`);
    await Promise.all(ids.map((id) => write(api, 'POST', '/assets', { id, ...FIELDS, owner: 'Paula' })));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/assets', 'Assets');
    await page.getByLabel('Owner', { exact: true }).fill('Paula');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'paged-49' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(50);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'paged-59' }).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(10);
    await page.goBack();
    await page.getByRole('link', { name: 'paged-00' }).waitFor();
    await go(page, api, '#/assets?owner=Nobody', 'Assets');
    await page.getByText('No asset matches the filter.').waitFor();
    await go(page, api, '#/transactions?function=TransferAsset', 'Transactions');
    await page.getByRole('rowheader', { name: 'Transferred' }).first().waitFor();
    expect(await page.getByRole('rowheader', { name: 'Created' }).count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('finds assets, owners, blocks and transactions, and lists several results', async () => {
    const transaction = await write(api, 'POST', '/assets', { id: '3', ...FIELDS, owner: 'Sue' });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '', 'Overview');
    const search = async (text: string) => {
      await page.getByRole('combobox', { name: 'Search' }).fill(text);
      await page.keyboard.press('Enter');
    };
    await search(`0x${transaction.toUpperCase()}`);
    await page.getByRole('heading', { name: 'Created 3' }).waitFor();
    await search('#3');
    await page.getByRole('heading', { name: 'Block 3', level: 1 }).waitFor();
    await search('Sue');
    // The page of the transaction has a row header 3 too.
    await page.getByRole('heading', { name: 'Assets', exact: true }).waitFor();
    await page.getByRole('rowheader', { name: '3' }).waitFor();
    await search('3');
    await page.getByRole('heading', { name: 'Several results' }).waitFor();
    const results = page.getByRole('main').locator('section').first().getByRole('listitem');
    await until(async () => (await results.allTextContents()).join() === 'Asset 3,Block 3');
    await search('no such thing');
    await page.getByText('No results.').waitFor();
    await page.getByRole('link', { name: 'Create an asset with this id' }).click();
    expect(await page.getByLabel('Id, optional').inputValue()).toBe('no such thing');
    // Back skips searches that redirected to their only result.
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.getByRole('rowheader', { name: '3' }).waitFor();
    expect(tab.violations).toEqual([]);
  });
});
