import fc from 'fast-check';
import { fromSpreadsheetCell, toSpreadsheetCell } from './spreadsheet-cells.js';

it.each([
  ['-300', "'-300"],
  ['＝1', "'＝1"],
  ["'-300", "''-300"],
  ["''=1", "'''=1"],
  ["'quoted'", "'quoted'"],
  ['', ''],
])('makes %j the cell %j', (text, cell) => {
  expect(toSpreadsheetCell(text)).toBe(cell);
  expect(fromSpreadsheetCell(cell)).toBe(text);
});

it('restores every text, and makes no cell that is a formula', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '=', '-', '\t', '＝', 'a', ' ') });
  fc.assert(
    fc.property(text, (value) => {
      const cell = toSpreadsheetCell(value);
      expect(fromSpreadsheetCell(cell)).toBe(value);
      expect(cell).not.toMatch(/^[=+\-@\t\r\n＝]/);
    }),
  );
});
