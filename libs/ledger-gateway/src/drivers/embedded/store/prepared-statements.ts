import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { storeFailure } from './store-failure.js';

export type Row = readonly unknown[];

/** What a damaged record's error advises. */
export const REPAIR =
  'run "npm run ledger -- verify", then restore a backup, or rebuild when only what follows from the blocks is damaged.';

/** Statements of one connection by their names, prepared when they are first used; rows come as arrays. */
export class PreparedStatements<Name extends string> {
  readonly #db: DatabaseSync;
  readonly #sql: Readonly<Record<Name, string>>;
  readonly #statements = new Map<Name, StatementSync>();

  constructor(db: DatabaseSync, sql: Readonly<Record<Name, string>>) {
    this.#db = db;
    this.#sql = sql;
  }

  /**
   * The first row, or undefined when there is none.
   * @param what - what is read, for the error
   */
  get(name: Name, what: string, ...values: readonly SQLInputValue[]): Row | undefined {
    try {
      return this.#statement(name).get(...values) as unknown as Row | undefined;
    } catch (error) {
      throw readFailure(error, what);
    }
  }

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
      statement = this.#db.prepare(this.#sql[name]);
      statement.setReturnArrays(true);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}

/** An error that is not SQLite's own is about a number that JavaScript cannot hold: none such was ever written. */
function readFailure(error: unknown, what: string): Error {
  const failure = storeFailure(error, what);
  if (failure instanceof LedgerError) return failure;
  return new LedgerError('LEDGER.DAMAGED', `${what} holds a value that was never written: ${REPAIR}`, { cause: error });
}
