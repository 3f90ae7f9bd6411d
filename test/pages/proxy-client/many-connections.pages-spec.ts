import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Socket } from 'node:net';
import type { Browser } from 'playwright-core';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';
import { openTunnel } from '../support/tunnel.js';

const CONNECTIONS = 1000;
const AT_ONCE = 50;
const MINUTES = 600_000;

/** What an operator does with very many connections, each of which is a real one. */
describePages(`the dashboard of ${CONNECTIONS} connections`, () => {
  const sockets: Socket[] = [];
  let browser: Browser;
  let upstream: ScriptedSocks5Server;
  let proxy: RunningProxy;

  beforeAll(async () => {
    [browser, upstream] = await Promise.all([openBrowser(), new ScriptedSocks5Server(() => granting()).listen()]);
    proxy = await ProxyProgram.start({
      upstream: { host: '127.0.0.1', port: upstream.port },
      limits: { connections: 2 * CONNECTIONS },
      admin: { port: 0 },
    });
    while (sockets.length < CONNECTIONS) {
      const targets = Array.from({ length: AT_ONCE }, (_, index) => `host-${sockets.length + index}.example:443`);
      sockets.push(...(await Promise.all(targets.map(async (target) => openTunnel(proxy.url, target)))));
    }
    for (const socket of sockets) socket.resume();
  }, MINUTES);
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy[Symbol.asyncDispose]();
    await upstream.close();
    await browser.close();
  }, MINUTES);

  it(
    'lists, sorts and filters them, and ends all that match, by keyboard',
    async () => {
      await using tab = await Tab.open(browser);
      const { page } = tab;
      const rows = page.locator('#connections tbody tr');
      await page.goto(proxy.admin!);
      await page.getByText('1,000 open, first 20 shown').waitFor();
      expect(await rows.count()).toBe(20);
      await page.getByRole('button', { name: 'Show all 1,000' }).press('Enter');
      await rows.nth(CONNECTIONS - 1).waitFor();
      await page.getByRole('button', { name: 'Target', exact: true }).press('Enter');
      await rows.first().getByText('host-0.example:443').waitFor();
      await page.getByRole('button', { name: 'Show fewer' }).press('Enter');
      await rows.nth(20).waitFor({ state: 'detached' });
      expect(await tab.problems()).toEqual([]);

      // host-9, host-90 to host-99 and host-900 to host-999.
      const matching = 111;
      await page.getByLabel('Filter by target').fill('host-9');
      await page.getByText(`${matching} of 1,000 open, first 20 shown`).waitFor();
      await page.getByRole('button', { name: `End all ${matching} connections` }).press('Enter');
      await page.getByRole('button', { name: `End ${matching} connections`, exact: true }).press('Enter');
      await page.getByText(`${matching} connections ended`).waitFor();
      await until(() => sockets.filter(({ destroyed }) => destroyed).length === matching);
      await page.getByRole('button', { name: 'Clear filters' }).press('Enter');
      await page.getByText('889 open, first 20 shown').waitFor();

      await page.getByRole('button', { name: 'End all 889 connections' }).press('Enter');
      await page.getByRole('button', { name: 'End 889 connections', exact: true }).press('Enter');
      await page.getByText('No open connections').waitFor();
      await until(() => sockets.every(({ destroyed }) => destroyed));
      expect(tab.violations).toEqual([]);
    },
    MINUTES,
  );
});
