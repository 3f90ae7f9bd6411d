export { BodyLines, deadlineOf, failLines, LINE_LIMITS, type BodyLine, type LineLimits } from './body-lines.js';
export { GrowingBuffer } from './growing-buffer.js';
export { fromSpreadsheetCell, toSpreadsheetCell } from './spreadsheet-cells.js';
