import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Response, Route } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const FIELDS = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };

let browser: Browser;
let api: LedgerApi;
let reader: string;
let writer: string;
let admin: string;

async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describePages('the explorer of a ledger with callers', () => {
  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-pages-'));
    [browser, api] = await Promise.all([
      openBrowser(),
      LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_RATE_LIMIT: '20', LEDGER_CONTRACTS: 'basic:ReadAsset' }, dataDir),
    ]);
    reader = await changeCallers(api, () => addCaller(dataDir, 'rita', '--role', 'reader'));
    writer = await changeCallers(api, () => addCaller(dataDir, 'walt', '--role', 'writer'));
    admin = await changeCallers(api, () => addCaller(dataDir, 'zoe', '--role', 'admin'));
    const headers = { 'x-api-key': writer };
    await api.api('POST', '/assets', { headers, body: { id: 'car-7', ...FIELDS } });
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('requires a key, explains invalid ones, and stores it for the tab only', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(`${api.origin}/#/assets/car-7`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await signIn(page, 'schlüssel');
    await page.getByText('This is not a key.').waitFor();
    await signIn(page, reader.slice(0, -1) + (reader.endsWith('x') ? 'y' : 'x'));
    await page.getByRole('alert').getByText('key').waitFor();
    await signIn(page, writer);
    // The page that was requested before signing in.
    await page.getByRole('heading', { name: 'car-7' }).waitFor();
    await page.locator('.caller').getByText('walt').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'car-7' }).waitFor();
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
    expect(urls.filter((url) => url.includes('lk_'))).toEqual([]);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(async () => (await page.evaluate('sessionStorage.length')) === 0);
    expect(tab.violations).toEqual([]);
  });

  it('focuses the field for the key, and after signing in the heading of the page', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/blocks`);
    await page.locator('#secret:focus').waitFor();
    await page.keyboard.insertText(reader);
    await page.keyboard.press('Enter');
    await page.locator('h1:focus').getByText('Blocks').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('hands the key over to new tabs without storing it elsewhere, and signs all tabs out', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    // A tab that is not signed in does not answer.
    const early = await tab.openTab();
    await early.goto(api.origin);
    await early.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${api.origin}/#/assets/car-7`);
    await signIn(page, reader);
    await page.locator('.caller').getByText('rita').waitFor();
    const other = await tab.openTab();
    await other.goto(`${api.origin}/#/blocks`);
    await other.getByRole('heading', { name: 'Blocks', exact: true }).waitFor();
    await other.locator('.caller').getByText('rita').waitFor();
    await other.reload();
    await other.locator('.caller').getByText('rita').waitFor();
    expect(await other.evaluate('JSON.stringify(localStorage) + document.cookie + location')).not.toContain('lk_');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You have signed out in another tab.').waitFor();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(async () => (await page.evaluate('sessionStorage.length')) === 0);
    const late = await tab.openTab();
    await late.goto(api.origin);
    await late.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('offers the actions of the role, and signs as the caller', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/assets/car-7/transfer`);
    await signIn(page, reader);
    await page.getByText('You have read access only.').waitFor();
    await page.goto(`${api.origin}/#/assets/car-7`);
    await page.locator('dl').getByText('Tomoko').waitFor();
    await page.getByRole('link', { name: 'Transfer' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, writer);
    await page.getByRole('link', { name: 'Transfer' }).click();
    await page.getByLabel('New owner').fill('Ben');
    await page.keyboard.press('Enter');
    await page.getByRole('list').getByText('walt@org1.example.com').first().waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('offers only the functions that a caller may call', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/contracts/basic`);
    await signIn(page, reader);
    await page.getByText('TransferAsset(id: string, newOwner: string)').waitFor();
    await page.getByText('requires the role “admin”').waitFor();
    // LEDGER_CONTRACTS lists this function only.
    expect(await page.locator('summary').allInnerTexts()).toEqual(['ReadAsset(id: string) evaluate']);
    await page.getByText('ReadAsset(id: string)').click();
    const form = page.locator('details[open] form');
    await form.getByRole('button', { name: 'Evaluate' }).waitFor();
    expect(await form.getByRole('button').allTextContents()).toEqual(['Evaluate']);
    await form.getByLabel('id').fill('missing');
    await form.getByRole('button', { name: 'Evaluate' }).click();
    await form.getByRole('alert').getByText('refused').waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('waits after a 429, and retries', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ledger-pages-'));
    // A low limit, which the other requests exceed on a busy machine too.
    const limited = await LedgerApi.start({ LEDGER_AUTH: 'on', LEDGER_RATE_LIMIT: '5' }, dataDir);
    const key = await changeCallers(limited, () => addCaller(dataDir, 'rita', '--role', 'reader'));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(limited.origin);
    await signIn(page, key);
    await page.getByText('Live', { exact: true }).waitFor();
    // Other requests of the caller use up the limit until one of the page is refused.
    let isRefused = false;
    const request = async () => {
      while (!isRefused) await limited.api('GET', '/callers/me', { headers: { 'x-api-key': key } });
    };
    const others = Promise.all(Array.from({ length: 30 }, request));
    const refusal = page.getByText(/^Retrying in \d+ s/);
    try {
      await until(async () => {
        await page.getByRole('link', { name: 'Overview', exact: true }).click();
        await page.getByRole('link', { name: 'Blocks', exact: true }).click();
        await refusal.or(page.getByRole('rowheader')).first().waitFor();
        return refusal.isVisible();
      });
    } finally {
      isRefused = true;
    }
    await others;
    await page.getByRole('rowheader').first().waitFor();
    expect(tab.violations).toEqual([]);
    await limited.stop();
  });

  it('lost a typed form when a key expired', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const refusal = { success: false, message: 'The key has expired.' };
    const expire = async (): Promise<void> => {
      const refuse = async (route: Route): Promise<void> => route.fulfill({ status: 401, json: refusal });
      await page.route('**/api/v1/assets', refuse, { times: 1 });
    };
    await page.goto(`${api.origin}/#/create`);
    await signIn(page, writer);
    await page.getByLabel('Id, optional').fill('typed');
    await page.getByLabel('Color').fill('a long description');
    await expire();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The key has expired.').waitFor();
    await signIn(page, writer);
    await page.getByLabel('Id, optional').waitFor();
    expect(await page.getByLabel('Id, optional').inputValue()).toBe('typed');
    expect(await page.getByLabel('Color').inputValue()).toBe('a long description');
    // Another caller does not see it.
    await expire();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('The key has expired.').waitFor();
    await signIn(page, admin);
    await page.getByLabel('Color').waitFor();
    expect(await page.getByLabel('Color').inputValue()).toBe('');
    expect(tab.violations).toEqual([]);
  });

  it('signs a caller out at once that is revoked', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(api.origin);
    await signIn(page, reader);
    await page.getByText('Live', { exact: true }).waitFor();
    await ledgerTool(api.dataDir, 'callers', 'revoke', 'rita');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(async () => (await page.evaluate('sessionStorage.length')) === 0);
    expect(tab.violations).toEqual([]);
  });

  describe('Swagger UI', () => {
    let tab: Tab;
    beforeAll(async () => {
      tab = await Tab.open(browser);
      await tab.page.goto(`${api.origin}/docs`);
    });
    afterAll(async () => {
      await tab[Symbol.asyncDispose]();
    });

    /** Executes the example request of an operation. */
    async function execute(operationId: string): Promise<Response> {
      const operation = tab.page.locator(`[id$="-${operationId}"]`);
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      const answered = tab.page.waitForResponse((response) => response.url().includes('/api/v1/'));
      await operation.getByRole('button', { name: 'Execute' }).click();
      const response = await answered;
      await operation
        .locator('.live-responses-table .response-col_status', { hasText: String(response.status()) })
        .waitFor();
      return response;
    }

    /** Sets the key of one scheme, and removes it from the other. */
    async function authorize(scheme: string): Promise<void> {
      const { page } = tab;
      await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
      const form = page.locator('.auth-container', { hasText: scheme });
      await form.waitFor();
      const remove = page.getByRole('button', { name: 'Remove authorization' });
      if ((await remove.count()) > 0) await remove.click();
      await form.locator('input').fill(writer);
      await form.getByRole('button', { name: /apply credentials|authorize/i }).click();
      await page.locator('.modal-ux .btn-done').first().click();
    }

    it('is refused without a key, with the name of the header', async () => {
      const response = await execute('listAssets');
      expect([response.status(), await response.json()]).toEqual([
        401,
        { success: false, message: expect.stringContaining('X-API-Key') as unknown },
      ]);
      expect(tab.violations).toEqual([]);
    });

    it.each([
      ['apiKey', 'x-api-key', '', 'createAsset', 201],
      ['bearer', 'authorization', 'Bearer ', 'getChainInfo', 200],
    ])('sends a key set with Authorize, as %s in %s', async (scheme, header, prefix, operation, status) => {
      await authorize(scheme);
      const response = await execute(operation);
      const sent = await response.request().allHeaders();
      // An example Idempotency-Key would make a second write fail.
      expect([response.status(), sent[header], sent['idempotency-key']]).toEqual([
        status,
        `${prefix}${writer}`,
        undefined,
      ]);
      expect(tab.violations).toEqual([]);
    });
  });
});
