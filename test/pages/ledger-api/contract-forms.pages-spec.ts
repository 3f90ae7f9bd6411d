import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

let browser: Browser;
let api: LedgerApi;
let folder: ChaincodeFolder;
let key: string;

describePages('the pages of a chaincode whose metadata name its parameters', () => {
  beforeAll(async () => {
    folder = ChaincodeFolder.node('described');
    cpSync(join('test/fixtures/metadata', 'cars.json'), folder.file('metadata.json'));
    [browser, api] = await Promise.all([
      openBrowser(),
      LedgerApi.start({ LEDGER_CHAINCODES: `cars=${folder.path}`, LEDGER_AUTH: 'on' }),
    ]);
    key = await changeCallers(api, () => addCaller(api.dataDir, 'zoe', '--role', 'admin'));
  });
  afterAll(async () => {
    await api.stop();
    folder.remove();
    await browser.close();
  });

  it('have a field for each argument, and show what is refused below it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/contracts/cars`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('summary', { hasText: 'Register(car: Car, mileage: number)' }).click();
    const form = page.locator('details', { hasText: 'Register(' }).locator('form');
    const car = form.getByRole('group', { name: 'car', exact: true });
    await car.getByLabel('id').fill('c1');
    await form.getByLabel('mileage').fill('many');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.getByText('Must be a number, such as 12 or 3.5.').waitFor();
    await form.getByLabel('mileage').fill('');
    await form.getByRole('button', { name: 'Submit' }).click();
    const field = form.locator('.field', { has: page.getByLabel('mileage') });
    await field.getByText('Is missing.').waitFor();
    expect(await form.getByLabel('mileage').getAttribute('aria-invalid')).toBe('true');
    await form.getByLabel('mileage').fill('12345678901234567890');
    await car.getByLabel('power').fill('75');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.getByText('Committed.').waitFor();
    await form.getByText('12345678901234567890').waitFor();
    await form.getByText('\\"engine\\":{\\"power\\":75}').waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('have a document in Swagger UI, which sends the key for it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/docs`);
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
    await page.locator('.auth-container', { hasText: 'apiKey' }).locator('input').fill(key);
    await page
      .locator('.auth-container', { hasText: 'apiKey' })
      .getByRole('button', { name: 'Apply credentials' })
      .click();
    await page.getByRole('button', { name: 'Close', exact: true }).first().click();
    await page.getByLabel('Select a definition').selectOption('Chaincode cars');
    const operation = page.locator('[id$="-Find"]');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.locator('textarea').fill('{"id": "c1"}');
    const answered = page.waitForResponse((response) => response.url().endsWith('/functions/Find'));
    await operation.getByRole('button', { name: 'Execute' }).click();
    expect((await answered).status()).toBe(200);
    expect(tab.violations).toEqual([]);
  });
});
