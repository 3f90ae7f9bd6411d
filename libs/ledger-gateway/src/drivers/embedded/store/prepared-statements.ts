import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { REPAIR } from './record-digest.js';
import { storeFailure } from './store-failure.js';

/** A row with its columns in order. */
export type Row = readonly unknown[];

/** Prepares a statement that returns rows as arrays. */
export function prepareRows(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** Statements of one connection by name, each prepared at its first use. Rows are returned as arrays. */
export class PreparedStatements<Name extends string> {
  readonly #db: DatabaseSync;
  readonly #sql: Readonly<Record<Name, string>>;
  readonly #statements = new Map<Name, StatementSync>();

  constructor(db: DatabaseSync, sql: Readonly<Record<Name, string>>) {
    this.#db = db;
    this.#sql = sql;
  }

  /**
   * Returns the first row, or undefined when there is none.
   * @param what - is read, for the error
   */
  get(name: Name, what: string, ...values: readonly SQLInputValue[]): Row | undefined {
    try {
      return this.#statement(name).get(...values) as unknown as Row | undefined;
    } catch (error) {
      throw readFailure(error, what);
    }
  }

  /** Returns all rows. */
  all(name: Name, what: string, ...values: readonly SQLInputValue[]): Row[] {
    try {
      return this.#statement(name).all(...values) as unknown as Row[];
    } catch (error) {
      throw readFailure(error, what);
    }
  }

  #statement(name: Name): StatementSync {
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      statement = prepareRows(this.#db, this.#sql[name]);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}

/** An error that is not SQLite's own concerns an integer that JavaScript cannot represent; none is ever written. */
function readFailure(error: unknown, what: string): Error {
  const failure = storeFailure(error, what);
  if (failure instanceof LedgerError) return failure;
  return new LedgerError('LEDGER.DAMAGED', `${what} contains an impossible value: ${REPAIR}`, { cause: error });
}
