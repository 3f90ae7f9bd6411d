import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Browser, Locator, Response } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

jest.setTimeout(60_000);

describePages('Swagger UI while callers have to log in', () => {
  let browser: Browser;
  let api: LedgerApi;
  let key: string;

  beforeAll(async () => {
    browser = await openBrowser();
    api = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    key = await addCaller(api.dataDir, 'ana', '--role', 'writer');
    const headers = { 'x-api-key': key };
    await until(async () => (await api.api('GET', '/assets', { headers })).status === 200);
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  /** Runs the request that the page has made up for an operation. */
  async function execute({ page }: Tab, operationId: string): Promise<Response> {
    const operation = page.locator(`[id$="-${operationId}"]`);
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const answered = page.waitForResponse((response) => response.url().includes('/api/v1/'));
    await operation.getByRole('button', { name: 'Execute' }).click();
    const response = await answered;
    await operation
      .locator('.live-responses-table .response-col_status', { hasText: String(response.status()) })
      .waitFor();
    return response;
  }

  async function authorize({ page }: Tab, scheme: string): Promise<void> {
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
    const form: Locator = page.locator('.auth-container', { hasText: scheme });
    await form.locator('input').fill(key);
    await form.getByRole('button', { name: /apply credentials|authorize/i }).click();
    await page.locator('.modal-ux .btn-done').first().click();
  }

  it('is told that a key is needed, and what to do', async () => {
    await using tab = await Tab.open(browser);
    await tab.page.goto(`${api.origin}/docs`);
    const response = await execute(tab, 'listAssets');
    expect([response.status(), await response.json()]).toEqual([
      401,
      { success: false, message: expect.stringContaining('X-API-Key') as unknown },
    ]);
    expect(tab.faults).toEqual([]);
  });

  it.each([
    ['apiKey', 'x-api-key', '', 'createAsset', 201],
    ['bearer', 'authorization', 'Bearer ', 'listAssets', 200],
  ])('takes a key by Authorize, as %s, and sends it as %s', async (scheme, header, prefix, operation, status) => {
    await using tab = await Tab.open(browser);
    await tab.page.goto(`${api.origin}/docs`);
    await authorize(tab, scheme);
    const response = await execute(tab, operation);
    const sent = await response.request().allHeaders();
    // An Idempotency-Key that the page made up would make a second write another one under the same key.
    expect([response.status(), sent[header], sent['idempotency-key']]).toEqual([status, `${prefix}${key}`, undefined]);
    expect(tab.faults).toEqual([]);
  });
});
