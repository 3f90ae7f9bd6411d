import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';
import { openTunnel } from '../support/tunnel.js';

const TOKEN = 'token-of-the-views';
const PHONE = { width: 390, height: 844 };

let browser: Browser;
let origin: Server;
let upstream: LocalSocks5Server;
let proxy: RunningProxy;
let sockets: Socket[];

const rows = (page: Page) => page.locator('#connections tbody tr');

describePages('a view of the dashboard', () => {
  beforeAll(async () => {
    browser = await openBrowser();
    origin = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    upstream = new LocalSocks5Server();
    await upstream.listen();
    proxy = await ProxyProgram.start({
      listen: { port: 0 },
      upstream: undefined,
      upstreams: { home: upstream.address, attic: { host: '127.0.0.1', port: CLOSED_PORT } },
      rules: [{ hosts: ['*.onion'], to: 'attic' }],
      admin: { port: 0, token: TOKEN },
    });
    const target = `127.0.0.1:${(origin.address() as AddressInfo).port}`;
    const targets = [
      target,
      target,
      `127.0.0.1:${CLOSED_PORT}`,
      ...Array.from({ length: 5 }, (_, n) => `${n}.onion:80`),
    ];
    sockets = await Promise.all(targets.map(async (each) => openTunnel(proxy.url, each)));
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy[Symbol.asyncDispose]();
    await upstream.close();
    origin.close();
    await browser.close();
  });

  it('has its state, filters, order, times and open parts in the URL, which survives signing in and a reload', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${proxy.admin!}/#t=${TOKEN}`);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${proxy.admin!}/`);
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await page.getByPlaceholder('Target, upstream or user').fill('onion');
    await page.locator('#connections').getByRole('button', { name: 'Target' }).click();
    await page.getByRole('button', { name: '5 minutes' }).click();
    await page.getByLabel('Times').selectOption('utc');
    await page
      .locator('#failures article', { hasText: 'Upstream unreachable' })
      .getByRole('button', { name: '2 more' })
      .click();
    await page.getByLabel('Host and port').fill('git.onion');
    await page.getByLabel('Host and port').press('Enter');
    await page.locator('#routes').getByText('because of rule 1').waitFor();
    await page.getByRole('tab', { name: 'Terminal' }).click();
    const view = async (): Promise<unknown> => {
      await page.locator('#routes').getByText('because of rule 1').waitFor();
      await until(async () => (await rows(page).count()) === 5);
      return {
        targets: (await rows(page).locator('td:first-child .cut').allTextContents()).filter((text) =>
          /^\dd?\.onion/.test(text),
        ),
        sorted: await page.locator('#connections th[aria-sort="ascending"]').textContent(),
        pressed: await page.locator('[aria-pressed="true"]').allTextContents(),
        tab: await page.getByRole('tab', { selected: true }).textContent(),
        unreachable: await page
          .locator('#failures article', { hasText: 'Upstream unreachable' })
          .getByRole('listitem')
          .count(),
        times: await page.getByLabel('Times').inputValue(),
      };
    };
    const before = await view();
    expect(before).toMatchObject({
      pressed: ['5 minutes', expect.stringContaining('Failed')],
      sorted: expect.stringContaining('Target'),
      tab: 'Terminal',
      unreachable: 5,
      times: 'utc',
    });
    await page.reload();
    expect(await view()).toEqual(before);
    expect(page.url()).not.toContain(TOKEN);
    // Another person, who has to sign in.
    await using other = await Tab.open(browser);
    await other.page.goto(page.url());
    await other.page.locator('#secret:focus').waitFor();
    await other.page.keyboard.insertText(TOKEN);
    await other.page.keyboard.press('Enter');
    await other.page.locator('h2:focus').getByText('Traffic').waitFor();
    await until(async () => (await rows(other.page).count()) === 5);
    expect(other.page.url()).toBe(page.url());
    await other.page.locator('#routes').getByText('because of rule 1').waitFor();
    expect(await other.problems()).toEqual([]);
    // The usual view has no parameters.
    await other.page.getByRole('button', { name: 'Clear filters' }).click();
    await other.page.getByRole('button', { name: 'Open', exact: true }).click();
    expect(new URL(other.page.url()).searchParams.get('find')).toBe(null);
    expect(new URL(other.page.url()).searchParams.get('state')).toBe(null);
    await until(async () => (await rows(other.page).count()) === 2);
    expect([...tab.violations, ...other.violations]).toEqual([]);
  });

  it('ignores parameters that it does not know, and shows hostile ones as text', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const evil = '<img src=x onerror=alert(1)>';
    const query = new URLSearchParams({
      state: 'evil',
      sort: 'constructor',
      order: 'up',
      rows: '9',
      find: evil,
      listener: 'x',
      failures: evil,
      program: evil,
      times: 'mars',
    });
    await page.goto(`${proxy.admin!}/?${query.toString()}#t=${TOKEN}`);
    await page.getByText('No connection matches').waitFor();
    expect(await page.getByPlaceholder('Target, upstream or user').inputValue()).toBe(evil);
    expect(await page.getByRole('button', { name: 'Open', exact: true }).getAttribute('aria-pressed')).toBe('true');
    expect(await page.getByLabel('Times').inputValue()).toBe('age');
    await page.locator('#set-up pre').first().waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('focuses the filter of connections by /, except where a slash is typed', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${proxy.admin!}/#t=${TOKEN}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('/');
    await page.locator('#connections input[type="search"]:focus').waitFor();
    await page.getByLabel('Host and port').focus();
    await page.keyboard.type('a/b');
    expect(await page.getByLabel('Host and port').inputValue()).toBe('a/b');
    expect(tab.violations).toEqual([]);
  });

  it('has a header of one line on a phone, whose menu has the sections, and a column with the latency', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.setViewportSize(PHONE);
    await page.goto(`${proxy.admin!}/#t=${TOKEN}`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page
      .locator('.page-header')
      .getByRole('link', { name: /^\d of 2 up$/ })
      .waitFor();
    expect((await page.locator('.page-header').boundingBox())!.height).toBeLessThan(60);
    await page.locator('#upstreams').getByRole('columnheader', { name: 'Latency' }).waitFor();
    // The target has at least 12 rem.
    await rows(page).first().waitFor();
    for (const width of [360, 640, 768, 1060, 1280]) {
      await page.setViewportSize({ ...PHONE, width });
      const { width: target } = (await page.locator('#connections td').first().boundingBox())!;
      expect([width, target >= 192]).toEqual([width, true]);
    }
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Connections' }).waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await page.getByRole('link', { name: 'Connections' }).click();
    await page.getByRole('link', { name: 'Connections' }).waitFor({ state: 'hidden' });
    expect(new URL(page.url()).hash).toBe('#connections');
    expect(tab.violations).toEqual([]);
  });

  it('separates an upstream that is unreachable from targets that refuse', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${proxy.admin!}/#t=${TOKEN}`);
    const upstreams = page.locator('#upstreams tbody tr');
    await upstreams
      .filter({ hasText: 'attic' })
      .getByText(/^Upstream unreachable, (just now|\d+ (s|min) ago)$/)
      .first()
      .waitFor({ state: 'attached' });
    // The target that refused is no error of the upstream that asked it.
    const home = upstreams.filter({ hasText: 'home' });
    await home.getByText('none', { exact: true }).waitFor();
    await page.locator('#failures article', { hasText: 'Check the port and whether' }).getByText('home').waitFor();
    expect(tab.violations).toEqual([]);
  });
});
