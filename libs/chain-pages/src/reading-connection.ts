import type { DatabaseSync } from 'node:sqlite';

/**
 * A connection that only reads a store or an index. SQLite refuses its writes, and what writes does not accept this type: it needs
 * the whole connection, which only the writer of a file opens.
 */
export type ReadingConnection = Pick<DatabaseSync, 'close' | 'exec' | 'isOpen' | 'isTransaction' | 'prepare'>;
