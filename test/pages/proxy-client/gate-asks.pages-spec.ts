import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { NodeOrigin } from '../../support/node-origin.js';
import { ProxyProgram, type RunningProxy } from '../../support/proxy/proxy-program.js';
import { exchange } from '../../support/raw-http.js';
import { until } from '../../support/until.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const TOKEN = 'a-token-of-the-administrator';
const LONG_NAME = `${'a-long-label.'.repeat(15)}example`;

/** Counts the tones that the page starts. */
const COUNT_TONES = `
  window.tones = 0;
  const { start } = OscillatorNode.prototype;
  OscillatorNode.prototype.start = function (...times) { window.tones += 1; return start.apply(this, times); };`;

describePages('questions on the dashboard', () => {
  let browser: Browser;
  let upstream: NodeOrigin;
  let proxy: RunningProxy;
  beforeAll(async () => {
    browser = await openBrowser();
    // An HTTP proxy that is every host itself.
    upstream = await NodeOrigin.start((_request, response) => response.end('hello'));
    proxy = await start({ timeout: '10m' });
  });
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await upstream[Symbol.asyncDispose]();
    await browser.close();
  });

  async function start(ask: object): Promise<RunningProxy> {
    const admin = { port: 0, token: TOKEN };
    return ProxyProgram.start({ upstream: upstream.url, default: 'ask', admin, gate: { ask } });
  }

  /** Sends a request, and returns the status of its answer. */
  async function get(host: string, { url } = proxy): Promise<number> {
    const answer = await exchange(url, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return Number(answer.slice(9, 12));
  }

  async function open({ admin = '' } = proxy): Promise<Tab> {
    const tab = await Tab.open(browser, { before: COUNT_TONES });
    await tab.page.goto(`${admin}/#t=${TOKEN}`);
    await tab.page.getByText('requests may wait for your answer').waitFor();
    return tab;
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const said = async (page: Page, text: string) => page.locator('#gate').getByRole('status').getByText(text).waitFor();

  async function grants(): Promise<readonly { readonly target: string; readonly seconds: number }[]> {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const answer = await fetch(`${proxy.admin ?? ''}/grants`, { headers });
    const { grants: all } = (await answer.json()) as { grants: { target: string; since: string; until: string }[] };
    return all.map(({ target, since, until: end }) => ({
      target,
      seconds: (Date.parse(end) - Date.parse(since)) / 1000,
    }));
  }

  it('change the title, and are answered: once, for an hour, for a domain, always, no', async () => {
    await using tab = await open();
    const { page } = tab;
    const title = await page.title();
    const answers = [
      ['once.example', 'Once: allow once.example:80', 'once.example:80 is allowed.', 200],
      ['hour.example', 'For 1 hour: allow hour.example:80', 'hour.example:80 is allowed.', 200],
      ['www.domain.example', '*.domain.example for 1 hour', '*.domain.example is allowed.', 200],
      ['always.example', 'Always: allow always.example:80', 'always.example:80 is allowed.', 200],
      ['no.example', 'No: refuse no.example:80', 'no.example:80 is refused.', 403],
    ] as const;
    for (const [host, name, text, status] of answers) {
      const request = get(host);
      await button(page, name).waitFor();
      expect(await page.title()).toBe(`(1) ${host}:80 waits`);
      await button(page, name).click();
      await said(page, text);
      expect(await request).toBe(status);
      await until(async () => (await page.title()) === title);
    }
    const day = 86_400;
    expect(await grants()).toEqual([
      { target: 'once.example:80', seconds: 60 },
      { target: 'hour.example:80', seconds: 3600 },
      { target: '*.domain.example:80', seconds: 3600 },
      { target: 'always.example:80', seconds: day },
    ]);
    expect(await get('other.domain.example')).toBe(200);
    // The file of this proxy is in JSON.
    const { rules } = JSON.parse(readFileSync(proxy.configFile, 'utf8')) as { rules: unknown };
    expect(rules).toEqual([{ hosts: ['always.example'], ports: [80], to: 'upstream' }]);
    expect(tab.violations).toEqual([]);
  });

  it('are answered by keyboard, and the focus moves on to the next one', async () => {
    await using tab = await open();
    const { page } = tab;
    const requests = [get('first.example'), get('second.example')];
    await Promise.all(['first', 'second'].map(async (name) => button(page, `No: refuse ${name}.example:80`).waitFor()));
    expect(await page.title()).toMatch(/^\(2\) (first|second)\.example:80 waits$/);
    await button(page, 'No: refuse first.example:80').focus();
    await page.keyboard.press('Enter');
    await said(page, 'first.example:80 is refused.');
    const focused = async (): Promise<string> =>
      page.evaluate<string>(`document.activeElement.ariaLabel ?? document.activeElement.textContent`);
    await until(async () => (await focused()) === 'Once: allow second.example:80');
    await page.keyboard.press('Space');
    await said(page, 'second.example:80 is allowed.');
    await until(async () => (await focused()) === 'Gate');
    expect(await Promise.all(requests)).toEqual([403, 200]);
  });

  it('have one answer: the second one is told who gave the first', async () => {
    await using tab = await open();
    const { page } = tab;
    const request = get('contested.example');
    // Somebody else answers while this answer is on its way.
    await page.route('**/asks/*', async (route) => {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
      const { status } = await fetch(route.request().url(), { method: 'POST', headers, body: '{"answer": "no"}' });
      expect(status).toBe(200);
      await route.continue();
    });
    const answered = page.waitForResponse(/\/asks\/\d+$/);
    await button(page, 'Always: allow contested.example:80').click();
    expect((await answered).status()).toBe(409);
    await page.getByText('This question has ended: no, by 127.0.0.1.', { exact: true }).waitFor();
    expect(await request).toBe(403);
    await button(page, 'Always: allow contested.example:80').waitFor({ state: 'detached' });
    expect(await grants()).not.toContainEqual(expect.objectContaining({ target: 'contested.example:80' }));
    // The message disappears with the next answer.
    const next = get('next.example');
    await page.unroute('**/asks/*');
    await button(page, 'Once: allow next.example:80').click();
    await said(page, 'next.example:80 is allowed.');
    expect(await page.getByText('This question has ended').count()).toBe(0);
    expect(await next).toBe(200);
  });

  it('disappear when their time is over', async () => {
    await using impatient = await start({ timeout: '5s' });
    await using tab = await open(impatient);
    const { page } = tab;
    const title = await page.title();
    const request = get('late.example', impatient);
    await button(page, 'Once: allow late.example:80').waitFor();
    expect(await request).toBe(503);
    await button(page, 'Once: allow late.example:80').waitFor({ state: 'detached' });
    await until(async () => (await page.title()) === title);
    await page
      .locator('#gate')
      .getByRole('table', { name: 'Refused targets' })
      .getByText('late.example:80', { exact: true })
      .waitFor();
  });

  it('sound a tone each, unless that is switched off', async () => {
    await using tab = await open();
    const { page } = tab;
    const sound = page.getByRole('checkbox', { name: 'Sound' });
    const tones = async (): Promise<number> => page.evaluate<number>('window.tones');
    const ask = async (host: string): Promise<void> => {
      const request = get(host);
      await button(page, `Once: allow ${host}:80`).click();
      expect(await request).toBe(200);
    };
    await ask('sounds.example');
    expect(await tones()).toBe(1);
    await sound.uncheck();
    await ask('off.example');
    expect(await tones()).toBe(1);
    // The choice is stored. The count begins again.
    await page.reload();
    await until(async () => !(await sound.isChecked()));
    await sound.check();
    await ask('on.example');
    expect(await tones()).toBe(1);
    expect(tab.violations).toEqual([]);
  });

  it('fit a phone, with a long name, and are accessible', async () => {
    await using tab = await open();
    const requests = [get(LONG_NAME), get('short.example')];
    await button(tab.page, `Always: allow ${LONG_NAME}:80`).waitFor();
    await button(tab.page, `Always: allow short.example:80`).waitFor();
    expect(await tab.problems()).toEqual([]);
    for (const host of [LONG_NAME, 'short.example']) await button(tab.page, `No: refuse ${host}:80`).click();
    expect(await Promise.all(requests)).toEqual([403, 403]);
  });
});
