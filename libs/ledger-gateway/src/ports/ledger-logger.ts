/** Where a driver tells what an operator should know; pino's loggers fit. */
export interface LedgerLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
