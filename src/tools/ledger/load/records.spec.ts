import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRecords, requireRecords, type RecordOptions } from './records.js';
import { ToolError } from '../../tool-error.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'records-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

async function recordsOf(name: string, content: string | Buffer, options: Partial<RecordOptions> = {}) {
  const { mapping = new Map(), numbersAsText = false } = options;
  const file = join(directory, name);
  writeFileSync(file, content);
  const records: (readonly [number, string])[] = [];
  for await (const { line, body } of readRecords(file, { mapping, numbersAsText }))
    records.push([line, body.toString()]);
  return records;
}

it('names the cells of a row by their columns, whatever their case, and ignores other columns', async () => {
  const csv = 'ID,Farbe,docType,Owner\ncar,blue,asset,Ana\n\nbike,red,asset,Ben,more,\n';
  expect(await recordsOf('cars.csv', csv, { mapping: new Map([['color', 'Farbe']]) })).toEqual([
    [2, '{"id":"car","color":"blue","owner":"Ana"}'],
    [4, '{"id":"bike","color":"red","owner":"Ben","column 5":"more"}'],
  ]);
});

it('ignores a delimiter at the end of a row', async () => {
  for (const header of ['id,color', 'id,color,'])
    expect(await recordsOf('trailing.csv', `${header}\ncar,blue,\n`)).toEqual([[2, '{"id":"car","color":"blue"}']]);
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
  ['semicolons', 'id;color\ncar;"a;b"\n'],
  ['tabs', 'id\tcolor\ncar\ta;b\n'],
  ['a line that specifies the delimiter', 'sep=;\r\nid;color\r\ncar;"a;b"'],
  ['a delimiter that only that line specifies', 'sep=|\nid|color\ncar|a;b'],
  ['blanks in the header', ' id , "color" \ncar,a;b'.replaceAll('"', '')],
  ['the encoding of Excel’s Unicode text', Buffer.from('\uFEFFid\tcolor\r\ncar\ta;b\r\n', 'utf16le')],
])('reads a table with %s', async (_, content) => {
  const [record, ...others] = await recordsOf('table.csv', content);
  expect(record?.[1]).toBe('{"id":"car","color":"a;b"}');
  expect(others).toEqual([]);
});

it('finds a mapped column with blanks, and counts the line that specifies the delimiter', async () => {
  const mapping: RecordOptions['mapping'] = new Map([['owner', ' Halter ']]);
  expect(await recordsOf('sep.tsv', 'sep=;\nid; Halter\na;"x\ny"\nb;z', { mapping })).toEqual([
    [3, '{"id":"a","owner":"x\\ny"}'],
    [5, '{"id":"b","owner":"z"}'],
  ]);
});

it('removes the apostrophes that the CSV of the API adds before formulas', async () => {
  expect(await recordsOf('export.csv', "id,size\na,'-300\nb,'＝1\nc,''-1\nd,'quoted'\n")).toEqual([
    [2, '{"id":"a","size":"-300"}'],
    [3, '{"id":"b","size":"＝1"}'],
    [4, '{"id":"c","size":"\'-1"}'],
    [5, '{"id":"d","size":"\'quoted\'"}'],
  ]);
});

it('turns numbers into the texts of the file if that is requested', async () => {
  const lines = '{"ID":"a","size":12345678901234567890}\n{"id":"b","size":1.50,"more":[1e3]}';
  expect(await recordsOf('numbers.ndjson', lines, { numbersAsText: true })).toEqual([
    [1, '{"id":"a","size":"12345678901234567890"}'],
    [2, '{"id":"b","size":"1.50","more":["1e3"]}'],
  ]);
  expect(await recordsOf('numbers.ndjson', '{"id":"a","size":1.50}')).toEqual([[1, '{"id":"a","size":1.50}']]);
});

it('reads the export of a DynamoDB table', async () => {
  const lines = [
    '{"Item":{"Id":{"S":"a"},"size":{"N":"5"},"tags":{"L":[]}}}',
    '{"Item":{"id":{"S":"b"},"size":{"L":[]}}}',
    '{"Item":"c","id":"c"}',
  ];
  expect(await recordsOf('export.json', lines.join('\n'))).toEqual([
    [1, '{"id":"a","size":"5"}'],
    [2, '{"id":"b","size":{"L":[]}}'],
    [3, '{"Item":"c","id":"c"}'],
  ]);
});

