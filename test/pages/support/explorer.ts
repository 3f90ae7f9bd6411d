import type { Page } from 'playwright-core';
import type { LedgerApi } from '../../support/ledger-api.js';

/** Makes a write. @returns the id of its transaction */
export async function write(api: LedgerApi, method: string, path: string, body: object): Promise<string> {
  return String((await api.api(method, path, { body })).headers['x-transaction-id']);
}

/** Opens a page of the explorer, and waits for its heading. */
export async function go(page: Page, { origin }: LedgerApi, fragment: string, heading: string): Promise<void> {
  await page.goto(`${origin}/${fragment}`);
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
}
