import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers, ledgerTool } from '../../support/ledger-callers.js';
import { until } from '../../support/until.js';
import { go } from '../support/explorer.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const SINGLE_FILE = pathToFileURL(resolve('dist/apps/ledger-api/pages/verify-receipt.html')).href;
const PATIENT = {
  payload: 'outside',
  mode: 'mutable',
  schema: { type: 'object', properties: { name: { type: 'string' }, age: { type: 'integer' } }, required: ['name'] },
  indexes: ['name'],
};

interface Stored {
  readonly transactionId: string;
  readonly outside: { readonly digest: string; readonly salt: string };
}

/** Presses the only button with a label in the content of the page. */
const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();
const dataOf = ({ json }: { readonly json: unknown }) => (json as { data: Stored }).data;

describePages('the pages of records outside the blocks', () => {
  let browser: Browser;
  let api: LedgerApi;
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
    await api.api('PUT', '/record-types/patient', { body: PATIENT });
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  const create = async (id: string, document: object): Promise<Stored> =>
    dataOf(await api.api('POST', `/records/patient?id=${id}`, { body: document }));
  const ca = () => join(api.dataDir, 'identities', 'ca.pem');

  it('let one choose where documents are stored when a type is defined, and show it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/define-record-type', 'Define a record type');
    await page.getByLabel('Name', { exact: true }).fill('consent');
    await page.getByLabel('Documents').selectOption('outside the blocks, can be erased');
    expect(await tab.problems()).toEqual([]);
    await press(page, 'Define');
    await page.getByRole('heading', { level: 1, name: 'Records of consent' }).waitFor();
    await page.locator('dl.facts').getByText('outside the blocks, can be erased').waitFor();
    expect((await api.api('GET', '/record-types/consent')).json).toMatchObject({ data: { payload: 'outside' } });
    // The next version stays there.
    await page.getByRole('link', { name: 'Define again' }).click();
    await page.getByLabel('Indexed fields').fill('user');
    expect(await page.getByLabel('Documents').count()).toBe(0);
    await press(page, 'Define');
    await page.getByText('Defined as version 2.').waitFor();
    await go(page, api, '#/record-types', 'Records');
    await page.getByRole('row', { name: 'consent' }).getByText('outside the blocks, can be erased').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('show what proves a stored document, and verify the receipt with it', async () => {
    const { outside } = await create('proof', { name: 'Ana', age: 5 });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/patient/proof', 'proof');
    await page.locator('dl.facts').getByText('Ana').waitFor();
    await page.getByText('Prove this document to others').click();
    await page.getByText(outside.digest).waitFor();
    await page.getByText(outside.salt, { exact: true }).waitFor();
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Download the document')]);
    expect(file.suggestedFilename()).toBe('document-proof.json');
    await page.getByText(`--document document-proof.json --salt ${outside.salt}`).waitFor();
    await press(page, 'Verify');
    await page.locator('input[type="file"]').first().setInputFiles(ca());
    await page.getByText('the document of the record "proof" of "patient"').waitFor();
    await page.getByText(/^PROVEN, if/).waitFor();
    await page.getByLabel('Salt of the document').fill('ab'.repeat(32));
    await page.getByText('which the transaction did not write').waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('verify a document without a server', async () => {
    const { transactionId, outside } = await create('alone', { name: 'Ana' });
    const { text } = await api.api('GET', `/transactions/${transactionId}/receipt`);
    const file = (name: string, content: string) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(SINGLE_FILE);
    await page.getByLabel('Drop a receipt, or choose it').setInputFiles(file('receipt.json', text));
    await page.getByLabel('Drop the file with the CA certificate (PEM), or choose it').setInputFiles(ca());
    await page.getByText(/^PROVEN, if/).waitFor();
    await page.getByText('give --document FILE --salt HEX').waitFor();
    const document = page.getByLabel('Drop the file with the document (JSON), or choose it');
    await document.setInputFiles(file('document.json', '{ "name": "Ana" }\n'));
    // Nothing is verified until both are there.
    await page.getByText(/^PROVEN, if/).waitFor({ state: 'detached' });
    await page.getByLabel('Salt of the document').fill(` ${outside.salt} `);
    await page.getByText('the document of the record "alone" of "patient"').waitFor();
    await page.getByRole('button', { name: 'Use another document' }).click();
    await document.setInputFiles(file('other.json', '{"name":"Bob"}'));
    await page.getByText('REFUSED: the receipt proves nothing.').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('erase the documents of a record after they state what is erased and what stays', async () => {
    const { outside } = await create('gone', { name: 'Ana' });
    await api.api('PUT', '/records/patient/gone', { body: { name: 'Anna' } });
    const { data: height } = (await api.api('GET', '/blockchain/height')).json as { data: { height: number } };
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/patient/gone', 'gone');
    await press(page, 'Erase the documents …');
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByText('What stays in the blocks: the id, the digests').waitFor();
    await page.getByText('What is not reached: backups').waitFor();
    expect(await tab.problems()).toEqual([]);
    await press(page, 'Cancel');
    await press(page, 'Erase the documents …');
    await press(page, 'Erase for good');
    await page.getByText('Erased the documents of gone.').waitFor();
    await page.getByText('This record does not exist.').waitFor();
    const steps = page.locator('.timeline > li');
    await until(async () => (await steps.count()) === 3);
    const texts = (await steps.allInnerTexts()).map((step) => step.split(/\s+/).filter((word) => word === 'erased'));
    expect(texts).toEqual([[], ['erased'], ['erased']]);
    await steps.last().getByTitle(outside.digest).waitFor();
    // There is nothing left to erase.
    await until(async () => (await page.getByRole('button', { name: 'Erase the documents …' }).count()) === 0);
    expect(await tab.problems()).toEqual([]);
    await go(page, api, `#/records/patient/gone?at=${height.height - 1}`, `gone as of block ${height.height - 1}`);
    await page.getByText('This document was erased.').waitFor();
    expect(await page.getByText('Erased the documents of gone.').count()).toBe(0);
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('offer a deleted record to be erased, and nothing to a writer', async () => {
    await create('deleted', { name: 'Ana' });
    await api.api('DELETE', '/records/patient/deleted');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/patient/deleted', 'deleted');
    await page.getByText('This record does not exist.').waitFor();
    await press(page, 'Erase the documents …');
    await press(page, 'Erase for good');
    await page.getByText('Erased the documents of deleted.').waitFor();
    expect(tab.violations).toEqual([]);

    const guarded = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    const [writer, admin] = await changeCallers(guarded, async () => [
      await addCaller(guarded.dataDir, 'wanda', '--role', 'writer'),
      await addCaller(guarded.dataDir, 'ada', '--role', 'admin'),
    ]);
    const as = (key: string | undefined, method: string, path: string, body: object) =>
      guarded.api(method, path, { body, headers: { 'x-api-key': key ?? '' } });
    await until(async () => (await as(admin, 'PUT', '/record-types/patient', PATIENT)).status === 200);
    await as(writer, 'POST', '/records/patient?id=p1', { name: 'Ana' });
    for (const [key, count] of [
      [writer, 0],
      [admin, 1],
    ] as const) {
      await using other = await Tab.open(browser);
      await other.page.goto(`${guarded.origin}/#/records/patient/p1`);
      await other.page.getByLabel('Key').fill(key);
      await other.page.getByRole('button', { name: 'Sign in' }).click();
      await other.page.getByRole('button', { name: 'Verify', exact: true }).waitFor();
      await other.page.getByRole('button', { name: 'Delete', exact: true }).waitFor();
      expect(await other.page.getByRole('button', { name: 'Erase the documents …' }).count()).toBe(count);
    }
    await guarded.stop();
  });

  it('show documents that an imported ledger does not have as "not here"', async () => {
    await create('here', { name: 'Ana', age: 5 });
    const directory = `${api.dataDir}-imported`;
    const blocks = `${api.dataDir}-blocks`;
    const keys = join(api.dataDir, 'identities');
    expect(await ledgerTool(api.dataDir, 'export', blocks)).toMatchObject({ code: 0 });
    expect(await ledgerTool(directory, 'import', blocks, '--keys', keys)).toMatchObject({ code: 0 });
    const imported = await LedgerApi.start({}, directory);
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, imported, '#/records/patient', 'Records of patient');
    await page.getByRole('row', { name: 'here' }).first().getByText('not here', { exact: true }).waitFor();
    expect(await tab.problems()).toEqual([]);
    await page.getByRole('link', { name: 'here', exact: true }).click();
    await page.getByText('This document is not here.').waitFor();
    await page.locator('.timeline').getByText('not here', { exact: true }).waitFor();
    expect(await tab.problems()).toEqual([]);
    // A new version replaces it.
    await page.getByRole('link', { name: 'Update' }).click();
    expect(await page.getByLabel('name').inputValue()).toBe('');
    await page.getByLabel('name').fill('Anna');
    await press(page, 'Update');
    await page.getByText('The earlier document is not here: this is the whole new one.').waitFor();
    expect(tab.violations).toEqual([]);
    await imported.stop();
    rmSync(blocks, { recursive: true });
  });
});
