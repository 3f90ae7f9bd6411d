import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { freePort } from '../../support/free-port.js';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { go, write } from '../support/explorer.js';
import { until } from '../../support/until.js';
import { hostile, madeHostile, seenOf } from '../support/hostile.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

let browser: Browser;
let api: LedgerApi;

describePages('the explorer with hostile data and failures', () => {
  beforeAll(async () => {
    const port = { LEDGER_API_PORT: String(await freePort()) };
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start(port)]);
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('shows hostile data of assets as plain text', async () => {
    const evil = `"><img src=x onerror="alert(1)"><script>alert(2)</script>{@html '<b>'}`;
    const id = `\u202Ejavascript:alert(3)//${evil}`;
    const fields = {
      owner: evil,
      color: `${evil}\u0000`,
      size: 'data:text/html,<script>',
      appraisedValue: ` ${evil}\r\n`,
    };
    const transaction = await write(api, 'POST', '/assets', { id, ...fields });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const path = encodeURIComponent(id);
    for (const [fragment, shown] of [
      [`#/assets/${path}`, page.locator('dl')],
      [`#/assets?owner=${encodeURIComponent(evil)}`, page.getByRole('rowheader')],
      [`#/assets/${path}/transfer`, page.locator('form strong')],
      [`#/transactions/${transaction}`, page.getByRole('table')],
      ['#/transactions', page.getByRole('table')],
      [`#/search?q=${encodeURIComponent(evil)}%20`, page.getByRole('rowheader')],
    ] as const) {
      await page.goto(`${api.origin}/${fragment}`);
      await shown
        .getByText(fragment === '#/transactions' ? 'Created' : 'alert(1)')
        .first()
        .waitFor();
      expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    }
    await go(page, api, `#/assets/${path}`, `U+202E${id.slice(1)}`);
    // An update preserves values that an input cannot show.
    await page.getByRole('link', { name: 'Update' }).click();
    await page.getByLabel('Owner', { exact: true }).fill('Ana');
    await page.getByRole('button', { name: 'Update' }).click();
    await page.getByText('Updated.').waitFor();
    expect((await api.api('GET', `/assets/${path}`)).json).toMatchObject({ data: { ...fields, owner: 'Ana' } });
    expect(tab.violations).toEqual([]);
  });

  it('shows that the tree of the ledger is forked, while everything else works', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const fault = 'forked: bank: The witness knows 12 blocks.';
    // What a server that was restored from a backup answers, see tree.e2e-spec.ts.
    await page.route('**/readyz', async (route) =>
      route.fulfill({ json: { status: 'ready', trees: { mychannel: fault } } }),
    );
    await go(page, api, '#/transactions', 'Transactions');
    await page.getByText(`No new proofs: the tree is ${fault}`).waitFor();
    await page.getByRole('rowheader').first().waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('shows hostile names of certificates, channels, chaincodes and callers as plain text', async () => {
    const transaction = await write(api, 'POST', '/assets', { id: 'mean', ...FIELDS, owner: 'Mean' });
    const { json } = await api.api('GET', `/transactions/${transaction}`);
    const block = String((json as { data: { blockNumber: number } }).data.blockNumber);
    await using tab = await Tab.open(browser);
    const { page } = tab;
    /** Without these the page shows nothing. */
    const kept = new Set(['timestamp', 'hour', 'role']);
    await page.route(/\/api\/v1\/(?!events)/, async (route) => {
      const response = await route.fetch();
      const { data, ...envelope } = madeHostile(await response.json(), kept) as { data: object };
      const caller = response.url().endsWith('/callers/me') && { loginNeeded: true, name: hostile('name') };
      await route.fulfill({
        response,
        json: { ...envelope, data: Array.isArray(data) ? data : { ...data, ...caller } },
      });
    });
    await page.route('**/readyz', async (route) =>
      route.fulfill({ status: 503, json: { success: false, message: hostile('trouble') } }),
    );
    await page.route('**/blocks?*', async (route) =>
      route.fulfill({ status: 500, json: { success: false, message: hostile('failure') } }),
    );
    const transactionFields = [
      ...['creatorId', 'creatorMspId', 'endorsers', 'mspid', 'function', 'chaincodeId', 'arguments', 'payload'],
      ...['message', 'validationCode', 'blockHash', 'namespace', 'key', 'value'],
    ];
    for (const [fragment, fields] of [
      ['', ['name', 'trouble', 'failure', 'chainName', 'creatorId', 'function', 'validationCode', 'transactionId']],
      [`#/transactions/${transaction}`, transactionFields],
      [`#/blocks/${block}`, ['creatorId', 'hash', 'dataHash', 'previousHash']],
      ['#/assets?owner=Mean', ['ID', 'owner', 'color', 'size', 'appraisedValue']],
      ['#/assets/mean', ['owner', 'color', 'size', 'appraisedValue', 'creatorId', 'creatorMspId']],
      ['#/assets/mean/transfer', ['owner']],
    ] as const) {
      await page.goto(`${api.origin}/${fragment}`);
      for (const field of fields) {
        // Hashes and ids are shortened, with the full text as title; arguments and payloads are quoted.
        const quoted = JSON.stringify(seenOf(field)).slice(1, -1);
        const shown = page
          .getByText(seenOf(field))
          .or(page.getByTitle(seenOf(field)))
          .or(page.getByText(quoted));
        await shown.first().waitFor({ state: 'attached' });
      }
      expect(await page.locator('img[src="x"]').count()).toBe(0);
    }
    expect(tab.violations).toEqual([]);
  });

  it('has no accessibility or layout problems in light and dark, on a desktop and a phone', async () => {
    await write(api, 'POST', '/assets', { id: 'of-one-word'.repeat(20), ...FIELDS, owner: 'OfOneWord'.repeat(20) });
    const transaction = await write(api, 'POST', '/assets', { id: 'seen', ...FIELDS, owner: 'long '.repeat(80) });
    await using tab = await Tab.open(browser);
    for (const [fragment, heading] of [
      ['', 'Overview'],
      ['#/assets', 'Assets'],
      ['#/assets/seen', 'seen'],
      ['#/assets/seen/update', 'Update seen'],
      ['#/assets/none', 'none'],
      ['#/blocks', 'Blocks'],
      ['#/blocks/0', 'Block 0'],
      [`#/transactions/${transaction}`, `Transaction ${transaction.slice(0, 8)}…${transaction.slice(-6)}`],
      ['#/search?q=nothing%20of%20it', 'Search for nothing of it'],
      ['#/nowhere', 'Not found'],
    ] as const) {
      await go(tab.page, api, fragment, heading);
      expect([fragment, await tab.problems()]).toEqual([fragment, []]);
    }
    expect(tab.violations).toEqual([]);
  });

  it('shows that the server is unreachable, and reloads when it is back', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(`${api.origin}/#/assets/kept`);
    await page.getByText('No asset with this id exists.').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await api.program.end();
    // Each part of the page that was loading shows it.
    await page
      .getByText(/^The server is unreachable\./)
      .first()
      .waitFor();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    api = await LedgerApi.start({ LEDGER_API_PORT: new URL(api.origin).port }, api.dataDir);
    await api.create('kept');
    // Longer than the longest delay of a reconnect.
    await page.clock.fastForward('00:11');
    await page.locator('dl').getByText('Tomoko').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    // Each part of the page loads again on its own.
    await until(async () => (await page.getByText(/^The server is unreachable\./).count()) === 0);
    expect(tab.violations).toEqual([]);
  });

  it('loads again automatically after errors of a server that was restarting', async () => {
    await write(api, 'POST', '/assets', { id: 'restarted', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const message = 'The ledger is starting.';
    await page.route('**/assets/restarted', async (route) =>
      route.fulfill({ status: 503, json: { success: false, message } }),
    );
    await go(page, api, '#/assets/restarted', 'restarted');
    await page.getByText(message).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.unroute('**/assets/restarted');
    await page.locator('dl').getByText('Tomoko').waitFor();
    await until(async () => (await page.getByText(message).count()) === 0);
    expect(tab.violations).toEqual([]);
  });

  it('clips a long value instead of squeezing the other columns, and shows all of it on the asset’s page', async () => {
    const appraisedValue = '9'.repeat(300);
    await write(api, 'POST', '/assets', { id: 'long-value', ...FIELDS, owner: 'Long Value', appraisedValue });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets?owner=Long%20Value`);
    const cell = page.getByRole('cell', { name: appraisedValue });
    await cell.waitFor();
    const columns = page.getByRole('columnheader');
    const widths = await Promise.all(
      [0, 1, 2, 3, 4].map(async (index) => (await columns.nth(index).boundingBox())!.width),
    );
    expect(Math.min(...widths)).toBeGreaterThan(100);
    expect(await page.evaluate(`document.querySelectorAll('td.clip')[3].scrollWidth > 1000`)).toBe(true);
    await page.getByRole('link', { name: 'long-value' }).click();
    await page.locator('dl').getByText(appraisedValue).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows the first 100 transactions of a large block, and more on request', async () => {
    const { json } = await api.api('GET', '/blocks/0');
    const { data } = json as { data: { transactions: object[] } };
    const transactions = Array.from({ length: 250 }, (_, index) => ({
      ...data.transactions[0],
      transactionId: index.toString(16).padStart(64, '0'),
    }));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.route('**/blocks/0', async (route) =>
      route.fulfill({ json: { ...(json as object), data: { ...data, transactions } } }),
    );
    await go(page, api, '#/blocks/0', 'Block 0');
    await page.getByText('The first 100 of 250').waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(100);
    await page.getByRole('button', { name: '100 more' }).click();
    await page.getByRole('button', { name: '50 more' }).click();
    await page.getByTitle(`${'0'.repeat(62)}f9`).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(250);
    expect(tab.violations).toEqual([]);
  });

  it('shows a configuration that an orderer made, which has no id, without an empty link', async () => {
    const { json } = await api.api('GET', '/blocks/0');
    const { data } = json as { data: { transactions: object[] } };
    const transactions = [{ ...data.transactions[0], transactionId: '', function: '', firstArgument: '' }];
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.route('**/blocks/0', async (route) =>
      route.fulfill({ json: { ...(json as object), data: { ...data, transactions } } }),
    );
    await go(page, api, '#/blocks/0', 'Block 0');
    const row = page.getByRole('row').filter({ hasText: 'Configured the channel' });
    await row.getByText('none', { exact: true }).waitFor();
    expect(await row.locator('a, button').count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('shows arguments of different bytes as different texts', async () => {
    const transaction = await write(api, 'POST', '/assets', { id: 'bytes', ...FIELDS });
    const { json } = await api.api('GET', `/transactions/${transaction}`);
    const { data } = json as { data: { rawTransaction: object } };
    const described = {
      ...data,
      arguments: ['G1szMW0=', 'G1szMW0=', '\u001b[31m\u202e', String.raw`\u001b[31m\u202e`],
      rawTransaction: { ...data.rawTransaction, argumentEncodings: ['base64', 'utf8', 'utf8', 'utf8'] },
    };
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.route(`**/transactions/${transaction}`, async (route) =>
      route.fulfill({ json: { ...(json as object), data: described } }),
    );
    await page.goto(`${api.origin}/#/transactions/${transaction}`);
    await page.getByRole('listitem').getByText('base64(').waitFor();
    expect(await page.locator('.arguments li').allTextContents()).toEqual([
      'base64(G1szMW0=)',
      '"G1szMW0="',
      String.raw`"\u001b[31m\u202e"`,
      String.raw`"\\u001b[31m\\u202e"`,
    ]);
    // An argument in base64 is no asset's id.
    expect(await page.getByRole('heading', { level: 2 }).first().getByRole('link').count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('shows that a feature is unsupported or the ledger is read-only, and the rest of the page', async () => {
    await write(api, 'POST', '/assets', { id: 'plain', ...FIELDS });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    // The responses of a network with another chaincode, and of one whose disk is full.
    const message = 'The chaincode does not support histories.';
    await page.route('**/history?*', (route) =>
      route.fulfill({
        status: 501,
        headers: { 'x-error-code': 'LEDGER.NOT_SUPPORTED' },
        json: { success: false, message },
      }),
    );
    const reason = 'The ledger is read-only: the disk is full';
    await page.route('**/readyz', (route) => route.fulfill({ status: 503, json: { success: false, message: reason } }));
    await go(page, api, '#/assets/plain', 'plain');
    await page.getByText(message).waitFor();
    await page.getByText(reason).waitFor();
    await page.locator('dl').getByText('Tomoko').waitFor();
    expect(tab.violations).toEqual([]);
  });
});
