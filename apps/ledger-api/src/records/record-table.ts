import type { RecordType, StoredDocument } from './record.dto.js';

/** Columns that each record has. */
const FACTS = ['id', 'version'];
const [STATE, DIGEST, SALT] = ['outside.state', 'outside.digest', 'outside.salt'];
/** Columns of a type with the payload outside. */
const OUTSIDE = [STATE, DIGEST, SALT];
const WHOLE = 'document';

type Cell = string | number | boolean;

/** Records of a type as a table. */
export interface RecordTable {
  readonly columns: readonly string[];
  /** Returns the cells of a record by their columns. */
  readonly row: (record: StoredDocument) => Readonly<Record<string, Cell>>;
}

/**
 * Returns the table of a type: a column for each member that its schema names at the top, or the whole document when it names none. A
 * member with the name of another column is `document.NAME`. Texts, numbers and truth values are as they are, all else is JSON. A type
 * with the payload outside has columns with the state, digest and salt of each document; one that is not stored has no other cells.
 */
export function recordTable({ schema, payload }: Pick<RecordType, 'schema' | 'payload'>): RecordTable {
  const { properties } = (typeof schema === 'object' && schema !== null ? schema : {}) as { properties?: object };
  const names = Object.keys(properties ?? {});
  const facts = payload === 'outside' ? [...FACTS, ...OUTSIDE] : FACTS;
  const columns = names.map((name) => ({ name, column: facts.includes(name) ? `${WHOLE}.${name}` : name }));
  return {
    columns: [...facts, ...(names.length === 0 ? [WHOLE] : columns.map(({ column }) => column))],
    row(record) {
      if (names.length === 0) return { ...factsOf(record), ...wholeOf(record) };
      const members = membersOf(record.document);
      const cells = columns.flatMap(({ name, column }) => {
        const value = members.get(name);
        return value === undefined ? [] : [[column, cellOf(value)] as const];
      });
      return { ...Object.fromEntries(cells), ...factsOf(record) };
    },
  };
}

/** Returns the cell of a whole document; none for one that is not stored. */
function wholeOf({ document, outside }: StoredDocument): Readonly<Record<string, Cell>> {
  return outside === undefined || outside.state === 'stored' ? { [WHOLE]: JSON.stringify(document) } : {};
}

function factsOf({ id, version, outside }: StoredDocument): Readonly<Record<string, Cell>> {
  if (outside === undefined) return { id, version };
  const { state, digest, salt } = outside;
  return { id, version, [STATE]: state, [DIGEST]: digest, [SALT]: salt ?? '' };
}

function membersOf(document: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(typeof document === 'object' && document !== null ? document : {}));
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}