it.each([
  ['empty.csv', '', 'its first row must name the columns'],
  ['quote.csv', 'id\n"a', 'Line 2 is not valid CSV'],
  ['twice.csv', 'id,ID\na,b', 'has several columns for "id"'],
  ['text.txt', 'id', 'must be a .csv, .tsv or .ndjson file'],
  ['others.csv', 'a;b\n1;2', 'has no column with the name of a field'],
  ['array.json', '[{"id":"a"}]', 'must have one JSON object on each line'],
  ['pretty.json', '{\n  "id": "a"\n}', 'must have one JSON object on each line'],
  ['latin.csv', Buffer.from([0x69, 0x64, 0x0a, 0xe4, 0x0a]), 'is not UTF-8'],
  ['long.ndjson', 'x'.repeat(1024 * 1024 + 1), 'Line 1 of'],
])('refuses %s', async (name, content, message) => {
  const refused = recordsOf(name, content);
  await expect(refused).rejects.toThrow(ToolError);
  await expect(refused).rejects.toThrow(message);
});

it.each([
  ['bars.csv', 'a|b\n1|2', /no column with the name of a field\. Its columns are "a\|b"\. The fields are id, .* --map/],
  [
    'some.csv',
    'id,color,Halter\na,b,c',
    /no column for appraisedValue, owner, size\. Its columns are "id", "color", "Halter"/,
  ],
  ['header.csv', 'id,appraisedValue,color,owner,size\n', /header\.csv contains no records/],
  ['sep.csv', 'sep=;\nappraisedValue;color;owner;size\n\n', /sep\.csv contains no records/],
  ['nothing.csv', '', /is empty/],
  ['blank.csv', '\n\n', /is empty/],
  ['nothing.ndjson', '', /contains no records/],
  ['array.ndjson', '[{"id":"a"}]', /one JSON object on each line/],
  ['array.csv', '[{"id":"a","owner":"b"}]', /contains JSON, not CSV\..* jq -c/],
  ['lines.csv', '{"id":"a"}\n{"id":"b"}', /contains JSON, not CSV\. Name it \.ndjson/],
  ['page.csv', '<!DOCTYPE html><title>404</title>', /contains HTML or XML/],
  ['book.csv', Buffer.from('PK\u0003\u0004\u0000'), /is a workbook \(\.xlsx\) or a ZIP archive: save the sheet/],
  ['lines.ndjson', gzipSync('{}'), /is compressed by gzip: unpack it/],
  ['big.csv', Buffer.from([0xfe, 0xff, 0, 0x69]), /is UTF-16 with the high byte first/],
  ['utf16.ndjson', Buffer.from('\uFEFF{}', 'utf16le'), /is UTF-16: save it as UTF-8/],
  ['utf16.csv', Buffer.from('id,owner', 'utf16le'), /contains NUL bytes/],
  ['binary.ndjson', Buffer.alloc(9), /contains NUL bytes/],
  [
    'late.csv',
    `id,appraisedValue,color,owner,size\n${'a,1,c,o,s\n'.repeat(700)}b,1,"c,o,s\n${'d,1,c,o,s\n'.repeat(200)}`,
    /Line 702 is not valid CSV: a quoted cell of the row that begins there/,
  ],
])('defect: %s was refused record by record, after the connection to the server', async (name, content, message) => {
  const file = join(directory, name);
  writeFileSync(file, content);
  await expect(requireRecords(file, { mapping: new Map(), numbersAsText: false })).rejects.toThrow(message);
});

it.each([
  ['table.csv', 'appraisedValue|color|owner|size|Id|other\n1|b|c|2|d|e'],
  ['lines.ndjson', 'anything that the ledger refuses'],
])('accepts %s for a load', async (name, content) => {
  const file = join(directory, name);
  writeFileSync(file, content);
  await requireRecords(file, { mapping: new Map(), numbersAsText: false });
});
