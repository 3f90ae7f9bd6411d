import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { describePages, openBrowser, Tab } from '../pages/support/tab.js';
import { openTunnel } from '../pages/support/tunnel.js';
import { LedgerApi } from '../support/ledger-api.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';

const STEP_MS = 1_200_000;
const ASSETS = 100_000;
const CONNECTIONS = 5000;
/** What people notice begins here (https://web.dev/articles/rail). */
const LONGEST_TASK_MS = 100;
/** The browser shares its cores with the programs, and with what else runs: the best round counts. */
const ROUNDS = 3;
/** Notes what keeps the page's thread busy for more than 50 ms (https://w3c.github.io/longtasks/). */
const WATCH = `globalThis.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))))
    .observe({ type: 'longtask', buffered: true });`;

/** Walks through a page, each time in a new window, until no task of it was long. @returns the longest of each round */
async function longestTasks(browser: Browser, walk: (page: Page) => Promise<void>): Promise<number[]> {
  const longest: number[] = [];
  while (longest.length < ROUNDS && (longest.at(-1) ?? Infinity) >= LONGEST_TASK_MS) {
    await using tab = await Tab.open(browser, { before: WATCH });
    await walk(tab.page);
    longest.push(await tab.page.evaluate<number>('Math.max(0, ...longTasks)'));
    expect(tab.violations).toEqual([]);
  }
  console.log(`the longest tasks: ${longest.join(', ')} ms`);
  return longest;
}

/** Down to the end, a screen at a time, and back. */
async function scroll(page: Page): Promise<void> {
  await page.mouse.move(640, 450);
  for (const direction of [1, -1]) {
    for (let screens = 0; screens < 8; screens++) {
      await page.mouse.wheel(0, direction * 600);
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))');
    }
  }
}

describePages('the pages, of very much', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
  });

  describe(`the explorer of ${ASSETS} assets, while they change`, () => {
    let api: LedgerApi;
    let writing: Promise<void>;
    let isOver = false;
    const agent = new Agent({ keepAlive: true });
    const mean = '\u202e\u200b'.repeat(600);

    async function update(size: number): Promise<void> {
      const body = { appraisedValue: '1', color: 'blue', owner: 'Tomoko', size: String(size) };
      expect((await api.api('PUT', '/assets/busy', { agent, body })).status).toBe(200);
    }

    beforeAll(async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'pages-at-size-'));
      await promisify(execFile)(process.execPath, ['test/bench/load/ledger-fill.mjs', dataDir, String(ASSETS)]);
      api = await LedgerApi.start({}, dataDir);
      await api.create('busy');
      for (let index = 0; index < 50; index++) await api.create(`a-mean-${index}`, { owner: mean, color: mean });
      for (let size = 0; size < 500; size++) await update(size);
      writing = (async () => {
        for (let size = 500; !isOver; size++) await update(size);
      })();
    }, STEP_MS);
    afterAll(async () => {
      isOver = true;
      await writing;
      agent.destroy();
      await api.stop();
    }, STEP_MS);

    it(
      'does not stutter while a user scrolls, pages, filters and searches',
      async () => {
        const longest = await longestTasks(browser, async (page) => {
          await page.goto(api.origin);
          await page.getByRole('rowheader').first().waitFor();
          await scroll(page);
          await page.getByRole('link', { name: 'Assets', exact: true }).click();
          await page.getByRole('link', { name: 'a-mean-0', exact: true }).waitFor();
          await scroll(page);
          for (let pages = 0; pages < 10; pages++) {
            const last = await page.getByRole('rowheader').last().textContent();
            await page.getByRole('link', { name: 'Next page' }).click();
            await page.getByRole('rowheader', { name: last ?? '', exact: true }).waitFor({ state: 'detached' });
            await scroll(page);
          }
          await page.getByLabel('Owner', { exact: true }).pressSequentially('Tomoko');
          await page.keyboard.press('Enter');
          await page.getByRole('link', { name: 'busy' }).waitFor();
          await page.getByRole('combobox', { name: 'Search' }).pressSequentially('fill-77777');
          await page.keyboard.press('Enter');
          await page.getByRole('heading', { name: 'fill-77777', level: 1 }).waitFor();
          await page.getByRole('link', { name: 'Transactions', exact: true }).click();
          await page.getByRole('link', { name: 'Next page' }).click();
          await page.getByRole('link', { name: 'First page' }).waitFor();
          await scroll(page);
          await page.goto(`${api.origin}/#/blocks/500`);
          await page.getByRole('rowheader', { name: /fill-/ }).first().waitFor();
          await scroll(page);
          await page.goto(`${api.origin}/#/assets/busy`);
          for (let pages = 0; pages < 10; pages++) {
            await page.getByRole('button', { name: 'Older', disabled: false }).click();
            await scroll(page);
          }
        });
        expect(Math.min(...longest)).toBeLessThan(LONGEST_TASK_MS);
      },
      STEP_MS,
    );
  });

  describe(`the dashboard of ${CONNECTIONS} connections, while bytes move`, () => {
    let upstream: ScriptedSocks5Server;
    let proxy: RunningProxy;
    const sockets: Socket[] = [];
    let moving: ReturnType<typeof setInterval>;

    beforeAll(async () => {
      upstream = await new ScriptedSocks5Server(() => granting()).listen();
      proxy = await ProxyProgram.start({
        upstream: { host: '127.0.0.1', port: upstream.port },
        limits: { connections: 2 * CONNECTIONS },
        admin: { port: 0 },
      });
      while (sockets.length < CONNECTIONS) {
        const targets = Array.from({ length: 50 }, (_, index) => `host-${sockets.length + index}.example:443`);
        sockets.push(...(await Promise.all(targets.map(async (target) => openTunnel(proxy.url, target)))));
      }
      for (const socket of sockets) socket.resume();
      moving = setInterval(() => {
        for (let moved = 0; moved < 50; moved++)
          sockets[Math.floor(Math.random() * CONNECTIONS)]?.write(Buffer.alloc(2000));
      }, 100);
    }, STEP_MS);
    afterAll(async () => {
      clearInterval(moving);
      for (const socket of sockets) socket.destroy();
      await proxy[Symbol.asyncDispose]();
      await upstream.close();
    }, STEP_MS);

    it(
      'does not stutter while a user scrolls, sorts and finds',
      async () => {
        const longest = await longestTasks(browser, async (page) => {
          await page.goto(proxy.admin!);
          await page.getByText('5,000 open, first 20 shown').waitFor();
          const first = page.locator('#connections tbody tr').first();
          for (const column of ['Received', 'Sent', 'Target', 'Upstream', 'Age']) {
            const answered = page.waitForResponse(/\/connections\?/);
            await page.getByRole('button', { name: column, exact: true }).click();
            await answered;
            await scroll(page);
          }
          for (const host of ['host-777.', 'host-4999']) {
            await page.getByLabel('Filter by target').fill('');
            await page.getByLabel('Filter by target').pressSequentially(host);
            await first.getByText(host).waitFor();
          }
          await page.getByLabel('Filter by target').fill('');
          await page.getByText('5,000 open, first 20 shown').waitFor();
          // As long as somebody watches: each second curves, each other one the rows.
          for (let lists = 0; lists < 5; lists++) await page.waitForResponse(/\/connections\?/);
        });
        expect(Math.min(...longest)).toBeLessThan(LONGEST_TASK_MS);
      },
      STEP_MS,
    );
  });
});
