import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoadError } from './csv.js';
import { readRecords, type Field } from './records.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'records-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function recordsOf(name: string, content: string | Buffer, mapping = new Map<Field, string>()) {
  const file = join(directory, name);
  writeFileSync(file, content);
  const records: (readonly [number, string])[] = [];
  for await (const { line, body } of readRecords(file, mapping)) records.push([line, body.toString()]);
  return records;
}

it('names the cells of a row by their columns, whatever their case, and ignores other columns', async () => {
  const csv = 'ID,Farbe,docType,Owner\ncar,blue,asset,Ana\n\nbike,red,asset,Ben,more\n';
  expect(await recordsOf('cars.csv', csv, new Map([['color', 'Farbe']]))).toEqual([
    [2, '{"id":"car","color":"blue","owner":"Ana"}'],
    [4, '{"id":"bike","color":"red","owner":"Ben","column 5":"more"}'],
  ]);
});

it('renames the members of objects, and leaves every other line to the ledger', async () => {
  const lines = '{"ID":"car","size":"5"}\nno json\n[]\n{"id":"bike"}';
  expect(await recordsOf('cars.ndjson', lines)).toEqual([
    [1, '{"id":"car","size":"5"}'],
    [2, 'no json'],
    [3, '[]'],
    [4, '{"id":"bike"}'],
  ]);
});

it.each([
  ['empty.csv', '', 'its first row must name the columns'],
  ['quote.csv', 'id\n"a', 'Line 2 is not valid CSV'],
  ['twice.csv', 'id,ID\na,b', 'has several columns for "id"'],
  ['text.txt', 'id', 'must be a .csv or .ndjson file'],
  ['latin.csv', Buffer.from([0x69, 0x64, 0x0a, 0xe4, 0x0a]), 'is not UTF-8'],
  ['long.ndjson', 'x'.repeat(1024 * 1024 + 1), 'Line 1 of'],
])('refuses %s', async (name, content, message) => {
  const refused = recordsOf(name, content);
  await expect(refused).rejects.toThrow(LoadError);
  await expect(refused).rejects.toThrow(message);
});
