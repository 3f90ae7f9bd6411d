import { Global, Module } from '@nestjs/common';
import { Logger, PinoLogger } from 'nestjs-pino';
import type { Logger as Pino } from 'pino';
import type { LedgerApiConfig } from '#ledger-config';
import { createProgramLog, PROGRAM_LOG, type ProgramLog } from '#logging';
import { logConfig } from '../config/config.module.js';

/** The program's log. There is no logger per request: a child logger costs more than a read. */
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

/** Writes Nest's own messages to the program's log; its list of modules and routes (`log`) at debug level. */
export class NestLogger extends Logger {
  constructor(logger: Pino) {
    super(new PinoLogger({ pinoHttp: { logger } }), {});
  }

  override log(message: unknown, ...context: unknown[]): void {
    this.debug(message, ...context);
  }
}
