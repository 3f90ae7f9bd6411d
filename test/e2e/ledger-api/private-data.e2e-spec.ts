import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ChaincodeFolder } from '../../support/chaincode-folders.js';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { ledgerTool } from '../../support/ledger-callers.js';
import { Program } from '../../support/program.js';

const CANARY = 'canary-in-a-private-note';

let folder: ChaincodeFolder;
let api: LedgerApi;
let copies: string;
beforeAll(async () => {
  folder = ChaincodeFolder.node('private-notes');
  copies = mkdtempSync(join(tmpdir(), 'private-data-'));
  api = await LedgerApi.start({ LEDGER_CHAINCODES: `notes=${folder.path}` });
});
afterAll(async () => {
  await api.stop();
  folder.remove();
  rmSync(copies, { recursive: true });
});

type Kind = 'evaluate' | 'submit';
const call = (kind: Kind, name: string, args: readonly string[], text?: string): Promise<Answer> => {
  const transient = text === undefined ? {} : { transient: { text: Buffer.from(text).toString('base64') } };
  return api.api('POST', `/contracts/notes/${kind}`, { body: { function: name, arguments: args, ...transient } });
};
const submit = (name: string, ...args: readonly string[]): Promise<Answer> => call('submit', name, args);
const put = (collection: string, key: string, text: string): Promise<Answer> =>
  call('submit', 'Put', [collection, key], text);
const read = async (name: string, ...args: readonly string[]): Promise<unknown> => {
  const { json, text } = await call('evaluate', name, args);
  return (json as { data?: { payload?: string } }).data?.payload ?? text;
};
const restart = async (): Promise<void> => {
  api = await LedgerApi.start({ LEDGER_CHAINCODES: `notes=${folder.path}` }, api.dataDir);
};
/** Starts the program, and returns why it did not start. */
const failingStart = async (args: readonly string[]): Promise<string> => {
  const environment = { LEDGER_CHAINCODES: `notes=${folder.path}`, LEDGER_DATA_DIR: api.dataDir };
  const program = new Program({
    main: 'apps/ledger-api/bundle/lib/ledger-api.js',
    env: { LEDGER_API_PORT: '0', LEDGER_API_HTTPS_PORT: '0', ...environment },
    args,
  });
  expect((await program.ended).code).not.toBe(0);
  return program.stderr;
};
/** The files in a directory that contain a text, from there on. */
const filesWith = (text: string, directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const file = join(directory, name);
    return statSync(file).isFile() && readFileSync(file).includes(text);
  });

it('private values are returned to the chaincode, and nothing else contains them', async () => {
  const written = await put('notes', 'one', CANARY);
  expect(written).toMatchObject({ status: 200 });
  expect(await read('Get', 'notes', 'one')).toBe(CANARY);
  expect(await read('Hash', 'notes', 'one')).toMatch(/^[0-9a-f]{64}$/);
  expect(await put('notes', 'two', 'second')).toMatchObject({ status: 200 });
  expect(await read('List', 'notes', '', '')).toBe(`one=${CANARY},two=second`);
  expect(await put('_implicit_org_Org1MSP', 'own', CANARY)).toMatchObject({ status: 200 });
  expect(await read('Get', '_implicit_org_Org1MSP', 'own')).toBe(CANARY);

  const id = String(written.headers['x-transaction-id']);
  const transaction = await api.api('GET', `/transactions/${id}?envelope=true`);
  expect(transaction.text).toContain('"collection_name":"notes"');
  const receipt = await api.api('GET', `/transactions/${id}/receipt`);
  const block = await api.api('GET', `/blocks/1?raw=true`);
  const leak = await submit('Leak', 'notes', 'one');
  expect(leak.status).toBeGreaterThanOrEqual(400);
  await api.program.printed('is withheld, because it repeats transient or private data');
  expect([receipt.status, block.status]).toEqual([200, 200]);
  for (const { text } of [written, transaction, receipt, block, leak]) expect(text).not.toContain(CANARY);
  for (const output of [api.program.stdout, api.program.stderr]) expect(output).not.toContain(CANARY);
  const files = filesWith(CANARY, api.dataDir);
  expect(files.filter((name) => !name.startsWith(`private${sep}`))).toEqual([]);
  expect(files).not.toHaveLength(0);
});

