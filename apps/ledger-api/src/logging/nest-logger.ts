import { Logger, PinoLogger } from 'nestjs-pino';
import type { Logger as Pino } from 'pino';

/** Nest's own messages on the app's logger; its account of modules and routes, which it calls `log`, is for debugging. */
export class NestLogger extends Logger {
  constructor(logger: Pino) {
    super(new PinoLogger({ pinoHttp: { logger } }), {});
  }

  override log(message: unknown, ...context: unknown[]): void {
    this.debug(message, ...context);
  }
}
