import { type DynamicModule, Module } from '@nestjs/common';
import { Logger, PinoLogger } from 'nestjs-pino';
import type { Logger as Pino } from 'pino';
import { PROGRAM_LOG, type ProgramLog } from '#logging';

/** The program's log. There is no logger per request: a child logger costs more than a read. */
@Module({})
export class LoggingModule {
  static register(log: ProgramLog): DynamicModule {
    const providers = [{ provide: PROGRAM_LOG, useValue: log }];
    return { module: LoggingModule, global: true, providers, exports: [PROGRAM_LOG] };
  }
}

/** Writes Nest's own messages to the program's log; its list of modules and routes (`log`) at debug level. */
export class NestLogger extends Logger {
  constructor(logger: Pino) {
    super(new PinoLogger({ pinoHttp: { logger } }), {});
  }

  override log(message: unknown, ...context: unknown[]): void {
    this.debug(message, ...context);
  }
}
