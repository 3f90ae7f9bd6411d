import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const CALLERS = { ana: 'writer', ben: 'writer', audit: 'reader', zoe: 'admin' };
const CARS = [
  ['car-7', 'red', '5', 'Ana', '31900'],
  ['car-8', 'blue', '4', 'Ben', '18250'],
  ['van-2', 'white', '9', 'Tomoko', '42400'],
  ['bike-31', 'green', '1', 'Ana', '2450'],
  ['truck-1', 'yellow', '12', 'Jin Soo', '96000'],
];

const WHEEL = { color: 'black', size: '17', owner: 'Ana', appraisedValue: '120' };

/** Starts the built ledger-api with callers. @returns its origin, their keys, and functions to send requests and to stop it */
async function startLedger() {
  const folder = mkdtempSync(join(tmpdir(), 'pictured-ledger-'));
  const env = { PATH: process.env['PATH'], LEDGER_DATA_DIR: folder };
  const tool = join(process.cwd(), 'dist/apps/ledger-api/bundle/lib/ledger-tool.js');
  const keyOf = (name, role) =>
    execFileSync(process.execPath, [tool, 'callers', 'add', name, '--role', role], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  const child = spawn(process.execPath, [join(process.cwd(), 'dist/apps/ledger-api/bundle/lib/ledger-api.js')], {
    env: { ...env, LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', LEDGER_AUTH: 'on', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [{ urls }] = await once(child, 'message');
  const keys = Object.fromEntries(Object.entries(CALLERS).map(([name, role]) => [name, keyOf(name, role)]));
  const send = async (caller, method, path, body) => {
    const headers = { 'x-api-key': keys[caller], 'content-type': 'application/json' };
    const response = await fetch(urls.http + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, id: response.headers.get('x-transaction-id') };
  };
  // The server polls the callers file.
  while ((await send('zoe', 'GET', '/callers/me')).status !== 200) await new Promise(setImmediate);
  const end = async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  };
  return { origin: new URL(urls.explorer).origin, keys, send, end };
}

async function fill({ send }) {
  await send('zoe', 'POST', '/ledger/init');
  for (const [id, color, size, owner, appraisedValue] of CARS) {
    await send(owner === 'Ben' ? 'ben' : 'ana', 'POST', '/assets', { id, color, size, owner, appraisedValue });
  }
  for (let n = 0; n < 30; n++) await send('ben', 'PUT', '/assets/truck-1/transfer', { newOwner: `Workshop ${n}` });
  await send('ana', 'PUT', '/assets/car-7/transfer', { newOwner: 'Ben' });
  await send('ben', 'PUT', '/assets/car-7', { color: 'green', size: '5', owner: 'Ben', appraisedValue: '28500' });
  const wheels = Array.from({ length: 500 }, (_, index) => ({ ID: `wheel-${index + 1}`, ...WHEEL }));
  const call = { function: 'CreateAssets', arguments: [JSON.stringify(wheels)] };
  const bulk = await send('zoe', 'POST', '/contracts/basic/submit', call);
  const { id } = await send('ben', 'PUT', '/assets/car-7/transfer', { newOwner: 'Tomoko' });
  for (const [asset, newOwner] of [
    ['van-2', 'Ana'],
    ['bike-31', 'Ben'],
    ['car-8', 'Jin Soo'],
  ])
    await send('ana', 'PUT', `/assets/${asset}/transfer`, { newOwner });
  return { transfer: id, bulk: bulk.id };
}

/** Yields the states of the explorer. */
export async function* explorerScenes() {
  const ledger = await startLedger();
  const { origin, keys } = ledger;
  const at =
    (fragment, seen, caller = 'ana') =>
    async (page) => {
      await page.addInitScript(`sessionStorage.setItem('ledger-api-key', '${keys[caller]}')`);
      await page.goto(`${origin}/${fragment}`);
      await page.getByText(seen).first().waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      // The foot of a printed page has the head of the chain.
      await page.locator('.on-paper', { hasText: 'hash of the newest block' }).waitFor({ state: 'attached' });
      if (fragment === '') await page.getByText('mychannel', { exact: true }).waitFor();
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' });
    };
  yield {
    name: 'explorer-sign-in',
    show: async (page) => {
      await page.goto(origin);
      await page.getByLabel('API key').waitFor();
    },
  };
  yield { name: 'explorer-empty', show: at('', 'There are no assets yet.', 'zoe') };
  const { transfer, bulk } = await fill(ledger);
  yield { name: 'explorer', show: at('', 'Newest blocks'), isPicture: true };
  yield { name: 'explorer-asset', show: at('#/assets/car-7', 'Tomoko'), isPicture: true };
  yield { name: 'explorer-assets', show: at('#/assets', 'truck-1') };
  yield { name: 'explorer-filtered', show: at('#/assets?owner=Ana&rows=25', 'wheel-1') };
  yield { name: 'explorer-history', show: at('#/assets/truck-1', 'Workshop 29') };
  yield { name: 'explorer-became', show: at('#/assets/car-7?value=Tomoko&since=2026-01-01T00:00:00Z', 'Tomoko') };
  yield { name: 'explorer-compare', show: at('#/assets/car-7/compare', 'changed') };
  yield { name: 'explorer-bulk', show: at(`#/transactions/${bulk}`, 'Created 500 assets') };
  yield {
    name: 'explorer-menu',
    show: async (page) => {
      await at('#/blocks', 'Rows on a page')(page);
      const menu = page.getByRole('button', { name: 'Menu' });
      if (await menu.isVisible()) await menu.click();
    },
  };
  yield { name: 'explorer-reader', show: at('#/assets/car-7/transfer', 'You have read access only.', 'audit') };
  yield { name: 'explorer-transaction', show: at(`#/transactions/${transfer}`, 'Reads and writes') };
  yield { name: 'explorer-transactions', show: at('#/transactions?rows=50', 'Created the initial assets') };
  yield { name: 'explorer-block', show: at('#/blocks/1', 'Data hash') };
  yield { name: 'explorer-search', show: at('#/search?q=car-9', 'No results.') };
  yield {
    name: 'explorer-refused',
    show: async (page) => {
      await at('#/create', 'New asset')(page);
      await page.getByLabel('Id, optional').fill('car-7');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('Must not be empty.').first().waitFor();
    },
  };
  yield {
    name: 'explorer-overtaken',
    show: async (page) => {
      await at('#/assets/van-2/update', 'Update')(page);
      await page.getByLabel('Color').fill('silver');
      await ledger.send('ben', 'PUT', '/assets/van-2/transfer', { newOwner: `Ben ${Date.now() % 1000}` });
      await page.getByRole('button', { name: 'Update' }).click();
      await page.locator('.changed').first().waitFor();
    },
  };
  await ledger.end();
}
