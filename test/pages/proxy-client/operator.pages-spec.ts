import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Browser, Locator, Page } from 'playwright-core';
import { LocalSocks5Server } from '#socks5-protocol/testing';
import { CLOSED_PORT } from '../../support/closed-port.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';
import { echo, openTunnel } from '../support/tunnel.js';

const TOKEN = 'token-of-the-operator';
const LOGINS = { ana: 'ana:secret', ci: 'ci:secret' };
const CLOSED = `127.0.0.1:${CLOSED_PORT}`;

/** The jobs of an operator: what fails and why, which way a request goes, and who may continue. */
describePages('the dashboard of an operator', () => {
  let browser: Browser;
  let origin: Server;
  let target: string;
  let work: LocalSocks5Server;
  let home: LocalSocks5Server;
  let proxy: RunningProxy;
  let tab: Tab;
  let page: Page;
  let sockets: Socket[];

  beforeAll(async () => {
    browser = await openBrowser();
    origin = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(origin, 'listening');
    target = `127.0.0.1:${(origin.address() as AddressInfo).port}`;
    [work, home] = [new LocalSocks5Server(), new LocalSocks5Server()];
    await Promise.all([work.listen(), home.listen()]);
    proxy = await ProxyProgram.start({
      listen: { port: 0, users: Object.keys(LOGINS).map((name) => ({ name, password: 'secret' })) },
      upstream: undefined,
      upstreams: {
        any: { of: ['work', 'home'], pick: 'failover', check: 'off' },
        work: work.address,
        home: home.address,
        attic: { host: '127.0.0.1', port: CLOSED_PORT },
      },
      rules: [
        { hosts: ['*.onion'], to: 'attic' },
        { hosts: ['ads.test', '*.ads.test'], to: 'reject' },
        { users: ['ci'], to: 'any' },
      ],
      admin: { port: 0, token: TOKEN },
    });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await Promise.all([work.close(), home.close()]);
    origin.close();
    await browser.close();
  });
  beforeEach(async () => {
    sockets = [];
    tab = await Tab.open(browser);
    page = tab.page;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    const { violations } = tab;
    await tab[Symbol.asyncDispose]();
    expect(violations).toEqual([]);
    // The proxy still lists them for a moment after they were closed.
    await until(async () => (await api<{ total: number }>('/connections')).total === 0);
  });

  /** Opens tunnels that stay open until the end of the test. */
  const tunnels = async (count: number, login: string, to = target): Promise<void> => {
    sockets.push(...(await Promise.all(Array.from({ length: count }, async () => openTunnel(proxy.url, to, login)))));
  };
  const open = async (): Promise<void> => {
    await page.goto(`${proxy.admin!}/#t=${TOKEN}`);
    await page.getByText('Live', { exact: true }).waitFor();
  };
  const rows = (): Locator => page.locator('#connections tbody tr');
  const api = async <T>(path: string): Promise<T> =>
    (await fetch(proxy.admin! + path, { headers: { Authorization: `Bearer ${TOKEN}` } })).json() as Promise<T>;

  it('states why requests fail: the upstream and the rule of each failure', async () => {
    await tunnels(2, LOGINS.ci, CLOSED);
    await tunnels(1, LOGINS.ana, 'a.onion:80');
    await open();
    const refused = page.locator('#failures article', {
      hasText: 'Check the port and whether the service is running.',
    });
    await refused.getByText('2 times, 2 in the last minute, status 502').waitFor();
    const [first] = await refused.getByRole('listitem').allInnerTexts();
    expect(first?.split('\n').slice(0, 3)).toEqual([`${CLOSED}2 times`, 'work, rule 3', 'ci']);
    const unreachable = page.locator('#failures article', { hasText: 'Upstream unreachable' });
    await unreachable.getByText('attic, rule 1').waitFor();
    const banner = page.getByRole('region', { name: 'Problems' });
    await banner.getByText(/^attic has been down since \d\d:\d\d$/).waitFor();
    await banner.getByText('3 failures of 2 kinds in the last minute').waitFor();
    expect(await tab.problems()).toEqual([]);
  });

  it('lists requests that a rule rejected as their own group, with the number and the text of the rule', async () => {
    await tunnels(1, LOGINS.ana, 'ads.test:443');
    await open();
    const rejected = page.locator('#failures article', { hasText: 'Rejected by a rule' });
    await rejected.getByText('ads.test:443').waitFor();
    await rejected.getByText('rule 2', { exact: true }).waitFor();
    await rejected.getByText('hosts ads.test *.ads.test to reject').waitFor();
    // They are no failures.
    await tunnels(1, LOGINS.ana, 'x.ads.test:443');
    await rejected.getByText('2 times', { exact: true }).waitFor();
  });

  it('shows the way of a request, and the rules that decide it, by keyboard', async () => {
    await open();
    const field = page.getByLabel('Host and port');
    const routes = page.getByRole('region', { name: 'Routes' });
    await field.focus();
    await page.keyboard.type('https://x.ads.test/banner');
    await page.keyboard.press('Enter');
    await routes.getByText('is rejected by rule 2.').waitFor();
    await routes.getByText('x.ads.test:443').waitFor();
    await routes.getByText('Rule 2: hosts ads.test *.ads.test to reject').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('ci');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type('git.example');
    await page.keyboard.press('Enter');
    await routes.getByText('goes through any, now by its member work, because of rule 3.').waitFor();
    const others = routes.getByText('2 rules do not match');
    await others.press('Enter');
    await routes.getByText('Rule 1: hosts *.onion to attic').waitFor();
    expect(await tab.problems()).toEqual([]);
  });

  it('names the parameter that the proxy refuses', async () => {
    await open();
    const field = page.getByLabel('Host and port');
    await field.fill('a b');
    await field.press('Enter');
    await page.getByRole('alert').getByText('target must be host:port').waitFor();
    await field.and(page.locator('[aria-invalid="true"]')).waitFor();
    await field.fill('git.example');
    await field.press('Enter');
    await page.getByText('goes through any').waitFor();
    await field.and(page.locator('[aria-invalid="false"]')).waitFor();
  });

  it('checks the way step by step, each hop with its result and time', async () => {
    await open();
    const routes = page.getByRole('region', { name: 'Routes' });
    const check = routes.getByRole('button', { name: 'Check it step by step' });
    await page.getByLabel('Host and port').fill(target);
    await check.click();
    await routes.getByText(/^The target was reached in \d/).waitFor();
    const steps = routes.getByRole('list', { name: 'Steps of the check' }).getByRole('listitem');
    const texts = (await steps.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    // The route, then three steps for each member of the group.
    expect(
      texts.map((text) => /^(?:OK|Failed|Skipped) (?:Route|TCP|Authentication|Connection)/.exec(text)?.[0]),
    ).toEqual([
      'OK Route',
      ...['OK TCP', 'OK Authentication', 'OK Connection'],
      ...['OK TCP', 'OK Authentication', 'OK Connection'],
    ]);
    for (const text of texts.slice(1)) expect(text).toMatch(/\d m?s$/);
    expect(await tab.seriousFindings()).toEqual([]);
    await page.getByLabel('Host and port').fill('a.onion:80');
    await check.press('Enter');
    await routes.getByText(/^The target was not reached/).waitFor();
    await steps.filter({ hasText: 'attic' }).getByText('Failed').waitFor();
  });

  it('lists the rules with the numbers of their requests', async () => {
    await open();
    const table = page.getByRole('region', { name: 'Routes' }).getByRole('table');
    const hits = async (rule: string): Promise<number> =>
      Number(await table.getByRole('row', { name: rule }).getByRole('cell').last().textContent());
    await table.getByRole('row', { name: 'users ci' }).waitFor();
    const before = await hits('users ci');
    await tunnels(3, LOGINS.ci);
    await until(async () => (await hits('users ci')) === before + 3);
    expect(await table.getByRole('row', { name: 'everything else' }).textContent()).toContain('any');
  });

  it('begins its curves with the last hour of the proxy', async () => {
    const now = Date.now();
    const samples = Array.from({ length: 360 }, (_, index) => ({
      ...{ at: new Date(now - (360 - index) * 10_000).toISOString(), ms: 10_000, active_connections: 4321 },
      ...{ bytes_sent: 0, bytes_received: 0, successful_requests: 0, failed_requests: 0, rejected_requests: 0 },
    }));
    await page.route('**/history', async (route) => route.fulfill({ json: { interval_ms: 10_000, samples } }));
    await open();
    const chart = page.getByRole('img', { name: 'Open connections of clients, the last hour' });
    const figure = page.getByRole('figure').filter({ has: chart });
    const { width } = (await chart.boundingBox())!;
    // Parts of the page that load later may move the chart away from the pointer.
    await until(async () => {
      await chart.hover({ position: { x: width * 0.5, y: 60 } });
      return figure.getByText('4,321').isVisible();
    });
    const range = page.getByRole('group', { name: 'Time shown' });
    await range.getByRole('button', { name: '5 minutes' }).press('Enter');
    await page.getByRole('img', { name: 'Open connections of clients, the last five minutes' }).waitFor();
    await range.getByRole('button', { name: '5 minutes', pressed: true }).waitFor();
    expect(await range.getByRole('button', { pressed: true }).count()).toBe(1);
  });

  it('lists finished connections, and filters them by rule, user, upstream and result', async () => {
    await tunnels(1, LOGINS.ana);
    await tunnels(2, LOGINS.ci);
    await echo(sockets[0]!, 2048);
    for (const socket of sockets) socket.destroy();
    await tunnels(1, LOGINS.ana, 'b.onion:80');
    await open();
    const states = page.getByRole('group', { name: 'State' });
    await states.getByRole('button', { name: 'Finished' }).press('Enter');
    await rows().filter({ hasText: '2.00 KiB' }).filter({ hasText: 'status 200' }).first().waitFor();
    await page.getByRole('columnheader', { name: 'Duration' }).waitFor();
    await page.getByLabel('User', { exact: true }).fill('ana');
    await rows().filter({ hasText: 'ci' }).first().waitFor({ state: 'detached' });
    await page.getByLabel('Upstream', { exact: true }).selectOption('attic');
    await rows().filter({ hasText: 'work' }).first().waitFor({ state: 'detached' });
    await rows().filter({ hasText: 'b.onion:80' }).getByText('Upstream unreachable, 502').last().waitFor();
    await page.getByLabel('Rule', { exact: true }).selectOption('none');
    await page.getByText('No connection matches').waitFor();
    await page.getByLabel('Rule', { exact: true }).selectOption('1');
    await rows().filter({ hasText: 'b.onion:80' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await rows().filter({ hasText: 'ci' }).first().waitFor();
    await states.getByRole('button', { name: 'Failed' }).click();
    await rows().filter({ hasText: 'status 200' }).first().waitFor({ state: 'detached' });
    await rows().filter({ hasText: 'b.onion:80' }).waitFor();
    expect(await tab.problems()).toEqual([]);
  });

  it('ends everything of one user after a confirmation that states the number, by keyboard', async () => {
    await tunnels(25, LOGINS.ci);
    await tunnels(2, LOGINS.ana);
    await open();
    await page.getByLabel('User', { exact: true }).fill('ci');
    const endAll = page.getByRole('button', { name: 'End all 25 connections' });
    await endAll.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'End 25 connections?' });
    await dialog.waitFor();
    // A second press of Enter must not confirm.
    const cancelFocused = dialog.getByRole('button', { name: 'Cancel', exact: true }).and(page.locator(':focus'));
    await cancelFocused.waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect((await api<{ found: number }>('/connections?user=ci')).found).toBe(25);
    await endAll.press('Enter');
    await cancelFocused.waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('25 connections ended').waitFor();
    await page.getByText('No connection matches').waitFor();
    await until(() => sockets.slice(0, 25).every(({ destroyed }) => destroyed));
    expect((await api<{ found: number }>('/connections?user=ana')).found).toBe(2);
    // They were “Broken, 200”.
    await page.getByRole('button', { name: 'Finished' }).click();
    await until(async () => (await rows().count()) === 20);
    const results = await page.locator('#connections td.roomy .cut[title^="Ended"]').allTextContents();
    expect([results.length, ...new Set(results)]).toEqual([20, 'Ended by an operator, 127.0.0.1']);
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.locator('#connections td.roomy').getByText('Connection refused, 502').first().waitFor();
    expect(await rows().getByText('Ended by an operator').count()).toBe(0);
  });

  it('switches the member of a group by hand, and back', async () => {
    await open();
    const members = page.getByRole('group', { name: 'Member of any' });
    const pressed = async (): Promise<string[]> => members.getByRole('button', { pressed: true }).allTextContents();
    const upstreamOfNext = async (): Promise<string> => {
      await tunnels(1, LOGINS.ci);
      const { connections } = await api<{ connections: { upstream: string }[] }>('/connections?order=asc&limit=1');
      return connections[0]!.upstream;
    };
    await members.waitFor();
    expect(await pressed()).toEqual(['Automatic']);
    await members.getByRole('button', { name: 'home' }).press('Enter');
    await page.getByText('home, selected by hand until a restart').waitFor();
    await until(async () => (await pressed()).join() === 'home');
    expect(await upstreamOfNext()).toBe('home');
    await members.getByRole('button', { name: 'Automatic' }).press(' ');
    await page.getByText('the first that is up, now work').waitFor();
    expect(await upstreamOfNext()).toBe('work');
  });

  it('measures the latency of upstreams now', async () => {
    await open();
    const rowOf = (name: string): Locator => page.locator('#upstreams tbody tr').filter({ hasText: name });
    await page.getByRole('button', { name: 'Test the latency of home' }).press('Enter');
    await rowOf('home')
      .getByText(/^tested: [\d.]+ ms$/)
      .waitFor();
    await page.getByRole('button', { name: 'Test all' }).click();
    await rowOf('work')
      .getByText(/^tested: [\d.]+ ms$/)
      .waitFor();
    await rowOf('attic').getByText('test failed: upstream unreachable').waitFor();
    expect(await tab.problems()).toEqual([]);
  });

  it('shows the times of lists as ages, in local time, or in UTC', async () => {
    await tunnels(1, LOGINS.ana, CLOSED);
    await tunnels(1, LOGINS.ana);
    await open();
    await rows().first().waitFor();
    await page.getByLabel('Times').selectOption('utc');
    const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
    await page.locator('#failures time').first().filter({ hasText: UTC }).waitFor();
    await rows().first().getByText(UTC).waitFor();
    expect(await tab.problems()).toEqual([]);
  });
});
