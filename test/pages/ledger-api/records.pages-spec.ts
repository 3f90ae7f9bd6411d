import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { decideOn } from '#contract-kit';
import { RECORDS_CONTRACT } from '#records-contract';
import { startStandIn } from '../../../libs/fabric-ledger/src/testing/start-stand-in.js';
import type { StandInChaincode } from '../../../libs/fabric-ledger/src/testing/stand-in-chaincode.js';
import { LedgerApi } from '../../support/ledger-api.js';
import { addCaller } from '../../support/ledger-callers.js';
import { gatewayEnv } from '../../support/stand-in-drivers.js';
import { until } from '../../support/until.js';
import { go } from '../support/explorer.js';
import { hostile, seenOf } from '../support/hostile.js';
import { describePages, openBrowser, Tab } from '../support/tab.js';

const CERTIFICATE = {
  mode: 'mutable',
  indexes: ['holder', 'address.city'],
  schema: {
    type: 'object',
    required: ['holder', 'grade'],
    properties: {
      holder: { type: 'string', minLength: 2, title: 'Holder of the certificate', description: 'A full name.' },
      grade: { type: 'integer', minimum: 1 },
      share: { type: 'number' },
      passed: { type: 'boolean' },
      level: { enum: ['basic', 'advanced'] },
      issued: { type: 'string', format: 'date' },
      checked: { type: 'string', format: 'date-time' },
      address: { type: 'object', properties: { city: { type: 'string' } } },
      topics: { type: 'array', items: { type: 'string', maxLength: 10 } },
      extra: { type: ['object', 'null'] },
    },
  },
};

let browser: Browser;
let api: LedgerApi;

/** Creates a record. */
async function create(type: string, id: string, document: object): Promise<void> {
  const path = `/records/${type}?id=${encodeURIComponent(id)}`;
  expect(await api.api('POST', path, { body: document })).toMatchObject({ status: 201 });
}

/** Returns the document of a record. */
async function documentOf(type: string, id: string): Promise<unknown> {
  const { json } = await api.api('GET', `/records/${type}/${encodeURIComponent(id)}`);
  return (json as { data: { document: unknown } }).data.document;
}

/** Presses the only button with a label in the content of the page. */
function press(page: Page, name: string): Promise<void> {
  return page.getByRole('main').getByRole('button', { name, exact: true }).click();
}

