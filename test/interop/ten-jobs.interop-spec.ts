import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtemp } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { granting, replying, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { describePages, openBrowser, Tab } from '../pages/support/tab.js';
import { pdfText } from '../pages/support/pdf-text.js';
import { openTunnel } from '../pages/support/tunnel.js';
import { LedgerApi } from '../support/ledger-api.js';
import { addCaller, changeCallers } from '../support/ledger-callers.js';
import { until } from '../support/until.js';
import { ProxyProgram, type RunningProxy } from '../support/proxy/proxy-program.js';

const STEP_MS = 1_200_000;
const ASSETS = 100_000;
const CREATES_AT_ONCE = 64;
const CONNECTIONS = 5000;
const TUNNELS_AT_ONCE = 50;
const DAY_MS = 86_400_000;

/** Somebody who does a job with mouse and keyboard. Counts the work, and how long the page took. */
class Person {
  readonly page: Page;
  #clicks = 0;
  #keys = 0;
  /** The wait between an action and what it shows, in milliseconds. */
  readonly #waits: number[] = [];
  #actedAt = performance.now();

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    this.#clicks += 1;
    this.#actedAt = performance.now();
    await target.click();
  }

  /** Clicks a field, and types into it. */
  async type(field: Locator, characters: string): Promise<void> {
    await this.click(field);
    await field.pressSequentially(characters);
    this.#keys += characters.length;
    this.#actedAt = performance.now();
  }

  async press(key: string): Promise<void> {
    this.#keys += 1;
    this.#actedAt = performance.now();
    await this.page.keyboard.press(key);
  }

  async choose(list: Locator, option: string): Promise<void> {
    this.#clicks += 2;
    this.#actedAt = performance.now();
    await list.selectOption(option);
  }

  async chooseFile(field: Locator, file: string): Promise<void> {
    this.#clicks += 2;
    this.#actedAt = performance.now();
    await field.setInputFiles(file);
  }

  /** Types a time into a field that has a part for each of its numbers. */
  async typeTime(field: Locator, time: string): Promise<void> {
    await this.click(field);
    this.#keys += time.replaceAll(/\D/g, '').length;
    await field.fill(time);
    this.#actedAt = performance.now();
  }

  /** Waits for what the last action shows. @returns its text */
  async sees(shown: Locator): Promise<string> {
    await shown.first().waitFor();
    this.#waits.push(performance.now() - this.#actedAt);
    this.#actedAt = performance.now();
    return (await shown.first().innerText()).replaceAll(/\s+/g, ' ').trim();
  }

  /** Describes the work so far, and what was found. */
  report(job: string, answer: string): string {
    const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(2);
    const total = this.#waits.reduce((sum, wait) => sum + wait, 0);
    const work = `${this.#clicks} clicks, ${this.#keys} keys`;
    return `${job}: ${work}, ${seconds(total)} s (longest wait ${seconds(Math.max(...this.#waits))} s): ${answer}`;
  }
}

const reports: string[] = [];
const longList = `${ASSETS.toLocaleString('en')} assets`;