it.each([
  ['Get', ['none', 'a'], 'collection mychannel/notes/none could not be found'],
  ['Hash', ['none', 'a'], 'collection [none] not defined in the collection config for chaincode [notes]'],
  [
    'Get',
    ['others', 'a'],
    'tx creator does not have read access permission on privatedata in chaincodeName:notes collectionName: others',
  ],
  [
    'Delete',
    ['others', 'a'],
    'tx creator does not have write access permission on privatedata in chaincodeName:notes collectionName: others',
  ],
  [
    'ListAndPut',
    ['notes'],
    'unsuppored transaction. Transaction has already performed queries on pvt data. Writes are not allowed',
  ],
] as const)('%s of %j is refused with the text of a peer', async (name, args, text) => {
  const answer = await submit(name, ...args);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.text).toContain(text);
});

it('keys with blockToLive expire with their block', async () => {
  expect(await put('drafts', 'short', 'for three blocks')).toMatchObject({ status: 200 });
  for (const number of [1, 2, 3])
    expect(await submit('PutPublicly', 'block', String(number))).toMatchObject({ status: 200 });
  expect(await read('Get', 'drafts', 'short')).toBe('for three blocks');
  expect(await submit('PutPublicly', 'block', '4')).toMatchObject({ status: 200 });
  expect([await read('Get', 'drafts', 'short'), await read('Hash', 'drafts', 'short')]).toEqual(['', '']);
});

it('verify, backup, export and rebuild treat private values as such', async () => {
  const present = 'private values: 3 of 3 present';
  await api.program.end('SIGKILL');
  expect(await ledgerTool(api.dataDir, 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining(present) });
  expect(await ledgerTool(api.dataDir, 'rebuild')).toMatchObject({ code: 0 });
  const [backup, exported] = ['backup', 'export'].map((name) => join(copies, name)) as [string, string];
  expect(await ledgerTool(api.dataDir, 'backup', backup)).toMatchObject({ code: 0 });
  expect(await ledgerTool(backup, 'verify')).toMatchObject({ code: 0, stdout: expect.stringContaining(present) });
  const { code, stdout } = await ledgerTool(api.dataDir, 'export', exported);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Private values are not exported')]);
  expect(filesWith(CANARY, exported)).toEqual([]);
  const verified = await ledgerTool(exported, 'verify', '--blocks', exported);
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('private values: 0 of 3 present') });
  const imported = await ledgerTool(join(copies, 'imported'), 'import', exported);
  expect(imported).toMatchObject({ code: 0, stdout: expect.stringContaining('private values: 0 of 3 present') });
  await restart();
  expect(await read('Get', 'notes', 'one')).toBe(CANARY);
});

it('a purge leaves 0 bytes of a value in any file of the data directory', async () => {
  expect(await put('notes', 'one', `${CANARY} again`)).toMatchObject({ status: 200 });
  expect(await submit('Purge', 'notes', 'one')).toMatchObject({ status: 200 });
  expect(await submit('Purge', '_implicit_org_Org1MSP', 'own')).toMatchObject({ status: 200 });
  expect(filesWith(CANARY, api.dataDir)).toEqual([]);
  expect([await read('Get', 'notes', 'one'), await read('Hash', 'notes', 'one')]).toEqual(['', '']);
  expect(await read('List', 'notes', '', '')).toBe('two=second');
});

it('a wrong file of collections is refused at the start, with its path and field', async () => {
  await api.program.end('SIGTERM');
  const file = folder.file('config/collections.json');
  const valid = readFileSync(file, 'utf8');
  writeFileSync(file, valid.replace('"memberOnlyRead": true', '"memberOnlyRead": "yes"'));
  const fault = `${file}: [0].memberOnlyRead must be true or false.`;
  for (const args of [[], ['--check']]) expect(await failingStart(args)).toContain(fault);
  writeFileSync(file, valid.replace('"blockToLive": 3', '"blockToLive": 4'));
  const changed = 'the blockToLive of the collection "drafts" of the chaincode "notes" is 4, and was 3';
  for (const args of [[], ['--check']]) expect(await failingStart(args)).toContain(changed);
  writeFileSync(file, valid);
  await restart();
});
