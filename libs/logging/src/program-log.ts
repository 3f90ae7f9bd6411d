import type { Logger } from 'pino';
import { LogDestination } from './log-destination.js';
import { standardOutput } from './log-sink.js';

/** The log of a program. */
export interface ProgramLog {
  readonly logger: Logger;
  /** Where its lines go; to be flushed before the program ends. */
  readonly destination: LogDestination;
}

/** What a program's log is injected by. It stands here, so that nobody has to know what the log is made from. */
export const PROGRAM_LOG = Symbol('ProgramLog');

/**
 * Makes the log of a program: one line for people on a terminal, JSON elsewhere; both on standard output.
 *
 * @param name - the program's
 */
export async function createProgramLog(name: string, level: string): Promise<ProgramLog> {
  // Tools that log nothing come by here too.
  const { pino } = await import('pino');
  const destination = new LogDestination(standardOutput());
  const logger = pino({ name, level }, process.stdout.isTTY ? await forPeople(destination) : destination);
  // Also when only errors are logged: somebody who reads the log must know that it has a hole.
  const always = logger.child({}, { level: 'warn' });
  destination.tellLosses((lines) => {
    always.warn({ lines }, 'lines of this log could not be written and are lost');
  });
  return { logger, destination };
}

async function forPeople(destination: LogDestination): Promise<{ write(line: string): void; flushSync(): void }> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    ignore: 'pid,hostname,name',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  });
  return {
    write: (line) => {
      destination.write(pretty(line));
    },
    flushSync: () => {
      destination.flushSync();
    },
  };
}

/**
 * Has the last lines written however the program ends. A fault that nobody has caught is logged and ends it with code 1:
 * its state is unknown.
 */
export function keepLastLines({ logger, destination }: ProgramLog): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'unexpected fault');
    process.exit(1);
  });
  process.on('exit', () => {
    destination.flushSync();
  });
}
