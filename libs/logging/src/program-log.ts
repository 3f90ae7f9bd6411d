import { close, open } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';
import { LogDestination, standardOutput, type LogOutput } from './log-destination.js';

/** The log of a program. */
export interface ProgramLog {
  readonly logger: Logger;
  /** The output of its lines, to be flushed before the program exits. */
  readonly destination: LogDestination;
}

/** The injection token of a program's log. */
export const PROGRAM_LOG = Symbol('ProgramLog');

/**
 * Creates the log of a program on standard output: readable lines on a terminal, JSON elsewhere.
 *
 * @param name - the program's name
 * @param output - instead of standard output, in JSON
 */
export async function createProgramLog(name: string, level: string, output?: LogOutput): Promise<ProgramLog> {
  // Loaded here because tools that log nothing import this module too.
  const { pino } = await import('pino');
  const destination = new LogDestination(output ?? standardOutput());
  const logger = pino(
    { name, level },
    output === undefined && process.stdout.isTTY ? await readableLines(destination) : destination,
  );
  // Losses are reported at every log level: a reader must know that lines are missing.
  const reporter = logger.child({}, { level: 'warn' });
  destination.reportLosses((lines) => {
    reporter.warn({ lines }, 'log lines could not be written and are lost');
  });
  return { logger, destination };
}

async function readableLines(destination: LogDestination): Promise<{ write(line: string): void; flushSync(): void }> {
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    // The message of a ready program contains its addresses.
    ignore: 'pid,hostname,explorer,http,https,docs,proxy,admin,network',
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

/** Writes the last lines however the program exits. Logs an uncaught exception and exits with 1, since its state is unknown. */
export function flushLogOnExit({ logger, destination }: ProgramLog): void {
  process.on('uncaughtException', (err) => {
    logger.fatal({ err }, 'uncaught exception');
    process.exit(1);
  });
  process.on('exit', () => {
    destination.flushSync();
  });
}

const PROBE_INTERVAL_MS = 1000;
/** The interval at which the warning is repeated. */
const WARNING_INTERVAL_MS = 10_000;
/** EMFILE: the limit of this process; ENFILE: the limit of the machine. */
const NO_DESCRIPTOR = new Set(['EMFILE', 'ENFILE']);

/**
 * Warns while no file descriptor is available. libuv then accepts connections and closes them at once without reporting it.
 *
 * @returns a function that stops the checks
 */
export function watchFileLimit(log: Pick<Logger, 'warn' | 'info'>): () => void {
  let warnedAt = -WARNING_INTERVAL_MS;
  let isExhausted = false;
  const timer = setInterval(() => {
    open(devNull, (error, fd) => {
      if (!error) close(fd);
      if (error !== null && NO_DESCRIPTOR.has(error.code ?? '')) {
        const now = performance.now();
        if (now - warnedAt < WARNING_INTERVAL_MS) return;
        warnedAt = now;
        isExhausted = true;
        log.warn({ code: error.code }, 'no file descriptor is available: new connections are closed (see ulimit -n)');
      } else if (isExhausted) {
        isExhausted = false;
        log.info({}, 'file descriptors are available again: connections are accepted');
      }
    });
  }, PROBE_INTERVAL_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

/** Errors of a pipe or socket whose reader has closed. */
const READER_CLOSED = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Lets a command-line tool finish when its output cannot be written. A closed reader (`… | head -1`) has seen enough: the
 * tool completes with its own exit code. Other errors, such as a full disk, are reported and make the exit code at least 1.
 *
 * @param name - the tool's name
 */
export function surviveClosedOutput(name: string): void {
  let hasFailed = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    if (READER_CLOSED.has(code) || hasFailed) return;
    hasFailed = true;
    process.stderr.write(`${name}: the output could not be written (${code}).\n`);
    process.once('exit', (exitCode) => {
      process.exitCode = exitCode === 0 ? 1 : exitCode;
    });
  });
}