describePages(`the jobs of an auditor, with ${longList}`, () => {
  const CALLERS = ['ana', 'ben', 'carl', 'dora'] as const;
  let browser: Browser;
  let api: LedgerApi;
  let keys: Readonly<Record<string, string>>;
  /** When half of the assets had been created. */
  let halfTime: number;
  const agent = new Agent({ keepAlive: true, maxSockets: CREATES_AT_ONCE });

  async function send(caller: string, method: string, path: string, body: object): Promise<void> {
    const answer = await api.api(method, path, { body, agent, headers: { 'x-api-key': keys[caller]! } });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  }

  /** Creates assets, several callers in turn, many at once. */
  async function fill(from: number, to: number): Promise<void> {
    let next = from;
    const create = async (): Promise<void> => {
      while (next < to) {
        const number = next++;
        const fields = { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
        await send(CALLERS[number % CALLERS.length]!, 'POST', '/assets', { id: `car-${number}`, ...fields });
      }
    };
    await Promise.all(Array.from({ length: CREATES_AT_ONCE }, create));
  }

  /** Opens the explorer as ana. */
  async function open(fragment = ''): Promise<Tab & { readonly person: Person }> {
    const tab = await Tab.open(browser, {
      timezoneId: 'UTC',
      before: `sessionStorage.setItem('ledger-api-key', '${keys['ana']!}')`,
    });
    await tab.page.goto(`${api.origin}/${fragment}`);
    await tab.page.getByRole('heading', { level: 1 }).waitFor();
    await tab.page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    return Object.assign(tab, { person: new Person(tab.page) });
  }

  async function expectNoProblems(tab: Tab): Promise<void> {
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  }

  const search = (page: Page): Locator => page.getByRole('combobox', { name: 'Search' });

  beforeAll(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'ten-jobs-'));
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start({ LEDGER_AUTH: 'on' }, dataDir)]);
    const added: Record<string, string> = {};
    for (const name of CALLERS) {
      added[name] = await changeCallers(api, async () => addCaller(dataDir, name, '--role', 'writer'));
    }
    keys = added;
    const start = performance.now();
    await fill(0, ASSETS / 2);
    halfTime = Date.now();
    await delay(1100); // A form has seconds.
    await send('ben', 'PUT', '/assets/car-7/transfer', { newOwner: 'Ben' });
    await fill(ASSETS / 2, ASSETS);
    const fields = { appraisedValue: '450', color: 'green', owner: 'Ben', size: '5' };
    await send('ana', 'PUT', '/assets/car-7', fields);
    for (let number = 0; number < 1000; number++) {
      await send('carl', 'PUT', `/assets/car-${number * 97 + 8}/transfer`, { newOwner: 'Sue' });
    }
    reports.push(`${longList} created in ${Math.round((performance.now() - start) / 1000)} s`);
  }, STEP_MS);
  afterAll(async () => {
    agent.destroy();
    await api.stop();
    await browser.close();
    console.log(reports.splice(0).join('\n'));
  }, STEP_MS);

  it(
    'finds who changed car-7 and when, and proves it',
    async () => {
      await using tab = await open();
      const { page, person } = tab;
      await person.type(search(page), 'car-7');
      await person.press('Enter');
      await person.sees(page.getByRole('heading', { name: 'car-7', level: 1 }));
      const changes = page.locator('section ol > li');
      await person.sees(changes);
      await person.choose(page.getByLabel('Times').first(), 'local');
      const answer = await person.sees(changes.first().getByText(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/));
      expect(await changes.count()).toBe(3);
      const callers = (await changes.allInnerTexts()).map((each) => /by (\w+)@/.exec(each)?.[1]);
      expect(callers).toEqual(['ana', 'ben', 'dora']);
      reports.push(person.report('who changed car-7 and when', answer));
      const verifier = new Person(page);
      await verifier.click(changes.first().locator('a[href*="transactions/"]'));
      await verifier.sees(page.getByRole('button', { name: 'Verify', exact: true }));
      await verifier.click(page.getByRole('button', { name: 'Verify', exact: true }));
      await verifier.sees(page.getByLabel('Drop the file with the CA certificate'));
      const ca = join(api.dataDir, 'identities', 'ca.pem');
      await verifier.chooseFile(page.getByLabel('Drop the file with the CA certificate'), ca);
      reports.push(verifier.report('prove it', await verifier.sees(page.getByText(/^(PROVEN, if|REFUSED: )/))));
      await page.getByText('PROVEN, if').waitFor();
      await expectNoProblems(tab);
    },
    STEP_MS,
  );

  it(
    'lists everything that ana did',
    async () => {
      await using tab = await open();
      const { page, person } = tab;
      await person.type(search(page), 'ana');
      const option = page.getByRole('option', { name: /^ana@\S+ Transactions of the caller$/ });
      await person.sees(option);
      await person.click(option);
      await person.sees(page.getByRole('rowheader', { name: /car-7/ }));
      expect(await page.getByRole('rowheader').count()).toBe(25);
      reports.push(person.report('everything ana did', '25 rows and the next page'));
      await expectNoProblems(tab);
      const saver = new Person(page);
      const saved = page.waitForEvent('download');
      const started = performance.now();
      await saver.click(page.getByRole('button', { name: 'Download CSV' }));
      const lines = (await text(await (await saved).createReadStream())).trim().split('\r\n').length;
      const seconds = ((performance.now() - started) / 1000).toFixed(2);
      reports.push(`  all of it as CSV: 1 click, ${seconds} s, ${lines} lines`);
      expect(lines).toBe(ASSETS / CALLERS.length + 2);
    },
    STEP_MS,
  );

  it(
    'lists everything that happened yesterday, the day after',
    async () => {
      await using tab = await open();
      const { page, person } = tab;
      const tomorrow = Date.now() + DAY_MS;
      await page.clock.setFixedTime(tomorrow);
      // The server's clock decides which day was yesterday.
      await page.route('**/api/v1/**', async (route) => {
        if (route.request().url().includes('/events')) return route.abort();
        const response = await route.fetch();
        return route.fulfill({ response, headers: { ...response.headers(), date: new Date(tomorrow).toUTCString() } });
      });
      await page.reload();
      await person.click(page.getByRole('link', { name: 'Transactions', exact: true }));
      await person.sees(page.getByRole('link', { name: 'Yesterday' }));
      await person.click(page.getByRole('link', { name: 'Yesterday' }));
      const answer = await person.sees(page.getByText(/By the clocks of the senders/));
      await person.sees(page.getByRole('rowheader'));
      await person.sees(page.getByRole('link', { name: 'Next page' }));
      reports.push(person.report('everything that happened yesterday', answer));
      const reader = new Person(page);
      await reader.click(page.getByRole('link', { name: 'Next page' }));
      await reader.sees(page.getByRole('link', { name: 'First page' }));
      reports.push(reader.report('  its next page', '25 rows'));
      await expectNoProblems(tab);
      await page.getByRole('link', { name: 'Today' }).click();
      await page.getByText('No transaction matches the filter.').waitFor();
    },
    STEP_MS,
  );

  it(
    'shows car-7 as of a time',
    async () => {
      await using tab = await open('#/assets/car-7');
      const { page, person } = tab;
      await person.typeTime(page.getByLabel('As of a time'), new Date(halfTime + 1000).toISOString().slice(0, 19));
      await person.press('Enter');
      await person.sees(page.getByRole('heading', { name: /^car-7 as of block \d+$/, level: 1 }));
      await person.sees(page.locator('dl.facts').getByText('Tomoko'));
      reports.push(person.report('car-7 as of a time', await person.sees(page.getByText(/the last\s+block whose/))));
      await expectNoProblems(tab);
    },
    STEP_MS,
  );

  it(
    'lists the ids that start with car-19',
    async () => {
      await using tab = await open();
      const { page, person } = tab;
      await person.type(search(page), 'car-19');
      await person.sees(page.getByRole('option', { name: 'All assets with such ids' }));
      await person.click(page.getByRole('option', { name: 'All assets with such ids' }));
      await person.sees(page.getByRole('rowheader', { name: 'car-1900', exact: true }));
      const ids = await page.getByRole('rowheader').allInnerTexts();
      expect(ids.filter((id) => id.startsWith('car-19'))).toHaveLength(50);
      reports.push(person.report('ids that start with car-19', `${ids.slice(0, 3).join(', ')} … and the next page`));
      await expectNoProblems(tab);
    },
    STEP_MS,
  );

  it(
    'prints car-7 for a file',
    async () => {
      await using tab = await open();
      const { page, person } = tab;
      await page.evaluate('print = () => { window.isPrinted = true }');
      await person.type(search(page), 'car-7');
      await person.press('Enter');
      await person.sees(page.getByRole('heading', { name: 'car-7', level: 1 }));
      await person.click(page.getByRole('button', { name: 'Print' }));
      await until(async () => page.evaluate<boolean>('window.isPrinted === true'));
      const paper = pdfText(await page.pdf({ format: 'A4' })).replaceAll(/\s+/g, ' ');
      const [answer = ''] = /Channel mychannel, [\d,]+ blocks/.exec(paper) ?? [];
      expect(paper).toContain('Owner: Tomoko → Ben');
      reports.push(person.report('car-7 on paper', `${answer}, and when it was printed`));
    },
    STEP_MS,
  );

  it(
    'compares car-7 at two dates',
    async () => {
      await using tab = await open('#/assets/car-7');
      const { page, person } = tab;
      const at = (time: number): string => new Date(time).toISOString().slice(0, 19);
      await person.click(page.getByRole('link', { name: 'Compare two states' }));
      await person.typeTime(page.getByLabel('As of a time').first(), at(halfTime + 1000));
      await person.press('Enter');
      await person.sees(page.getByText(/^After block/).first());
      await person.typeTime(page.getByLabel('As of a time').last(), at(Date.now()));
      await person.press('Enter');
      const answer = await person.sees(page.getByRole('heading', { name: '3 fields changed' }));
      reports.push(person.report('car-7 at two dates', answer));
      await expectNoProblems(tab);
    },
    STEP_MS,
  );

  it(
    'shares a view with ben, who signs in with an own key',
    async () => {
      await using tab = await open('#/transactions?function=TransferAsset');
      const { page, person } = tab;
      await person.choose(page.getByLabel('Times'), 'utc');
      await person.click(page.getByRole('link', { name: 'Today' }));
      await person.sees(page.getByRole('link', { name: 'From: ' }));
      const first = await person.sees(page.getByRole('rowheader'));
      const count = await person.sees(page.locator('.matches'));
      await using other = await Tab.open(browser, { timezoneId: 'Asia/Tokyo' });
      const ben = new Person(other.page);
      await other.page.goto(page.url());
      await other.page.locator('#secret:focus').waitFor();
      await other.page.keyboard.insertText(keys['ben']!);
      await ben.press('Enter');
      expect(await ben.sees(other.page.getByRole('rowheader'))).toBe(first);
      expect(await ben.sees(other.page.locator('.matches'))).toBe(count);
      expect(other.page.url()).toBe(page.url());
      reports.push(person.report('a view to share', count), ben.report('  seen by ben', count));
      await expectNoProblems(tab);
    },
    STEP_MS,
  );
});

