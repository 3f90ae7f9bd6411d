/** Where a driver tells what an operator should know; pino's loggers fit. */
export interface DriverLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
