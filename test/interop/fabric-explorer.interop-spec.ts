import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { describePages, openBrowser, Tab } from '../pages/support/tab.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { LedgerApi } from '../support/ledger-api.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const stock = process.env['FABRIC_STOCK_CHAINCODE'];
const UP_MS = 240_000;
const FIELDS = { Owner: 'Ana', Color: 'red', Size: '5', 'Appraised value': '300' };

const CHAINCODES = [
  { name: 'the own chaincode', args: [], keepsHistories: true },
  ...(stock === undefined
    ? []
    : [{ name: "fabric-samples' chaincode", args: ['--chaincode-command', stock], keepsHistories: false }]),
];

/** Runs the command that the page prints as it is, with the files that the page offers; the page finds the same. */
async function expectPrintedCommand(page: Page): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'printed-command-'));
  const printed = (await page.getByText('npm run ledger -- verify-receipt').first().textContent()) ?? '';
  const mspIds = [...printed.matchAll(/--root (\w+)=/g)].map(([, mspId = '']) => mspId);
  expect(mspIds.toSorted()).toEqual(['OrdererMSP', 'Org1MSP', 'Org2MSP']);
  for (const name of ['Download the receipt', ...mspIds.map((mspId) => `CA certificate of ${mspId}`)]) {
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const download = await saved;
    await writeFile(join(folder, download.suggestedFilename()), await download.createReadStream());
  }
  const tool = `${process.execPath} ${resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js')}`;
  const command = printed.trim().replace('npm run ledger --', tool);
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { cwd: folder });
  expect(stdout).toContain('ok     BLOCK_SIGNATURE');

  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  for (const mspId of mspIds) {
    const file = page.getByRole('group', { name: `CA certificate of ${mspId}` }).locator('input[type=file]');
    await file.setInputFiles(join(folder, `${mspId}-ca.pem`));
  }
  await page.getByText(/^PROVEN, if you trust the roots: .* is VALID\.$/).waitFor();
}

async function send(page: Page, button: string, done: string, isBound: boolean): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  if (!isBound) {
    await page.getByText('Press the button again to write anyway.').waitFor();
    await page.getByRole('button', { name: button, exact: true }).click();
  }
  await page.getByText(done).waitFor();
}

if ('missing' in release) {
  describe(`the explorer of a real Fabric (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  describePages('the explorer of a real Fabric', () => {
    describe.each(CHAINCODES)('with $name', ({ args, keepsHistories }) => {
      let network: FabricNetwork;
      let browser: Browser;
      beforeAll(async () => {
        [browser, network] = await Promise.all([
          openBrowser(),
          FabricNetwork.up(release.env, '--batch-timeout', '200ms', ...args),
        ]);
      }, UP_MS);
      afterAll(async () => {
        await browser.close();
        await network.down();
      }, UP_MS);

      it.each(['fabric-gateway', 'fabric'])(
        'shows its chain by the driver %s, writes to it, and returns the receipt of the write',
        async (driver) => {
          const api = await LedgerApi.start({ ...network.env, LEDGER_DRIVER: driver });
          try {
            const id = `car-${driver}`;
            // Only the newer SDK has endorsements looked at before they are ordered, as another chaincode needs it.
            const isBound = keepsHistories || driver === 'fabric-gateway';
            await until(async () => (await api.create(`ready-${driver}`)).status === 201, 60_000);
            await using tab = await Tab.open(browser);
            const { page } = tab;
            await page.goto(api.origin);
            await page.getByText('Live', { exact: true }).waitFor();
            await page.getByText('ApproveChaincodeDefinitionForMyOrg').first().waitFor();
            expect(await tab.problems()).toEqual([]);

            await page.goto(`${api.origin}/#/create`);
            await page.getByLabel('Id, optional').fill(id);
            for (const [label, value] of Object.entries(FIELDS))
              await page.getByLabel(label, { exact: true }).fill(value);
            await send(page, 'Create', 'Created.', true);
            await page.getByRole('link', { name: 'Transfer' }).click();
            await page.getByLabel('New owner').fill('Ben');
            await send(page, 'Transfer', 'Transferred.', isBound);
            await page.locator('dl').getByText('Ben').waitFor();
            if (keepsHistories) await page.getByRole('list').getByText('Transferred', { exact: true }).waitFor();

            await page.getByRole('link', { name: 'Show the transaction' }).click();
            for (const peer of ['peer0.org1.example.com', 'peer0.org2.example.com'])
              await page.getByText(peer).waitFor();
            const saved = page.waitForEvent('download');
            await page.getByRole('button', { name: 'Download the receipt' }).click();
            const receipt = JSON.parse(await text(await (await saved).createReadStream())) as { transactionId: string };
            expect(page.url()).toContain(receipt.transactionId);
            await expectPrintedCommand(page);

            await page.goto(`${api.origin}/#/blocks/0`);
            await page.getByText('Configured the channel').waitFor();
            expect(await tab.problems()).toEqual([]);

            // What others write is seen because it has happened.
            await page.goto(`${api.origin}/#/assets/${id}`);
            await page.locator('dl').getByText('Ben').waitFor();
            await api.api('PUT', `/assets/${id}/transfer`, { body: { newOwner: 'Cyd' } });
            await page.locator('dl').getByText('Cyd').waitFor();
            expect(tab.violations).toEqual([]);
          } finally {
            await api.stop();
          }
        },
        UP_MS,
      );
    });
  });
}
