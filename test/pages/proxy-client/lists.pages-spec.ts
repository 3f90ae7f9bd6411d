import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ListServer } from '../../../apps/proxy-client/src/routing/lists/testing/list-server.js';
import { getThroughProxy } from '../../support/get-through-proxy.js';
import { ProxyProgram } from '../../support/proxy/proxy-program.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, PHONE, Tab } from '../support/tab.js';

const HOUR = 3600;
const LISTS = '#routes table:has(th:text("List"))';
const SCRIPTS = '#upstreams table:has(th:text("PAC script"))';

describePages('the lists and PAC scripts of the dashboard', () => {
  let browser: Browser;
  let lists: ListServer;
  let scripts: ListServer;
  const cache = mkdtempSync(join(tmpdir(), 'copies-'));
  beforeAll(async () => {
    browser = await openBrowser();
    lists = await ListServer.start();
    scripts = await ListServer.start();
    scripts.body = `function FindProxyForURL() { return 'PROXY 127.0.0.1:1; DIRECT'; }`;
  });
  afterAll(async () => {
    await browser.close();
    await lists[Symbol.asyncDispose]();
    await scripts[Symbol.asyncDispose]();
    rmSync(cache, { recursive: true });
  });

  const start = () =>
    new ProxyProgram({
      config: {
        listen: { port: 0 },
        admin: { port: 0 },
        upstreams: { company: { pac: { url: '${PAC}', refresh: '1h' } } },
        rules: [
          { hosts: { file: 'a-list-with-a-long-name-that-does-not-fit-on-a-phone.txt', format: 'auto' }, to: 'reject' },
          { hosts: { url: '${LIST}', refresh: '1h', via: 'direct' }, to: 'reject' },
        ],
      },
      files: {
        'a-list-with-a-long-name-that-does-not-fit-on-a-phone.txt':
          '||a.example^\n||b.example^\n||c.example^\n||d.example^\n||e.example^\n/path/\n',
      },
      env: { LIST: lists.url, PAC: scripts.url, XDG_CACHE_HOME: cache },
    });

  it('show when they were checked, why they could not be loaded, and that they are too old', async () => {
    {
      await using proxy = start();
      const { admin = '' } = await proxy.program.ready();
      await using tab = await Tab.open(browser);
      await tab.page.goto(admin);
      const file = tab.page.locator(`${LISTS} tr`).nth(1);
      const url = tab.page.locator(`${LISTS} tr`).nth(2);
      await url.getByText('plain, 1 line used').waitFor();
      expect(await file.textContent()).toContain('adblock, 5 of 6 lines used, first unused: line 6');
      expect(await url.textContent()).not.toMatch(/Too old|Not loaded/);
      const script = tab.page.locator(`${SCRIPTS} tr`).nth(1);
      expect(await script.textContent()).toMatch(/company.*ads\.txt.*none yet/s);
      expect(await tab.problems()).toEqual([]);
      expect(tab.violations).toEqual([]);
    }
    const copies = join(cache, 'proxy-client', 'lists');
    const then = Date.now() / 1000 - 3 * HOUR;
    for (const copy of readdirSync(copies)) utimesSync(join(copies, copy), then, then);
    for (const server of [lists, scripts]) server.answer = (_, response) => response.writeHead(503).end();
    // The second start uses the copies, and asks the servers at once.
    await using proxy = start();
    const { admin = '', proxy: address = '' } = await proxy.program.ready();
    await until(() => lists.requests.length > 1 && scripts.requests.length > 1);
    expect((await getThroughProxy(address, 'http://shop.example/')).status).toBe(502);
    await using tab = await Tab.open(browser);
    await tab.page.setViewportSize(PHONE);
    await tab.page.goto(admin);
    const url = tab.page.locator(`${LISTS} tr`).nth(2);
    const script = tab.page.locator(`${SCRIPTS} tr`).nth(1);
    for (const row of [url, script]) {
      await row.getByText('Too old', { exact: true }).waitFor();
      await row.getByText(/^Not loaded .*503.* The previous content is used\.$/).waitFor();
      await row.getByText('3 h ago').waitFor();
    }
    await script.getByText('PROXY 127.0.0.1:1; DIRECT').waitFor();
    await script.getByText('for http://shop.example/').waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('are announced while the rules are being loaded, and shown as not loaded without content', async () => {
    await using proxy = start();
    for (const server of [lists, scripts]) server.answer = undefined;
    const { admin = '' } = await proxy.program.ready();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const shown = Promise.withResolvers<undefined>();
    await page.route('**/rules', async (route) => {
      await shown.promise;
      const json = (await (await route.fetch()).json()) as { lists: object[] };
      json.lists = json.lists.map((list) => ({ ...list, format: null, entries: 0, checked_at: null }));
      await route.fulfill({ json });
    });
    await page.goto(admin);
    await page.locator('#routes').getByText('Loading rules').waitFor();
    shown.resolve(undefined);
    const row = page.locator(`${LISTS} tr`).nth(1);
    await row.getByText('not loaded', { exact: true }).waitFor();
    await row.getByText('never', { exact: true }).waitFor();
    expect(await tab.problems()).toEqual([]);
  });
});