describePages(`the jobs of an operator, with ${CONNECTIONS} connections`, () => {
  const USERS = ['ana', 'ben', 'ci', 'dora', 'eve'];
  const HELLO = Uint8Array.of(5, 0);
  const SLOW_MS = 400;
  let browser: Browser;
  let servers: ScriptedSocks5Server[];
  let proxy: RunningProxy;
  let tab: Tab;
  let page: Page;
  let moving: ReturnType<typeof setInterval>;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
    const slow = { write: HELLO, cuts: [1], between: async () => delay(SLOW_MS) };
    const [, , ...afterHello] = granting();
    servers = await Promise.all(
      [granting(), replying(2), [{ read: 'greeting' } as const, slow, ...afterHello]].map(async (script) =>
        new ScriptedSocks5Server(() => script).listen(),
      ),
    );
    const [work, office, attic] = servers.map(({ port }) => ({ host: '127.0.0.1', port }));
    proxy = await ProxyProgram.start({
      listen: { port: 0, users: USERS.map((name) => ({ name, password: 'secret' })) },
      upstream: undefined,
      upstreams: { work, office, attic },
      rules: [
        { hosts: ['ads.test', '*.ads.test'], to: 'reject' },
        { hosts: ['denied.test'], to: 'office' },
      ],
      limits: { connections: 2 * CONNECTIONS },
      admin: { port: 0, token: 'token-of-the-operator' },
    });
    const started = performance.now();
    while (sockets.length < CONNECTIONS) {
      const opened = Array.from({ length: TUNNELS_AT_ONCE }, async (_, index) => {
        const number = sockets.length + index;
        return openTunnel(proxy.url, `host-${number}.example:443`, `${USERS[number % USERS.length]}:secret`);
      });
      sockets.push(...(await Promise.all(opened)));
    }
    reports.push(`${CONNECTIONS} tunnels opened in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    for (const socket of sockets) socket.resume();
    for (const target of ['denied.test:443', 'ads.test:443', 'x.ads.test:443']) {
      for (const user of ['ana', 'ci']) (await openTunnel(proxy.url, target, `${user}:secret`)).destroy();
    }
    moving = setInterval(() => {
      for (let moved = 0; moved < TUNNELS_AT_ONCE; moved++) {
        const socket = sockets[Math.floor(Math.random() * CONNECTIONS)];
        if (socket?.writable === true) socket.write(Buffer.alloc(2000));
      }
    }, 100);
    tab = await Tab.open(browser);
    page = tab.page;
  }, STEP_MS);
  afterAll(async () => {
    clearInterval(moving);
    for (const socket of sockets) socket.destroy();
    await proxy[Symbol.asyncDispose]();
    await Promise.all(servers.map(async (server) => server.close()));
    await browser.close();
    console.log(reports.splice(0).join('\n'));
  }, STEP_MS);

  /** Opens the dashboard; a job begins when it is loaded. */
  async function open(): Promise<Person> {
    const person = new Person(page);
    await page.goto('about:blank');
    await page.goto(`${proxy.admin!}/#t=token-of-the-operator`);
    return person;
  }

  it(
    'shows why denied.test fails',
    async () => {
      const person = await open();
      const group = page.locator('#failures article', { hasText: 'denied.test:443' });
      const answer = await person.sees(group);
      await group.getByText('office, rule 2').first().waitFor();
      reports.push(person.report('why denied.test fails (from loading the page)', answer));
      await page.getByText('5,000 open, first 20 shown').waitFor();
      expect(await tab.problems()).toEqual([]);
    },
    STEP_MS,
  );

  it(
    'shows why ads.test fails',
    async () => {
      const person = await open();
      const group = page.locator('#failures article', { hasText: 'ads.test:443' });
      const answer = await person.sees(group.filter({ hasText: 'hosts ads.test *.ads.test to reject' }));
      reports.push(person.report('why ads.test fails (from loading the page)', answer));
      const asker = new Person(page);
      await asker.type(page.getByLabel('Host and port'), 'ads.test:443');
      await asker.press('Enter');
      const routes = page.getByRole('region', { name: 'Routes' });
      reports.push(asker.report('  by asking the routes', await asker.sees(routes.getByText(/^is rejected by rule/))));
    },
    STEP_MS,
  );

  it(
    'shows which upstream is slow',
    async () => {
      const person = await open();
      const row = (name: string): Locator => page.locator('#upstreams tbody tr').filter({ hasText: name });
      await person.sees(row('attic'));
      await person.click(page.getByRole('button', { name: 'Test all' }));
      await person.sees(row('work').getByText(/^tested: [\d.]+ ms$/));
      const result = await person.sees(row('attic').getByText(/^tested: [\d.]+ ms$/));
      const milliseconds = Number(/[\d.]+/.exec(result)?.[0]);
      expect(milliseconds).toBeGreaterThanOrEqual(SLOW_MS - 1);
      const others = await row('work')
        .getByText(/^tested/)
        .innerText();
      reports.push(person.report('which upstream is slow', `attic ${result}, work ${others}`));
    },
    STEP_MS,
  );

  it(
    'ends everything of one user',
    async () => {
      const person = await open();
      await page.getByText('5,000 open, first 20 shown').waitFor();
      await person.type(page.getByLabel('User', { exact: true }), 'ci');
      const endAll = page.getByRole('button', { name: 'End all 1,000 connections' });
      await person.sees(endAll);
      await person.click(endAll);
      const dialog = page.getByRole('dialog', { name: 'End 1,000 connections?' });
      await person.sees(dialog);
      await person.click(dialog.getByRole('button', { name: 'End 1,000 connections' }));
      const answer = await person.sees(page.getByText('1,000 connections ended'));
      await person.sees(page.getByText('No connection matches'));
      reports.push(person.report('end everything of one user', answer));
      const expander = new Person(page);
      await expander.click(page.getByRole('button', { name: 'Clear filters' }));
      await expander.sees(page.getByText('4,000 open, first 20 shown'));
      await expander.click(page.getByRole('button', { name: 'Show 1,000' }));
      await expander.sees(page.getByText('4,000 open, first 1,000 shown'));
      await expander.sees(page.locator('#connections tbody tr').nth(999));
      reports.push(expander.report('  what is left, 1,000 rows', 'shown'));
      expect(await tab.seriousFindings()).toEqual([]);
      expect(tab.violations).toEqual([]);
    },
    STEP_MS,
  );
});
