import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const METADATA = join('test/fixtures/metadata', 'cars.json');

let browser: Browser;
let api: LedgerApi;
let folder: ChaincodeFolder;
let plain: ChaincodeFolder;
let key: string;

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Enters the key in Swagger UI. */
async function authorize(page: Page): Promise<void> {
  const entry = page.locator('.auth-container', { hasText: 'apiKey' });
  await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
  await entry.locator('input').fill(key);
  await entry.getByRole('button', { name: 'Apply credentials' }).click();
  await page.getByRole('button', { name: 'Close', exact: true }).first().click();
}

describePages('the pages of a chaincode whose metadata name its parameters', () => {
  beforeAll(async () => {
    folder = ChaincodeFolder.node('described');
    plain = ChaincodeFolder.node('notes-low');
    cpSync(METADATA, folder.file('metadata.json'));
    // It reads its metadata when it starts.
    const main = readFileSync(folder.file('described.js'), 'utf8');
    const read = "readFileSync(join(__dirname, 'metadata.json'))";
    writeFileSync(folder.file('described.js'), `${main.replace(read, 'METADATA')}const METADATA = ${read};\n`);
    [browser, api] = await Promise.all([
      openBrowser(),
      LedgerApi.start({
        LEDGER_CHAINCODES: `cars=${folder.path},plain=${plain.path}`,
        LEDGER_CHAINCODE_WATCH: 'on',
        LEDGER_AUTH: 'on',
      }),
    ]);
    key = await changeCallers(api, () => addCaller(api.dataDir, 'zoe', '--role', 'admin'));
  });
  afterAll(async () => {
    await api.stop();
    folder.remove();
    plain.remove();
    await browser.close();
  });

  it('have a field for each argument, and show what is refused below it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/contracts/cars`);
    await signIn(page);
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
    await authorize(page);
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

  it('have the reason in the place of a document that a chaincode without metadata does not have', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/docs`);
    await authorize(page);
    await page.getByLabel('Select a definition').selectOption('Chaincode plain');
    await page.getByText(/the chaincode plain publishes no metadata/i).waitFor();
    expect(await page.getByText('Failed to load API definition').count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('follow the metadata of a chaincode that was edited', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/contracts/cars`);
    await signIn(page);
    const detailsOf = (name: string) => page.locator('details', { hasText: `${name}(` });
    await page.locator('summary', { hasText: 'Register(car: Car, mileage: number)' }).click();
    await detailsOf('Register').getByLabel('mileage').fill('7');
    await page.locator('summary', { hasText: 'Find(id: string)' }).click();
    await detailsOf('Find').getByLabel('id').fill('c1');
    const edited = readFileSync(METADATA, 'utf8').replaceAll('"mileage"', '"odometer"');
    writeFileSync(folder.file('metadata.json'), edited);
    const document = (): Promise<Answer> =>
      api.api('GET', '/contracts/cars/openapi.json', { headers: { 'x-api-key': key } });
    await until(async () => (await document()).text.includes('odometer'));
    expect((await document()).text).not.toContain('mileage');
    // As when the user returns from an editor.
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.locator('summary', { hasText: 'Register(car: Car, odometer: number)' }).waitFor();
    expect(await detailsOf('Register').getByLabel('odometer').inputValue()).toBe('');
    // The form of a function that is the same keeps what was typed.
    expect(await detailsOf('Find').getByLabel('id').inputValue()).toBe('c1');
    const form = detailsOf('Register').locator('form');
    await form.getByRole('group', { name: 'car', exact: true }).getByLabel('id').fill('c1');
    await form.getByLabel('power').fill('75');
    await form.getByLabel('odometer').fill('12');
    await form.getByRole('button', { name: 'Submit' }).click();
    await form.getByText('Committed.').waitFor();
    expect(tab.violations).toEqual([]);
  });
});
