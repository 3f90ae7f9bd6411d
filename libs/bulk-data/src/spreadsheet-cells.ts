/** Spreadsheets execute a cell that begins so as a formula (CSV injection); full-width characters are the same to some. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Returns a text as a cell that no spreadsheet executes: an apostrophe precedes a formula. Apostrophes that the text itself has
 * there are preceded by one as well, so that {@link fromSpreadsheetCell} restores every text.
 */
export function toSpreadsheetCell(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

/** Returns the text of a cell that {@link toSpreadsheetCell} made. */
export function fromSpreadsheetCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
