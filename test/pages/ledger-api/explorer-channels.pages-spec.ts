import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { startStandIn, type StandInSetting } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller, changeCallers } from '../../support/ledger-callers.js';
import { gatewayEnv } from '../../support/stand-in-drivers.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

let browser: Browser;
let standIn: StandInSetting;
let api: LedgerApi;

/** Starts the API on a network with the channels mychannel and payments. */
function start(env: Readonly<Record<string, string>> = {}): Promise<LedgerApi> {
  return LedgerApi.start({ LEDGER_CHANNELS: 'payments,unjoined', ...gatewayEnv(standIn), ...env });
}

/** Creates an asset on the channel payments and returns its transaction. */
async function pay(id: string): Promise<string> {
  const body = { function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tom', '100'] };
  const { headers } = await api.api('POST', '/channels/payments/contracts/basic/submit', { body });
  return String(headers['x-transaction-id']);
}

describePages('the explorer on several channels', () => {
  beforeAll(async () => {
    [browser, standIn] = await Promise.all([openBrowser(), startStandIn({ otherChannels: ['payments'] })]);
    api = await start();
  });
  afterAll(async () => {
    await api.stop();
    standIn.dispose();
    await browser.close();
  });

  it('switches by keyboard, keeps the channel in links, and navigates back', async () => {
    const transaction = await pay('first');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/blocks`);
    const summary = page.locator('summary', { hasText: 'Channel' });
    await summary.getByText('mychannel').waitFor();
    await summary.focus();
    await page.keyboard.press('Enter');
    expect(await page.getByRole('navigation', { name: 'Channels' }).getByRole('link').allTextContents()).toEqual([
      'mychannel',
      'payments',
      'unjoined',
    ]);
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Channels' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The kind of page stays.
    await page.waitForURL('**/#/channels/payments/blocks');
    await page.getByRole('heading', { level: 1, name: 'Blocks' }).waitFor();
    await summary.getByText('payments').waitFor();
    await until(async () => (await page.title()) === 'Blocks · payments · Asset ledger');
    // Assets are on the default channel only.
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true });
    expect(await pages.getByRole('link').allTextContents()).toEqual([
      'Overview',
      'Records',
      'Blocks',
      'Transactions',
      'Contracts',
      'API',
    ]);
    await page.getByRole('rowheader').or(page.getByRole('cell')).getByRole('link', { name: '1', exact: true }).click();
    await page.waitForURL('**/#/channels/payments/blocks/1');
    await page.getByText('Created').first().waitFor();
    expect(await page.getByRole('link', { name: 'first' }).count()).toBe(0);
    await pages.getByRole('link', { name: 'Transactions' }).click();
    await page.getByRole('link', { name: transaction.slice(0, 8) }).click();
    await page.waitForURL(`**/#/channels/payments/transactions/${transaction}`);
    await page.getByRole('button', { name: 'Verify', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Verify', exact: true }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await page.waitForURL('**/#/blocks');
    await summary.getByText('mychannel').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('follows the events of the channel that is shown', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/channels/payments`);
    await page.getByText('Live', { exact: true }).waitFor();
    const transaction = await pay('live');
    await page.getByRole('link', { name: transaction.slice(0, 8) }).waitFor();
    // Nothing of it is on the default channel.
    await page.locator('summary', { hasText: 'Channel' }).click();
    await page.getByRole('link', { name: 'mychannel' }).click();
    await page.locator('dl').getByText('mychannel').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByRole('link', { name: transaction.slice(0, 8) }).waitFor({ state: 'detached' });
    await api.create('own');
    await page.getByRole('link', { name: 'own', exact: true }).first().waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('finds a transaction of the channel', async () => {
    const transaction = await pay('found');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/channels/payments`);
    await page.getByRole('combobox', { name: 'Search' }).fill(transaction);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/#/channels/payments/transactions/${transaction}`);
    expect(tab.violations).toEqual([]);
  });

  it('calls functions by name where a chaincode publishes no metadata, on the channel that is shown', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/channels/payments/contracts`);
    await page.getByRole('link', { name: 'basic' }).click();
    await page.waitForURL('**/#/channels/payments/contracts/basic');
    await page.getByText('publishes no metadata').waitFor();
    await page.getByRole('textbox', { name: 'Function' }).fill('CreateAsset');
    for (const [index, value] of ['by-name', 'blue', '5', 'Tom', '100', 'surplus'].entries()) {
      await page.getByRole('button', { name: 'Add an argument' }).click();
      await page.getByLabel(`Argument ${index + 1}`).fill(value);
    }
    await page.getByRole('button', { name: 'Remove the last' }).click();
    expect(await tab.problems()).toEqual([]);
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('link', { name: 'Show the transaction' }).click();
    await page.waitForURL(/#\/channels\/payments\/transactions\/[0-9a-f]{64}$/);
    expect(tab.violations).toEqual([]);
  });

  it('states that the peer has not joined a channel, and what is down', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/channels/unjoined/blocks`);
    await page.getByText('joined the channel unjoined').first().waitFor();
    await page.locator('summary', { hasText: 'Channel' }).click();
    await page.getByRole('listitem').filter({ hasText: 'unjoined' }).getByText('unavailable').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('has no problems of accessibility or layout, with the list of channels open, also at 390 px', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/channels/payments`);
    await page.locator('dl').getByText('payments').waitFor();
    await page.locator('summary', { hasText: 'Channel' }).click();
    expect(await tab.problems()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('summary', { hasText: 'Channel' }).click();
    await page.getByRole('link', { name: 'mychannel' }).waitFor();
    await until(async () => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'));
    expect(await tab.seriousFindings()).toEqual([]);
  });

  it('opens the channel that the caller may read', async () => {
    const own = await start({ LEDGER_AUTH: 'on' });
    try {
      const key = await changeCallers(own, () =>
        addCaller(own.dataDir, 'auditor', '--role', 'reader@payments', '--new'),
      );
      await using tab = await Tab.open(browser);
      const { page } = tab;
      await page.goto(own.origin);
      await page.getByLabel('API key').fill(key);
      await page.keyboard.press('Enter');
      await page.waitForURL('**/#/channels/payments');
      await page.locator('dl').getByText('payments').waitFor();
      await page.locator('.caller').getByText('reader').waitFor();
      await until(async () => (await page.locator('summary', { hasText: 'Channel' }).count()) === 1);
      expect(tab.violations).toEqual([]);
    } finally {
      await own.stop();
    }
  });
});
