import type { StoredDocument } from './record.dto.js';

/** Columns that each record has. */
const FACTS = ['id', 'version'];
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
 * member with the name of another column is `document.NAME`. Texts, numbers and truth values are as they are, all else is JSON.
 */
export function recordTable(schema: unknown): RecordTable {
  const { properties } = (typeof schema === 'object' && schema !== null ? schema : {}) as { properties?: object };
  const names = Object.keys(properties ?? {});
  if (names.length === 0) {
    return {
      columns: [...FACTS, WHOLE],
      row: ({ id, version, document }) => ({ id, version, [WHOLE]: JSON.stringify(document) }),
    };
  }
  const columns = names.map((name) => ({ name, column: FACTS.includes(name) ? `${WHOLE}.${name}` : name }));
  return {
    columns: [...FACTS, ...columns.map(({ column }) => column)],
    row({ id, version, document }) {
      const members = membersOf(document);
      const cells = columns.flatMap(({ name, column }) => {
        const value = members.get(name);
        return value === undefined ? [] : [[column, cellOf(value)] as const];
      });
      return { ...Object.fromEntries(cells), id, version };
    },
  };
}

function membersOf(document: unknown): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(typeof document === 'object' && document !== null ? document : {}));
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}
