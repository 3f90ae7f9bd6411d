import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { exportLedger } from '#embedded-ledger';
import { decodeBlock } from '#fabric-codec';
import { treeEntry } from '#fabric-codec/encode';
import { blockPosition, witnessedReceiptText } from '#receipts';
import {
  generateKey,
  leafHash,
  pathAmong,
  rootOf,
  SignatureType,
  signCheckpoint,
  tlogProofText,
  verifierKeyText,
  Witness,
} from '#tlog';
import { FIELDS, LedgerApi } from '../../support/ledger-api.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';
import { until } from '../../support/until.js';
import { go, write } from '../support/explorer.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const SINGLE_FILE = pathToFileURL(resolve('dist/apps/ledger-api/pages/verify-receipt.html')).href;
const NO_WEBCRYPTO = `delete Crypto.prototype.subtle`;
const CERTIFICATE = 'Drop the file with the CA certificate (PEM), or choose it';
const RECEIPT = 'Drop a receipt, or choose it';
const POLICY = 'Drop the file with the trust policy, or choose it';
const jsonFile = (name: string, text: string) => ({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
const textFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const CHECKS = [
  'FORMAT',
  'BLOCK',
  'BLOCK_SIGNATURE',
  'TRANSACTION',
  'CREATOR',
  'ENDORSEMENT',
  'VALIDATION_CODE',
  'EXPECTED_HEAD',
];

describePages('the verification of a receipt in the explorer', () => {
  let browser: Browser;
  let api: LedgerApi;
  let files: string;
  let id: string;
  let receipt: string;
  const ca = () => join(files, 'ca.pem');

  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
    files = mkdtempSync(join(tmpdir(), 'receipts-'));
    id = await write(api, 'POST', '/assets', { id: 'car-7', ...FIELDS });
    receipt = join(files, `receipt-${id}.json`);
    writeFileSync(receipt, (await api.api('GET', `/transactions/${id}/receipt`)).text);
    copyFileSync(join(api.dataDir, 'identities', 'ca.pem'), ca());
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
    rmSync(files, { recursive: true });
  });

  const openTransaction = async (page: Page) => {
    await page.goto(`${api.origin}/#/transactions/${id}`);
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
  };
  /** The results of the checks by their names. */
  const results = async (page: Page) => {
    await page.getByText(/^(PROVEN, if|REFUSED: )/).waitFor();
    const items = await page.locator('[role=status] ol > li').all();
    return Promise.all(
      items.map(async (item) => [await item.locator('code').textContent(), await item.locator('.pill').textContent()]),
    );
  };

  it('proves a transaction step by step, and names what is not proven', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await openTransaction(page);
    await page.getByLabel(CERTIFICATE).setInputFiles(ca());
    expect(await results(page)).toEqual(
      CHECKS.map((name) => [name, name === 'EXPECTED_HEAD' ? 'Not checked' : 'Passed']),
    );
    await page.getByText('signed by orderer.org1.example.com (Org1MSP)').waitFor();
    await page.getByText(`PROVEN, if you trust the roots: transaction ${id} of channel mychannel is VALID.`).waitFor();
    await page.getByText('CreateAsset("car-7", "blue", "5", "Tomoko", "300")', { exact: false }).last().waitFor();
    await page.getByText('that no certificate had expired or was revoked: that is not checked').waitFor();
    expect(await tab.problems()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await until(async () => (await page.evaluate('document.documentElement.scrollWidth')) === 390);
    expect(tab.violations).toEqual([]);
  });

  it('remembers a certificate whose fingerprint the user confirmed, and no other', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await openTransaction(page);
    await page.getByLabel(CERTIFICATE).setInputFiles(ca());
    await page.getByText('PROVEN, if').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await page.getByRole('button', { name: 'Fingerprint is right, remember it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('Confirmed', { exact: true }).waitFor();
    await page.getByText('PROVEN, if').waitFor();
    // Only what was confirmed is stored.
    const stored = String(await page.evaluate('JSON.stringify(localStorage)'));
    expect(stored).toContain('BEGIN CERTIFICATE');
    expect(stored).not.toContain('PRIVATE');
    // A certificate that was exchanged does not have the confirmed fingerprint.
    await page.evaluate(
      `localStorage.setItem('ledger-confirmed-certificates', localStorage.getItem('ledger-confirmed-certificates').replace(/"fingerprint":"../, '"fingerprint":"ZZ'))`,
    );
    await page.reload();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByLabel(CERTIFICATE).waitFor();
    expect(await page.getByText('Confirmed', { exact: true }).count()).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('refuses another authority, and a file that is none', async () => {
    const { root: other } = await ThrowawayAuthority.create('ca.org1.example.com');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await openTransaction(page);
    await page.getByLabel(CERTIFICATE).setInputFiles(receipt);
    await page.getByText('This file cannot be used: it contains no certificate in PEM form.').waitFor();
    await page
      .getByLabel(CERTIFICATE)
      .setInputFiles({ name: 'ca.pem', mimeType: 'text/plain', buffer: Buffer.from(other.certificate) });
    expect(await results(page)).toEqual([
      ['FORMAT', 'Passed'],
      ['BLOCK', 'Passed'],
      ['BLOCK_SIGNATURE', 'Failed'],
    ]);
    await page.getByText('the certificate does not chain to a root of Org1MSP', { exact: false }).waitFor();
    await page.getByText('REFUSED: the receipt proves nothing.').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('accepts a receipt file without the server, and compares it with a known hash', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/verify', 'Verify a receipt');
    await page.getByLabel(RECEIPT).waitFor();
    await tab.context.setOffline(true);
    await page.getByLabel(RECEIPT).setInputFiles(receipt);
    await page.getByLabel(CERTIFICATE).setInputFiles(ca());
    await page.getByText('PROVEN, if').waitFor();
    const { blockHash } = JSON.parse(readFileSync(receipt, 'utf8')) as { blockHash: string };
    await page.getByLabel('Hash that you know').fill(`2:${blockHash}`);
    await page.getByText('block 1 has the hash that you know').waitFor();
    await page.getByLabel('Hash that you know').fill(`2:${'ab'.repeat(32)}`);
    await page.getByText('REFUSED: the receipt proves nothing.').waitFor();
    await page.getByLabel('Hash that you know').fill('2:ab');
    await page.getByText('Enter the height of the chain', { exact: false }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('refuses a receipt in which one byte was changed, wherever it is', async () => {
    const text = readFileSync(receipt, 'utf8');
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/verify', 'Verify a receipt');
    for (const at of [0.02, 0.2, 0.4, 0.6, 0.8, 0.99].map((part) => Math.floor(part * text.length))) {
      const character = text[at] === 'A' ? 'B' : 'A';
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      const buffer = Buffer.from(changed);
      await page.getByLabel(RECEIPT).setInputFiles({ name: `at-${at}.json`, mimeType: 'application/json', buffer });
      const certificate = page.getByLabel(CERTIFICATE);
      const heading = page.getByRole('heading', { name: `at-${at}.json` });
      await certificate.or(heading).first().waitFor();
      if ((await certificate.count()) > 0) await certificate.setInputFiles(ca());
      await heading.waitFor();
      await page.getByText('REFUSED: the receipt proves nothing.').waitFor();
    }
    expect(tab.violations).toEqual([]);
  });

  it('states why it cannot verify without WebCrypto, and prints the command', async () => {
    await using tab = await Tab.open(browser, { before: NO_WEBCRYPTO });
    const { page } = tab;
    await openTransaction(page);
    await page
      .getByText('Browsers offer cryptography (WebCrypto) only over https and on localhost.', { exact: false })
      .waitFor();
    const command = `npm run ledger -- verify-receipt receipt-${id}.json --root Org1MSP=Org1MSP-ca.pem`;
    // The second is in the message.
    await until(async () => (await page.getByText(command).count()) === 2);
    expect(await page.getByRole('button', { name: 'Copy the command' }).count()).toBe(2);
    expect(tab.violations).toEqual([]);
  });

  it('offers the receipt and the CA certificate under the names in the command', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await page.goto(`${api.origin}/#/transactions/${id}`);
    for (const [button, name] of [
      ['Download the receipt', `receipt-${id}.json`],
      ['CA certificate of Org1MSP', 'Org1MSP-ca.pem'],
    ] as const) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(name);
    }
    expect(tab.violations).toEqual([]);
  });

  it('verifies a receipt with witnesses by a trust policy, without certificates', async () => {
    const { policy, witnessed } = await witnessedReceipt();
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/verify', 'Verify a receipt');
    await page.getByLabel(RECEIPT).setInputFiles(jsonFile('witnessed.json', witnessed));
    await page.getByLabel(POLICY).setInputFiles(textFile('bad.policy', 'quorum'));
    await page.getByText('This file cannot be used: line 1 of the policy: use "quorum NAME".').waitFor();
    await page.getByLabel(POLICY).setInputFiles(textFile('ledger.policy', policy('any')));
    await page.getByText('Logs: 1. Witnesses: 2.').waitFor();
    await page.getByText(`PROVEN, if you trust the policy: transaction ${id} of channel mychannel is VALID.`).waitFor();
    const found = new Map((await results(page)) as [string, string][]);
    for (const check of ['FORMAT', 'INCLUSION', 'CHECKPOINT', 'WITNESSES']) expect(found.get(check)).toBe('Passed');
    expect(found.get('CREATOR')).toBe('Not checked');
    expect(await tab.problems()).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    await until(async () => (await page.evaluate('document.documentElement.scrollWidth')) === 390);
    await page.getByRole('button', { name: 'Use another policy' }).click();
    await page.getByLabel(POLICY).setInputFiles(textFile('strict.policy', policy('all')));
    await page.getByText('NOT WITNESSED YET, so that nothing is proven', { exact: false }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  /** The receipt of version 2 that one of two witnesses confirmed, and the policies by the confirmations that they need. */
  async function witnessedReceipt() {
    const target = join(files, 'blocks');
    await exportLedger({ dataDir: api.dataDir, target });
    const blocks = [0, 1].map((number) => readFileSync(join(target, `00000000${number}.block`)));
    const leaves = blocks.map((block) => leafHash(treeEntry(decodeBlock(block))));
    const log = generateKey('ledger.example.org/mychannel/lisbon', SignatureType.ED25519);
    const keys = ['a', 'b'].map((name) => generateKey(`${name}.example.org`, SignatureType.COSIGNATURE));
    const signed = signCheckpoint(log, { size: 2, root: rootOf(leaves) });
    const { body: line } = new Witness(keys[0]!, [log], new Map()).addCheckpoint(`old 0\n\n${signed}`);
    const proof = tlogProofText(1, pathAmong(leaves, 1), signed + line);
    const witnessed = witnessedReceiptText(blockPosition(blocks[1]!, id)!, blocks[1]!, { proof, hasBlock: false });
    const witnesses = keys.map((key, index) => `witness w${index} ${verifierKeyText(key)}\n`).join('');
    const policy = (count: string) =>
      `log ${verifierKeyText(log)}\n${witnesses}group both ${count} w0 w1\nquorum both\n`;
    return { policy, witnessed };
  }

  it('works as one file without a server, by keyboard', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    // The browser begins to hand over file dialogs with the first listener, which must not compete with the key.
    page.on('filechooser', () => undefined);
    await page.goto(SINGLE_FILE);
    await page.getByRole('heading', { name: 'Verify a receipt' }).waitFor();
    const choose = async (file: string) => {
      await page.keyboard.press('Tab');
      await page.locator('input[type=file]:focus').waitFor({ state: 'attached' });
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Space')]);
      await chooser.setFiles(file);
    };
    await choose(receipt);
    await page.getByLabel(CERTIFICATE).waitFor();
    await choose(ca());
    await page.getByText('PROVEN, if').waitFor();
    expect((await results(page)).at(-1)).toEqual(['EXPECTED_HEAD', 'Not checked']);
    expect(await page.getByText('that the server sent an honest page', { exact: false }).count()).toBe(0);
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });
});
