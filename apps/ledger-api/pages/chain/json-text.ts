/** A cell of a table of JSON objects: a string, or another value as its JSON text. */
export type JsonCell = { readonly text: string; readonly isString: boolean } | undefined;

/** A JSON array of flat objects. */
export interface JsonTable {
  readonly columns: readonly string[];
  /** The cells of each object, by the columns; undefined where it has no such member. */
  readonly rows: readonly (readonly JsonCell[])[];
}

/** More columns do not fit on a page. */
const MAX_COLUMNS = 8;
const INDENT = '  ';
/** Deeper lines have the same indentation, because that of millions of brackets would fill the memory. */
const MAX_INDENTS = 50;
/** A string, a sequence of other characters of a value, or a structural character. */
const TOKENS = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g;

/** Returns whether a text is a JSON object or array. */
export function isJsonStructure(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const opens = (token = ''): boolean => token === '{' || token === '[';
const closes = (token = ''): boolean => token === '}' || token === ']';

/**
 * Formats a JSON text in lines with indentation. Only white space between the tokens changes: members that appear twice, and
 * digits that a number of JavaScript would lose, are shown.
 * @param text - for which {@link isJsonStructure} is true
 */
export function jsonLines(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  const startLine = (): void => {
    lines.push(line);
    line = INDENT.repeat(Math.min(depth, MAX_INDENTS));
  };
  const tokens = text.match(TOKENS) ?? [];
  for (const [index, token] of tokens.entries()) {
    depth += Number(opens(token)) - Number(closes(token));
    if (closes(token) && !opens(tokens[index - 1])) startLine();
    line += token === ':' ? ': ' : token;
    if (token === ',' || (opens(token) && !closes(tokens[index + 1]))) startLine();
  }
  return [...lines, line];
}

/**
 * Parses a JSON text as a table.
 * @returns undefined for anything else than an array of flat objects, and for a text that parsing would change, because its
 * table would hide that: members that appear twice, or numbers with more digits
 */
export function jsonTable(text: string): JsonTable | undefined {
  if (!/^\s*\[/.test(text) || !isJsonStructure(text)) return undefined;
  const items = JSON.parse(text) as readonly unknown[];
  if (items.length === 0 || !items.every(isFlat)) return undefined;
  if ((text.match(TOKENS) ?? []).join('') !== JSON.stringify(items)) return undefined;
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (columns.length > MAX_COLUMNS) return undefined;
  const cellsOf = (item: Readonly<Record<string, unknown>>) =>
    columns.map((name) => (Object.hasOwn(item, name) ? cellOf(item[name]) : undefined));
  return { columns, rows: items.map(cellsOf) };
}

function isFlat(item: unknown): item is Readonly<Record<string, unknown>> {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return Object.values(item).every((value) => typeof value !== 'object' || value === null);
}

function cellOf(value: unknown): JsonCell {
  return typeof value === 'string' ? { text: value, isString: true } : { text: JSON.stringify(value), isString: false };
}
