/** Token of the opened ledger; services ask for it, controllers never do. */
export const LEDGER = Symbol('Ledger');