describePages('the pages of records', () => {
  beforeAll(async () => {
    [browser, api] = await Promise.all([openBrowser(), LedgerApi.start()]);
  });
  afterAll(async () => {
    await api.stop();
    await browser.close();
  });

  it('define the first type by keyboard, with the errors of the schema at its field', async () => {
    await using tab = await Tab.open(browser, { timezoneId: 'Europe/Berlin' });
    const { page } = tab;
    await go(page, api, '#/record-types', 'Records');
    await page.getByText('No record types are defined yet.').waitFor();
    await page.getByRole('link', { name: 'Define a type' }).press('Enter');
    await page.getByLabel('Name', { exact: true }).and(page.locator(':focus')).fill('certificate');
    await page.getByLabel('Records').selectOption('can be updated and deleted');
    await page.getByLabel('Indexed fields').fill('holder\naddress.city\n');
    const schema = page.getByLabel('Schema');
    await schema.fill('{"type": "object",}');
    await press(page, 'Define');
    await page.locator('#definition-schema-error').getByText('This is not JSON:').waitFor();
    await schema.fill('{"properties": {"holder": {"type": "text"}}}');
    await press(page, 'Define');
    await page.locator('#definition-schema-error').getByText('/properties/holder/type must be').waitFor();
    await page.locator('#definition-schema:focus').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await schema.fill(JSON.stringify(CERTIFICATE.schema));
    await press(page, 'Define');
    await page.getByRole('heading', { level: 1, name: 'Records of certificate' }).waitFor();
    await page.getByText('Defined as version 1.').waitFor();
    await page.getByText('There are no records of this type yet.').waitFor();
    expect((await api.api('GET', '/record-types/certificate')).json).toMatchObject({
      data: { ...CERTIFICATE, version: 1 },
    });
    // Its next version.
    await page.getByRole('link', { name: 'Define again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Define certificate again' }).waitFor();
    await page.getByLabel('Indexed fields').fill('grade\nholder\naddress.city');
    await press(page, 'Define');
    await page.getByText('Defined as version 2.').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('create a record by a form made from the schema, with the faults at each field', async () => {
    await using tab = await Tab.open(browser, { timezoneId: 'Europe/Berlin' });
    const { page } = tab;
    await go(page, api, '#/records/certificate', 'Records of certificate');
    await page.getByRole('link', { name: 'New record' }).click();
    await page.getByRole('heading', { level: 1, name: 'New record of certificate' }).waitFor();
    await page.getByLabel('Id, optional').fill('c/1 %?#');
    await page.getByLabel('Holder of the certificate').fill('A');
    await page.getByLabel('share').fill('1,5');
    await press(page, 'Create');
    // Found before anything is sent.
    await page.getByText('Must be a number, such as 12 or 3.5.').waitFor();
    await page.getByLabel('share').and(page.locator('[aria-invalid="true"]:focus')).fill('1.5');
    await page.getByRole('button', { name: 'Add to topics' }).click();
    await page.getByLabel('topics 1').fill('longer than ten');
    await page.getByRole('button', { name: 'Add to topics' }).click();
    await page.getByLabel('topics 2').fill('short');
    await press(page, 'Create');
    await page.getByText('Must NOT have fewer than 2 characters.').waitFor();
    await page.getByText('Must NOT have more than 10 characters.').waitFor();
    await page.getByText('Is missing.').waitFor();
    await page.getByLabel('Holder of the certificate').and(page.locator(':focus')).fill('Ana');
    expect(await tab.problems()).toEqual([]);
    await page.getByRole('button', { name: 'Remove topics 1' }).click();
    await page.getByLabel('grade').fill('2');
    await page.getByLabel('passed').selectOption('true');
    await page.getByLabel('level').selectOption('advanced');
    await page.getByLabel('issued').fill('2026-11-28');
    await page.getByLabel('checked').fill('2026-11-28T12:30:00');
    await page.getByLabel('city').fill('Lisbon');
    await page.getByLabel('extra').fill('{"a": [1, null]');
    await press(page, 'Create');
    await page.getByText('This is not JSON:').waitFor();
    await page.getByLabel('extra').fill('{"a": [1, null]}');
    await press(page, 'Create');
    await page.getByRole('heading', { level: 1, name: 'c/1 %?#' }).waitFor();
    await page.getByText('Created.').waitFor();
    expect(await documentOf('certificate', 'c/1 %?#')).toEqual({
      address: { city: 'Lisbon' },
      checked: '2026-11-28T11:30:00Z',
      extra: { a: [1, null] },
      grade: 2,
      holder: 'Ana',
      issued: '2026-11-28',
      level: 'advanced',
      passed: true,
      share: 1.5,
      topics: ['short'],
    });
    // An id that is in use.
    await go(page, api, '#/new-record/certificate', 'New record of certificate');
    await page.getByLabel('Id, optional').fill('c/1 %?#');
    await page.getByLabel('Holder of the certificate').fill('Ben');
    await page.getByLabel('grade').fill('1');
    await press(page, 'Create');
    await page.locator('#record-id-error').getByText('exists').waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('list the records of a type by their indexed fields, in pages and as downloads', async () => {
    await api.api('PUT', '/record-types/visit', { body: { indexes: ['user', 'from.city'] } });
    const lines = Array.from({ length: 120 }, (_, n) =>
      JSON.stringify({
        no: `v${String(n).padStart(3, '0')}`,
        user: n % 2 ? 'ana' : 'bob',
        from: { city: `city ${n % 3}` },
      }),
    );
    const headers = { 'content-type': 'application/x-ndjson' };
    await api.api('POST', '/records/visit?key=no', { body: lines.join('\n'), headers });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/record-types', 'Records');
    await page.getByRole('link', { name: 'visit', exact: true }).click();
    await page.getByRole('link', { name: 'v049' }).waitFor();
    expect(await page.getByRole('link', { name: 'v050' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.getByRole('link', { name: 'v099' }).waitFor();
    await page.getByLabel('user', { exact: true }).fill('ana');
    await page.getByLabel('from.city', { exact: true }).fill('city 1');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL('**/#/records/visit?where.user=ana&where.from.city=city+1');
    const rows = page.getByRole('rowheader');
    await until(async () => (await rows.count()) === 20);
    expect((await rows.allTextContents()).slice(0, 3)).toEqual(['v001', 'v007', 'v013']);
    await page.getByText('20 records', { exact: true }).waitFor();
    expect(await tab.problems()).toEqual([]);
    const saved = async (name: string): Promise<string> => {
      const [download] = await Promise.all([page.waitForEvent('download'), press(page, name)]);
      return text(await download.createReadStream());
    };
    expect((await saved('Download CSV')).split('\r\n')).toHaveLength(22);
    expect(
      (await saved('Download JSON lines'))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toHaveLength(20);
    await page.getByRole('link', { name: 'user: ana' }).click();
    await until(async () => (await rows.count()) === 40);
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByRole('link', { name: 'v000' }).waitFor();
    // A new record is shown by a live update.
    await create('visit', 'a first one', { user: 'zoe' });
    await page.getByRole('link', { name: 'a first one' }).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('show a record with its history as changes of fields, its states, and its receipt', async () => {
    await create('certificate', 'changed', { holder: 'Ana', grade: 1, address: { city: 'Lisbon' } });
    const { headers } = await api.api('PUT', '/records/certificate/changed', {
      body: { holder: 'Ana', grade: 2, address: { city: 'Porto' }, passed: true },
    });
    const block = await api.api('GET', `/transactions/${String(headers['x-transaction-id'])}`);
    const { blockNumber } = (block.json as { data: { blockNumber: number } }).data;
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/certificate/changed', 'changed');
    const steps = page.locator('.timeline > li');
    await until(async () => (await steps.count()) === 2);
    const parts = await steps.first().locator('ul li').allInnerTexts();
    expect(parts.map((part) => part.replaceAll(/\s+/g, ' '))).toEqual([
      'address.city: Lisbon became → Porto',
      'grade: 1 became → 2',
      'passed: true',
    ]);
    expect(await tab.problems()).toEqual([]);
    await page.getByLabel('As of a block').fill(String(blockNumber - 1));
    await page.getByRole('button', { name: 'Show' }).last().click();
    await page.waitForURL(`**/#/records/certificate/changed?at=${blockNumber - 1}`);
    await page.locator('dl.facts').getByText('Lisbon').waitFor();
    expect(await page.getByRole('link', { name: 'Update' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Show the present state' }).click();
    await page.locator('dl.facts').getByText('Porto').waitFor();
    await press(page, 'Verify');
    await page
      .locator('input[type="file"]')
      .first()
      .setInputFiles(join(api.dataDir, 'identities', 'ca.pem'));
    await page.getByText(/^PROVEN, if/).waitFor();
    expect(tab.violations).toEqual([]);
  });

  it('update a record, and show what others have changed meanwhile', async () => {
    await create('certificate', 'contested', { holder: 'Ana', grade: 1 });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/certificate/contested', 'contested');
    await page.getByRole('link', { name: 'Update' }).click();
    await page.getByRole('heading', { level: 1, name: 'Update contested' }).waitFor();
    await page.getByLabel('grade').fill('7');
    await api.api('PUT', '/records/certificate/contested', { body: { holder: 'Ben', grade: 1 } });
    await press(page, 'Update');
    await page.getByText('Others have changed the record meanwhile:').waitFor();
    await page.locator('.notice').getByText('Ben').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    await press(page, 'Load the new state');
    await until(async () => (await page.getByLabel('Holder of the certificate').inputValue()) === 'Ben');
    await page.getByLabel('grade').fill('8');
    await press(page, 'Update');
    await page.getByText('Updated.').waitFor();
    expect(await documentOf('certificate', 'contested')).toEqual({ holder: 'Ben', grade: 8 });
    expect(tab.violations).toEqual([]);
  });

  it('edit as JSON what the fields would lose', async () => {
    await create('certificate', 'more', { holder: 'Ana', grade: 1, unknown: { a: 1 } });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/certificate/more/update', 'Update more');
    await page.getByText('The fields cannot show this document without a loss.').waitFor();
    const json = page.getByLabel('Document');
    expect(JSON.parse(await json.inputValue())).toEqual({ holder: 'Ana', grade: 1, unknown: { a: 1 } });
    await press(page, 'Edit as fields');
    await page.getByRole('alert').waitFor();
    await json.fill('{"holder": "Ben", "grade": 5}');
    await press(page, 'Edit as fields');
    expect(await page.getByLabel('grade').inputValue()).toBe('5');
    await page.getByLabel('grade').fill('6');
    await press(page, 'Edit as JSON');
    expect(JSON.parse(await json.inputValue())).toEqual({ holder: 'Ben', grade: 6 });
    // A number that a double cannot represent is refused, not changed.
    await json.fill('{"holder": "Ben", "grade": 9007199254740993}');
    await press(page, 'Update');
    await page.getByText('has a number that a double cannot represent').waitFor();
    expect(await documentOf('certificate', 'more')).toMatchObject({ holder: 'Ana' });
    expect(tab.violations).toEqual([]);
  });

  it('delete a record after a second press, and show its history', async () => {
    await create('certificate', 'gone', { holder: 'Ana', grade: 1 });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/certificate/gone', 'gone');
    await press(page, 'Delete');
    await press(page, 'Cancel');
    await press(page, 'Delete');
    await page.locator(':focus').getByText('Delete this record').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Deleted gone.').waitFor();
    await page.goBack();
    await page.getByText('This record does not exist.').waitFor();
    await page.locator('.timeline').getByText('Deleted', { exact: true }).waitFor();
    // Records of an append type have no such buttons.
    await create('visit', 'kept', { user: 'ana' });
    await go(page, api, '#/records/visit/kept', 'kept');
    await page.locator('.timeline').getByText('Created').waitFor();
    expect(
      await page
        .getByRole('button', { name: 'Delete' })
        .or(page.getByRole('link', { name: 'Update' }))
        .count(),
    ).toBe(0);
    expect(tab.violations).toEqual([]);
  });

  it('show hostile documents, members and schemas as text', async () => {
    const name = hostile('member');
    const schema = {
      type: 'object',
      title: hostile('title'),
      properties: {
        [name]: { type: 'string', title: hostile('label'), description: hostile('hint') },
        __proto__x: { enum: [hostile('choice')] },
      },
    };
    await api.api('PUT', '/record-types/hostile', { body: { mode: 'mutable', schema, indexes: ['user'] } });
    await create('hostile', hostile('id'), { [name]: hostile('value'), user: hostile('user'), constructor: 1 });
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/hostile', 'Records of hostile');
    await page.getByText(seenOf('value')).first().waitFor();
    await page.getByRole('rowheader').getByRole('link').click();
    await page.locator('.timeline').getByText(seenOf('value')).waitFor();
    expect(await tab.problems()).toEqual([]);
    await page.goto(`${api.origin}/#/new-record/hostile`);
    await page.getByText(seenOf('hint')).waitFor();
    await page.getByLabel(seenOf('label')).waitFor();
    expect(await tab.problems()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });

  it('report types and records that do not exist', async () => {
    await using tab = await Tab.open(browser);
    const { page } = tab;
    await go(page, api, '#/records/nothing', 'Records of nothing');
    await page.getByText('No record type with this name is defined.').waitFor();
    await go(page, api, '#/records/visit/nothing', 'nothing');
    await page.getByText('This record does not exist.').waitFor();
    expect(await tab.seriousFindings()).toEqual([]);
    expect(tab.violations).toEqual([]);
  });
});

describePages('the pages of records for callers', () => {
  it('show no forms to a reader', async () => {
    const guarded = await LedgerApi.start({ LEDGER_AUTH: 'on' });
    const shared = await openBrowser();
    try {
      const [reader, writer] = await Promise.all([
        addCaller(guarded.dataDir, 'audit', '--role', 'reader'),
        addCaller(guarded.dataDir, 'ana', '--role', 'writer'),
      ]);
      const headers = { 'x-api-key': writer };
      // The server polls the callers file.
      await until(async () => (await guarded.api('GET', '/callers/me', { headers })).status === 200);
      await guarded.api('PUT', '/record-types/note', { body: { mode: 'mutable' }, headers });
      await guarded.api('POST', '/records/note?id=n1', { body: { text: 'seen' }, headers });
      await using tab = await Tab.open(shared, { before: `sessionStorage.setItem('ledger-api-key', '${reader}')` });
      const { page } = tab;
      await go(page, guarded, '#/record-types', 'Records');
      await page.getByRole('link', { name: 'note' }).click();
      await page.getByRole('link', { name: 'n1' }).click();
      await page.locator('.timeline').getByText('seen').waitFor();
      expect(await page.getByRole('link', { name: /Update|New record|Define/ }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
      for (const fragment of ['#/new-record/note', '#/records/note/n1/update', '#/define-record-type']) {
        await go(page, guarded, fragment, 'Not allowed');
        await page.getByText('Writing records requires the role “writer”.').waitFor();
      }
      expect(tab.violations).toEqual([]);
    } finally {
      await guarded.stop();
      await shared.close();
    }
  });
});

const recordsChaincode: StandInChaincode = (name, args, state) => {
  const facts = { transactionId: 'ab'.repeat(32), timestamp: '2026-11-28T12:00:00.000Z' };
  const { writes, payload, event } = decideOn(state, RECORDS_CONTRACT.prepare(name, args, facts));
  for (const write of writes) state.write(write);
  state.event = event;
  return payload;
};

describePages('the pages of records on a Fabric network', () => {
  it('show and write records of a channel', async () => {
    const [shared, standIn] = await Promise.all([
      openBrowser(),
      startStandIn({ chaincodeName: 'records', chaincode: recordsChaincode, otherChannels: ['payments'] }),
    ]);
    const network = await LedgerApi.start({ LEDGER_CHANNELS: 'payments', ...gatewayEnv(standIn) });
    try {
      const on = '/channels/payments';
      const body = { mode: 'mutable', indexes: ['user'], schema: { properties: { user: { type: 'string' } } } };
      expect(await network.api('PUT', `${on}/record-types/login`, { body })).toMatchObject({ status: 200 });
      await using tab = await Tab.open(shared);
      const { page } = tab;
      await go(page, network, '#/channels/payments/record-types', 'Records');
      await page.getByRole('link', { name: 'login', exact: true }).click();
      await page.waitForURL('**/#/channels/payments/records/login**');
      await page.getByRole('link', { name: 'New record' }).click();
      await page.getByLabel('Id, optional').fill('l1');
      await page.getByLabel('user').fill('ana');
      await press(page, 'Create');
      await page.getByRole('heading', { level: 1, name: 'l1' }).waitFor();
      await page.locator('.timeline').getByText('Created').waitFor();
      await page.waitForURL('**/#/channels/payments/records/login/l1**');
      await page.getByRole('link', { name: 'Update' }).click();
      await page.getByLabel('user').fill('ben');
      await press(page, 'Update');
      await page.getByText('Updated.').waitFor();
      await until(async () => (await page.locator('.timeline > li').count()) === 2);
      // Nothing of it is on the default channel.
      await go(page, network, '#/record-types', 'Records');
      await page.getByText('No record types are defined yet.').waitFor();
      // The chain index of the channel answers filters.
      await page.goto(`${network.origin}/#/channels/payments/records/login?where.user=ben`);
      await page.getByRole('rowheader', { name: 'l1' }).waitFor();
      await page.goto(`${network.origin}/#/channels/payments/records/login?where.user=ana`);
      await page.getByText('No record matches the filter.').waitFor();
      expect(tab.violations).toEqual([]);
    } finally {
      await network.stop();
      standIn.dispose();
      await shared.close();
    }
  });
});
