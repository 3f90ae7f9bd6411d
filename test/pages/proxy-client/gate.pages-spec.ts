import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const TOKEN = 'a-token-of-the-administrator';
const NARROW = { width: 390, height: 800 };

describePages('the gate on the dashboard', () => {
  let browser: Browser;
  let proxy: RunningProxy;
  beforeAll(async () => {
    browser = await openBrowser();
    proxy = await ProxyProgram.start({
      default: 'reject',
      admin: { port: 0, token: TOKEN },
      rules: [{ hosts: ['ads.example'], to: 'reject' }],
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await browser.close();
  });

  const connect = async (authority: string): Promise<string> =>
    exchange(proxy.url, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);

  it('lists what was refused, allows it for a time, and ends that, by keyboard', async () => {
    await connect('WANTED.example.:1');
    await connect('ads.example:443');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${proxy.admin ?? ''}/#t=${TOKEN}`);
    const gate = page.locator('#gate');
    const refused = gate.getByRole('table', { name: 'Refused targets' });
    const row = refused.locator('tbody tr', { hasText: 'wanted.example:1' });
    await row.getByText('wanted.example:1', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await row.getByText('proxy-client allow wanted.example:1 --for 1h').waitFor();
    // A rule to reject has no button.
    const ads = gate.locator('tbody tr', { hasText: 'ads.example:443' });
    await ads.getByText('by rule 1').waitFor();
    expect(await ads.getByRole('button', { name: /^Allow/ }).count()).toBe(0);
    await gate.getByLabel('Allow for').selectOption('10 minutes');
    await gate.getByRole('button', { name: 'Allow wanted.example:1 for 10 minutes' }).focus();
    await page.keyboard.press('Enter');
    await gate.getByRole('status').getByText('wanted.example:1 is allowed for 10 minutes.').waitFor();
    expect(await connect('wanted.example:1')).not.toMatch(/^HTTP\/1\.1 403 /);
    expect(await tab.seriousFindings()).toEqual([]);
    await gate.getByRole('button', { name: 'End the grant for wanted.example:1' }).focus();
    await page.keyboard.press('Enter');
    await gate.getByRole('status').getByText('wanted.example:1 is no longer allowed.').waitFor();
    expect(await connect('wanted.example:1')).toMatch(/^HTTP\/1\.1 403 /);
    await page.setViewportSize(NARROW);
    await until(async () => (await page.evaluate<number>('document.documentElement.scrollWidth')) <= NARROW.width);
    expect(tab.violations).toEqual([]);
  });

  it('is absent where requests without a rule are not refused', async () => {
    await using open = await ProxyProgram.start({ admin: { port: 0 } });
    await using tab = await Tab.open(browser);
    await tab.page.goto(open.admin ?? '');
    await tab.page.getByText('everything: there are no rules').waitFor();
    expect(await tab.page.locator('#gate').count()).toBe(0);
  });
});
