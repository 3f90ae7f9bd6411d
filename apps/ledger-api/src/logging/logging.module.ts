import { Global, Module } from '@nestjs/common';
import { Logger, PinoLogger } from 'nestjs-pino';
import type { Logger as Pino } from 'pino';
import { PROGRAM_LOG, createProgramLog, type ProgramLog } from '#logging';
import { logConfig } from '../config/config.module.js';
import type { LedgerApiConfig } from '../config/config.js';

/** The program's log. There is none for each request: a child logger costs more than a read. */
@Global()
@Module({
  providers: [
    {
      provide: PROGRAM_LOG,
      inject: [logConfig.KEY],
      useFactory: ({ level }: LedgerApiConfig['log']): Promise<ProgramLog> => createProgramLog('ledger-api', level),
    },
  ],
  exports: [PROGRAM_LOG],
})
export class LoggingModule {}

/** Nest's own messages on the app's logger; its account of modules and routes, which it calls `log`, is for debugging. */
export class NestLogger extends Logger {
  constructor(logger: Pino) {
    super(new PinoLogger({ pinoHttp: { logger } }), {});
  }

  override log(message: unknown, ...context: unknown[]): void {
    this.debug(message, ...context);
  }
}
