import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { freePort } from '../../support/free-port.js';
import { LogLines } from '../../support/proxy/log-lines.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { hostile, madeHostile, seenOf } from '../support/hostile.js';
import { describePageFiles } from '../support/page-files.js';
import { describePages, HIDEABLE, openBrowser, SLOW_CLOCK, Tab } from '../support/tab.js';
import { echo, openTunnel } from '../support/tunnel.js';

let browser: Browser;
let proxy: RunningProxy;
let admin: string;
let origin: Server;
let target: string;

beforeAll(async () => {
  proxy = await ProxyProgram.start({ admin: { port: await freePort() } });
  admin = proxy.admin!;
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
});

describePageFiles('proxy-client', () => admin);

describePages('the dashboard', () => {
  beforeAll(async () => {
    browser = await openBrowser();
    origin = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    target = `127.0.0.1:${(origin.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    origin.close();
    await browser.close();
  });

  /** Opens a tunnel to the origin, which echoes. */
  const tunnel = async (): Promise<Socket> => openTunnel(proxy.url, target);

  const isIdle = async (): Promise<boolean> => {
    const { total } = (await (await fetch(`${admin}/connections`)).json()) as { total: number };
    return total === 0;
  };

  // The proxy still lists the tunnels of the previous test for a moment after they were closed.
  beforeEach(async () => {
    await until(isIdle);
  });

  /** Advances the clock of a page until it polls the connections again. */
  const poll = async (page: Page): Promise<void> => page.clock.fastForward('00:02');

  it('shows an example with the actual address while idle, and copies it', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto(admin);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('No open connections').waitFor();
    await page.getByText('No failures since the start').waitFor();
    const { host } = new URL(proxy.url);
    const copy = page.locator('#connections').getByRole('button', { name: 'Copy the command' });
    await copy.click();
    const command = `curl --proxy http://${host} https://example.com/`;
    await until(async () => (await page.evaluate('navigator.clipboard.readText()')) === command);
    await page.locator('#set-up pre').getByText(`${admin}/proxy.pac`).waitFor();
    // Arrow keys move between the programs.
    await page.getByRole('tab', { name: 'Browser' }).press('End');
    await page.locator('#set-up pre', { hasText: `HTTPS_PROXY=http://${host}` }).waitFor();
    await page.getByRole('tab', { name: 'docker' }).press('ArrowRight');
    await page.getByRole('tab', { name: 'git' }).click();
    await page.locator('#set-up pre', { hasText: `git config --global http.proxy http://${host}` }).waitFor();
    expect(await page.getByRole('tab', { selected: true }).allTextContents()).toEqual(['git']);
    expect(tab.violations).toEqual([]);
  });

  it('shows the counters of a proxy without an HTTP listener, which has no /stats', async () => {
    const listeners = [{ port: 0, mode: 'socks5' }];
    await using other = new ProxyProgram({ config: { listeners, upstream: 'embedded', admin: { port: 0 } } });
    const { admin: url } = await other.program.ready();
    await using tab = await Tab.open(browser);
    await tab.page.goto(url!);
    await tab.page.getByText('Live', { exact: true }).waitFor();
    await tab.page.getByText('0 connections since the start').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows the traffic of a tunnel, and ends it after a confirmation, by keyboard', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(admin);
    const row = page.locator('#connections tbody tr', { hasText: target });
    await row.waitFor();
    await echo(socket, 4096);
    await poll(page);
    await row.getByText('4.00 KiB').first().waitFor();
    await row.getByRole('button', { name: `End the connection to ${target}` }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await row.getByRole('button', { name: `End the connection to ${target}` }).waitFor();
    await page.keyboard.press('Enter');
    await row.getByRole('button', { name: `Confirm: end the connection to ${target}` }).waitFor();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await page.keyboard.press('Enter');
    await closed;
    await row.getByText('ended').waitFor();
    // The button keeps the focus.
    await row
      .getByRole('button', { name: `The connection to ${target} has ended` })
      .and(page.locator(':focus'))
      .waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('sorts on the server, announces the order, and filters', async () => {
    const sockets = [await tunnel(), await tunnel()];
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(admin);
    const table = page
      .getByRole('table')
      .filter({ has: page.getByRole('columnheader', { name: 'Target' }) })
      .first();
    await table.getByRole('button', { name: 'Received' }).click();
    await until(() => urls.some((url) => url.includes('sort=received&order=desc')));
    await table.getByRole('button', { name: 'Received' }).press('Enter');
    await until(() => urls.some((url) => url.includes('sort=received&order=asc')));
    await table.getByRole('columnheader', { name: 'Received' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
    await page.getByLabel('Filter by target').fill('nowhere');
    await page.getByText('No connection matches').waitFor();
    await page.getByLabel('Filter by target').fill(target);
    await until(async () => (await page.locator('#connections tbody tr').count()) === 2);
    for (const socket of sockets) socket.destroy();
    expect(tab.violations).toEqual([]);
  });

  it('shows problems first: upstreams that are down, and the failures of the last minute', async () => {
    const config = { listen: { port: 0 }, upstreams: { attic: { host: '127.0.0.1', port: 1 } }, admin: { port: 0 } };
    await using other = new ProxyProgram({ config });
    const { admin: url, proxy: address } = await other.program.ready();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(url!);
    await page.getByText('No failures since the start').waitFor();
    const banner = page.getByRole('region', { name: 'Problems' });
    expect(await banner.count()).toBe(0);
    for (const host of ['a', 'b']) await exchange(address!, `CONNECT ${host}:1 HTTP/1.1\r\nHost: ${host}:1\r\n\r\n`);
    await banner.getByText('2 failures (upstream unreachable) in the last minute').waitFor();
    const outage = banner.getByRole('alert').getByRole('link', { name: /^attic has been down since \d\d:\d\d$/ });
    await outage.press('Enter');
    await page.waitForURL(/#upstreams$/);
    // The failures are above the connections.
    const order = await page.evaluate(`[...document.querySelectorAll('main > section')].map(({ id }) => id)`);
    expect(order).toEqual(['', 'traffic', 'failures', 'upstreams', 'connections', 'routes', 'set-up']);
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('lists failures with hints', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(admin);
    await page.getByText('Live', { exact: true }).waitFor();
    await exchange(proxy.url, 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n');
    const group = page.locator('#failures article', { hasText: 'Direct refused' });
    await group.getByText('Check the port and whether the service is running.').waitFor();
    await group.getByText('127.0.0.1:1').first().waitFor();
    const when = group.locator('time').first();
    expect(await when.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (UTC|[+-]\d\d:\d\d)$/);
    expect(tab.violations).toEqual([]);
  });

  it('has no accessibility or layout problems in light and dark, on a desktop and a phone', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    await tab.page.goto(admin);
    await tab.page.locator('#connections tbody tr').first().waitFor();
    await tab.page.locator('#set-up pre').first().waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
    socket.destroy();
  });

  it('showed no targets between 641 and 850 px', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(admin);
    await page.locator('#connections tbody tr').first().waitFor();
    for (const state of ['Open', 'Finished']) {
      await page.locator('#connections').getByRole('button', { name: state, exact: true }).click();
      for (const width of [360, 641, 700, 850, 1060, 1061, 1280, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const { width: column } = (await page.locator('#connections th').first().boundingBox())!;
        expect([state, width, column >= (width < 641 ? 150 : 192)]).toEqual([state, width, true]);
      }
    }
    socket.destroy();
  });

  it('showed “just now” for everything in a browser with a slow clock', async () => {
    await using tab = await Tab.open(browser, { before: SLOW_CLOCK });
    const { page } = tab;
    await page.route('**/upstreams', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { upstreams: { since: string }[] };
      const since = new Date(Date.now() - 14.5 * 60_000).toISOString();
      await route.fulfill({
        response,
        json: { ...list, upstreams: list.upstreams.map((each) => ({ ...each, since })) },
      });
    });
    await page.goto(admin);
    await page.locator('#upstreams td.roomy').getByText('14 min ago').first().waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('is usable by keyboard, in reading order', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(admin);
    await page.locator('#set-up pre').first().waitFor();
    const reached: string[] = [];
    const focused = async (): Promise<string> =>
      page.evaluate(
        `(({ activeElement: at }) => at === document.body ? '' : at.getAttribute('aria-label') ?? (at.textContent.trim() || at.id))(document)`,
      );
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press('Tab');
      const name = await focused();
      if (name === '') break;
      reached.push(name);
    }
    expect(reached.slice(0, 8)).toEqual([
      'Skip to content',
      'Traffic',
      'Failures',
      'Upstreams',
      'Connections',
      'Routes',
      'Set up',
      'API',
    ]);
    expect(reached).toContain('Copy the address of the PAC file');
    // The focus is visible.
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).not.toBe('none');
  });

  it('marks connections that have ended, and shows that one could not be ended', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(admin);
    const end = page.locator('#connections tbody').getByRole('button', { name: `connection to ${target}` });
    await page.route('**/connections/*', async (route) => route.abort(), { times: 1 });
    await end.focus();
    await end.press('Enter');
    await end.press('Enter');
    await page
      .getByRole('button', { name: `End the connection to ${target}` })
      .getByText('Failed')
      .waitFor();
    expect(await end.getAttribute('title')).toBe('The connection was not ended: the proxy is unreachable.');
    // The row stays while it has the focus.
    socket.destroy();
    await until(isIdle);
    await poll(page);
    await page.locator('#connections tbody tr').getByText('ended').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows 20 of many connections, and all of them on demand, by keyboard', async () => {
    const sockets = await Promise.all(Array.from({ length: 120 }, tunnel));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(admin);
    const rows = page.locator('#connections tbody tr');
    await page.getByText('120 open, first 20 shown').waitFor();
    expect(await rows.count()).toBe(20);
    await page.getByRole('button', { name: 'Show all 120' }).press('Enter');
    await until(async () => (await rows.count()) === 120);
    await page.getByRole('button', { name: 'Show fewer', expanded: true }).press('Enter');
    await until(async () => (await rows.count()) === 20);
    for (const socket of sockets) socket.destroy();
    await until(isIdle);
    await poll(page);
    await page.getByText('No open connections').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows a list whose response is slower than polling, and replaces rows while paused when filtered', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    const answer = Promise.withResolvers<undefined>();
    let isFirst = true;
    await page.route('**/connections?*', async (route) => {
      if (!isFirst) return;
      isFirst = false;
      await answer.promise;
      await route.continue();
    });
    await page.clock.install();
    await page.goto(admin);
    await until(() => !isFirst);
    await page.clock.fastForward('01:00');
    answer.resolve(undefined);
    const row = page.locator('#connections tbody tr', { hasText: target });
    await row.waitFor();
    // The rows do not move under the pointer, unless the user filters them.
    await page.unroute('**/connections?*');
    // Parts above the list that load later move the row away from the pointer.
    await until(async () => {
      await row.hover();
      return page.getByText('Paused while you point at a row').isVisible();
    });
    await page.getByLabel('Filter by target').fill('nowhere');
    await page.getByText('No connection matches').waitFor();
    socket.destroy();
    expect(tab.violations).toEqual([]);
  });

  it('renders 1,000 of 5,000 connections, and updates only rows that changed', async () => {
    const at = new Date().toISOString();
    const connections = Array.from({ length: 1000 }, (_, index) => ({
      ...{ id: String(index), method: 'CONNECT', target: `host-${index}.example:443`, upstream: 'default', rule: null },
      ...{ client: '127.0.0.1:1', user: null, started_at: at, age_ms: 1000, bytes_sent: 0, bytes_received: 0 },
      ...{ state: 'open', ended_at: null, status: null, error: null },
    }));
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.route('**/connections?*', async (route) => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'));
      await route.fulfill({ json: { total: 5000, found: 5000, connections: connections.slice(0, limit) } });
    });
    await page.clock.install();
    await page.goto(admin);
    await page.getByText('5,000 open, first 20 shown').waitFor();
    await page.getByRole('button', { name: 'Show 1,000' }).click();
    await page.getByText('5,000 open, first 1,000 shown').waitFor();
    await poll(page);
    await page.locator('#connections tbody').getByText('idle').nth(999).waitFor();
    await page.evaluate(`globalThis.touched = new Set();
      new MutationObserver((records) => {
        for (const { target } of records) touched.add(target.parentElement.closest('td'));
      }).observe(document.querySelector('#connections tbody'), { subtree: true, childList: true, characterData: true });`);
    connections[7] = { ...connections[7]!, bytes_sent: 2048 };
    await poll(page);
    await page.locator('#connections tbody').getByText('2.00 KiB').waitFor();
    await poll(page);
    await page.locator('#connections tbody').getByText('idle').nth(999).waitFor();
    expect(await page.locator('#connections tbody tr').count()).toBe(1000);
    // The cells of the speed and of the bytes sent.
    const rows = await page.evaluate<string[]>(`[...touched].map((cell) => cell?.closest('tr').textContent)`);
    expect(rows).toEqual([expect.stringContaining('host-7.'), expect.stringContaining('host-7.')]);
    expect(tab.violations).toEqual([]);
  });

  it('makes no requests while the tab is hidden, and catches up afterwards', async () => {
    await using tab = await Tab.open(browser, { before: HIDEABLE });
    const { page } = tab;
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.clock.install();
    await page.goto(admin);
    await page.getByText('Live', { exact: true }).waitFor();
    const streamEnded = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/events'));
    await tab.show('hidden');
    await streamEnded;
    await page.getByText('Paused').waitFor();
    const before = urls.length;
    await exchange(proxy.url, 'CONNECT 127.0.0.1:2 HTTP/1.1\r\nHost: 127.0.0.1:2\r\n\r\n');
    // Longer than every polling interval.
    await page.clock.fastForward('01:00');
    expect(urls.slice(before)).toEqual([]);
    await tab.show('visible');
    await page.locator('#failures').getByText('127.0.0.1:2').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('marks slow and failing upstreams, and turns the icon of the tab red while one is down', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.route('**/upstreams', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { upstreams: object[] };
      const status = { ...body.upstreams[0], address: '127.0.0.1:9', state: 'up', connections_failed: 0 };
      const upstreams = [
        { ...status, name: 'far', latency_ms: 400 },
        { ...status, name: 'near', latency_ms: 20, connections_opened: 75, connections_failed: 25 },
        { ...status, name: 'gone', latency_ms: 22, state: 'down' },
      ];
      await route.fulfill({ response, json: { ...body, upstreams } });
    });
    const icon = () => page.evaluate<string>(`document.querySelector('link[rel=icon]').href`);
    await page.goto(admin);
    const row = (name: string) => page.locator('#upstreams tbody tr', { hasText: name });
    await row('far').getByText('Slow').waitFor();
    await row('near').getByText('25 %').waitFor();
    expect(await page.getByText('Slow', { exact: true }).count()).toBe(1);
    await page.getByRole('banner').getByRole('link', { name: 'gone : down' }).waitFor();
    const red = await icon();
    expect(await (await fetch(red)).text()).toContain('#c4291f');
    expect(await tab.problems()).toEqual([]);
    await page.unroute('**/upstreams');
    await page.reload();
    await page.getByText('Live', { exact: true }).waitFor();
    await until(async () => (await icon()) !== red);
    expect(tab.violations).toEqual([]);
  });

  it('shows a reload, and its changes', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(admin);
    await page.getByText('Live', { exact: true }).waitFor();
    const config = { listen: { port: 0 }, admin: { port: Number(new URL(admin).port) } };
    const upstreams = { work: { host: '127.0.0.1', port: 9 } };
    writeFileSync(proxy.configFile, JSON.stringify({ ...config, upstreams }));
    proxy.program.process.kill('SIGHUP');
    await page.getByText('The configuration was reloaded').waitFor();
    await page.locator('#upstreams tbody tr', { hasText: 'work' }).getByText('127.0.0.1:9').waitFor();
    writeFileSync(proxy.configFile, JSON.stringify({ ...config, upstream: 'embedded' }));
    proxy.program.process.kill('SIGHUP');
    await page.locator('#upstreams tbody tr', { hasText: 'direct' }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('shows a shutdown, that the proxy is unreachable, and its restart', async () => {
    const socket = await tunnel();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.clock.install();
    await page.goto(admin);
    await page.getByText('Live', { exact: true }).waitFor();
    const ended = proxy.program.end();
    await page.getByText('The proxy is shutting down').waitFor();
    socket.destroy();
    await ended;
    await proxy[Symbol.asyncDispose]();
    await page.getByText('The proxy is unreachable').waitFor();
    await page.getByText('Reconnecting', { exact: true }).waitFor();
    await until(async () => (await page.title()).includes('unreachable'));
    expect(await page.evaluate<string>(`document.querySelector('link[rel=icon]').href`)).toMatch(/icon-alert/);
    proxy = await ProxyProgram.start({ admin: { port: Number(new URL(admin).port) } });
    // Longer than the longest delay of a reconnect.
    await page.clock.fastForward('00:11');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('The proxy was restarted').waitFor();
    await page.getByText('The proxy is unreachable').waitFor({ state: 'detached' });
    expect(tab.violations).toEqual([]);
  });

  it('shows hostile data as plain text', async () => {
    /** Without these the page shows nothing. */
    const KEPT = new Set([
      ...['started_at', 'since', 'down_since', 'at', 'checked_at', 'mode', 'pick'],
      ...['state', 'result', 'decision', 'step'],
    ]);
    const AT = new Date().toISOString();
    const upstream = { name: 'a', address: 'a', state: 'down', suspect: false, since: AT, down_since: AT };
    const request = { number: 1, at: AT, method: 'a', target: 'a', rule: 1, client: 'a', user: 'a' };
    const file = { refresh_seconds: 1, checked_at: AT, failures: 1, last_error: { at: AT, message: 'a' } };
    const lines = { used_lines: 1, unused_lines: 0, first_unused_line: null };
    const answers: Record<string, object> = {
      connections: {
        ...{ total: 1, found: 1 },
        connections: [
          {
            ...{ id: 'a', method: 'a', target: 'a', upstream: 'a', rule: 1, client: 'a', user: 'a', state: 'open' },
            ...{ started_at: AT, age_ms: 1, bytes_sent: 1, bytes_received: 1, ended_at: null, status: 1, error: 'a' },
          },
        ],
      },
      failures: {
        failures: [{ ...request, category: 'a', status: 502, hint: 'a', detail: 'a', upstream: 'a' }],
        rejections: [{ ...request, category: 'rejected', rule_text: 'a' }],
        last_minute: { failures: 1, rejections: 1, categories: [{ category: 'a', count: 1 }] },
      },
      upstreams: {
        upstreams: [
          {
            ...{ ...upstream, latency_ms: 1, checked_at: AT, last_failure: { category: 'a', at: AT } },
            ...{ connections_opened: 1, connections_failed: 1 },
          },
        ],
        groups: [{ name: 'a', pick: 'failover', members: ['a'], failovers: 1, selected: null, current: 'a' }],
        scripts: [{ name: 'a', source: 'a', ...file, last_answer: { url: 'a', text: 'a' } }],
      },
      rules: {
        rules: [{ number: 1, text: 'a', to: 'a', hits: 1 }],
        lists: [{ rule: 1, name: 'a', format: 'a', entries: 1, ...lines, ...file }],
        default: { to: 'a', hits: 1 },
      },
      test: { tests: [{ upstream: 'a', result: 'failed', ms: null, category: 'a', hint: 'a' }] },
      explain: {
        ...{ target: 'a', user: 'a', read_as: ['a'], decision: 'forwarded', rule: 2, upstream: 'a', member: 'a' },
        hops: ['a'],
        rules: [
          { number: 1, text: 'other', matches: false },
          { number: 2, text: 'a', matches: true },
        ],
        lines: ['a'],
      },
      listeners: {
        listeners: [
          {
            mode: 'http',
            host: 'a',
            port: 1,
            to: null,
            asks_for_password: false,
            socket: null,
            tls: 'off',
            spki: null,
            valid_until: null,
          },
          {
            mode: 'tunnel',
            host: 'a',
            port: 1,
            to: 'a',
            asks_for_password: false,
            socket: null,
            tls: 'off',
            spki: null,
            valid_until: null,
          },
        ],
      },
    };
    await using tab = await Tab.open(browser);
    const { page } = tab;
    for (const [path, answer] of Object.entries(answers)) {
      await page.route(new RegExp(`/${path}(\\?|$)`), async (route) =>
        route.fulfill({ json: madeHostile(answer, KEPT) }),
      );
    }
    const step = { step: 'tcp', upstream: hostile('hop'), result: 'failed', detail: hostile('cause'), ms: 1 };
    await page.route('**/check?*', async (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: `event: step\ndata: ${JSON.stringify(step)}\n\n` }),
    );
    const event = `event: upstream\ndata: ${JSON.stringify({ name: hostile('changed'), from: 'up', to: 'down' })}\n\n`;
    await page.route('**/events', async (route) => route.fulfill({ contentType: 'text/event-stream', body: event }));
    await page.goto(admin);
    for (const field of [
      ...['target', 'upstream', 'user', 'category', 'hint', 'detail', 'name', 'address', 'members', 'host', 'changed'],
      ...['rule_text', 'text', 'to', 'current', 'source', 'url', 'format', 'message'],
    ]) {
      await page.getByText(seenOf(field)).filter({ visible: true }).first().waitFor();
    }
    await page.getByRole('button', { name: 'Test the latency of' }).click();
    await page.getByText(`test failed: ${seenOf('category')}`).waitFor();
    await page.getByLabel('Host and port').fill('a');
    await page.getByRole('button', { name: 'Check it step by step' }).click();
    for (const field of ['target', 'read_as', 'text', 'hops', 'member', 'hop', 'cause']) {
      await page.locator('#routes form').getByText(seenOf(field)).first().waitFor();
    }
    await page.getByText('The check was interrupted.').waitFor();
    await page.getByRole('button', { name: 'Finished' }).click();
    await page.locator('#connections').getByText(seenOf('error')).filter({ visible: true }).first().waitFor();
    await page.getByLabel('Listener', { exact: true }).selectOption('1');
    await page.locator('#set-up').getByText(seenOf('to')).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('works with a browser language that JavaScript does not accept', async () => {
    await using tab = await Tab.open(browser, {
      before: `Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix' })`,
    });
    await tab.page.goto(admin);
    await tab.page.locator('.chart canvas').nth(2).waitFor();
    expect(tab.violations).toEqual([]);
  });

  describe('that requires a token', () => {
    let guarded: RunningProxy;
    let token: string;
    let tokenFile: string;
    beforeAll(async () => {
      const users = [{ name: '<img src=x onerror=alert(1)>', password: 'secret' }];
      guarded = await ProxyProgram.start({ listen: { port: 0, users }, admin: { port: 0 } });
      const line = await new LogLines(guarded.program).next('the admin pages require a token, which is in this file');
      tokenFile = String(line['file']);
      token = readFileSync(tokenFile, 'utf8').trim();
    });
    afterAll(async () => {
      await guarded[Symbol.asyncDispose]();
    });

    const signedIn = async (place: Locator): Promise<void> => place.getByText('Live', { exact: true }).waitFor();

    it('asks for it, explains errors, and stores it for the tab only', async () => {
      await using tab = await Tab.open(browser);
      const { page } = tab;
      await page.goto(guarded.admin!);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await tab.seriousFindings()).toEqual([]);
      const field = page.getByLabel('Admin token');
      await field.press('Enter');
      await page.getByText('Admin token is missing.').waitFor();
      await field.fill('wrong');
      await field.press('Enter');
      await page.getByText('The token is invalid.').waitFor();
      await field.fill(token);
      await field.press('Enter');
      await signedIn(page.locator('header').first());
      await page.locator('h2:focus').getByText('Traffic').waitFor();
      await page.reload();
      await signedIn(page.locator('header').first());
      await page.getByText('This listener requires a login').waitFor();
      await page.getByText('It requires the admin token, which browsers cannot send').waitFor();
      // A new tab gets it from this one.
      const other = await tab.openTab();
      await other.goto(guarded.admin!);
      await signedIn(other.locator('header').first());
      expect(await other.evaluate('JSON.stringify(localStorage) + document.cookie')).toBe('{}');
      expect(tab.violations).toEqual([]);
    });

    it('reads it from a link, and removes it from the URL', async () => {
      await using tab = await Tab.open(browser);
      const { page } = tab;
      await page.goto(`${guarded.admin!}/#t=${token}`);
      await signedIn(page.locator('header').first());
      await page.waitForURL(`${guarded.admin!}/`);
      expect(await page.evaluate('history.length')).toBe(2);
      expect(await page.content()).not.toContain(token);
    });

    it('states that the admin token has changed', async () => {
      await using tab = await Tab.open(browser);
      const { page } = tab;
      await page.goto(`${guarded.admin!}/#t=mistyped`);
      await page.getByLabel('Admin token').waitFor();
      expect(await page.getByText('The admin token has changed').count()).toBe(0);
      await page.getByLabel('Admin token').fill(token);
      await page.getByLabel('Admin token').press('Enter');
      await signedIn(page.locator('header').first());
      // Without its file, a reload creates another token.
      rmSync(tokenFile);
      guarded.program.process.kill('SIGHUP');
      await page.getByText('The admin token has changed').waitFor();
      expect(await tab.seriousFindings()).toEqual([]);
      await until(() => existsSync(tokenFile) && readFileSync(tokenFile, 'utf8').endsWith('\n'));
      token = readFileSync(tokenFile, 'utf8').trim();
      await page.getByLabel('Admin token').fill(token);
      await page.getByLabel('Admin token').press('Enter');
      await signedIn(page.locator('header').first());
      await page.getByText('The admin token has changed').waitFor({ state: 'detached' });
      expect(tab.violations).toEqual([]);
    });

    it('shows a hostile name of a user as plain text', async () => {
      const authorization = Buffer.from('<img src=x onerror=alert(1)>:secret').toString('base64');
      const ask = `CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\nProxy-Authorization: Basic ${authorization}\r\n\r\n`;
      await exchange(guarded.url, ask);
      await using tab = await Tab.open(browser);
      await tab.page.goto(`${guarded.admin!}/#t=${token}`);
      await tab.page.locator('#failures').getByText('<img src=x onerror=alert(1)>').waitFor();
      expect(await tab.page.locator('img[src="x"]').count()).toBe(0);
      expect(tab.violations).toEqual([]);
    });
  });
});
