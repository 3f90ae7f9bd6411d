import pino, { type Logger } from 'pino';
import type { LogLevel } from '../config/ledger-api.environment.js';

/** Lines for people on a terminal, JSON elsewhere. */
export async function createLogger(level: LogLevel): Promise<Logger> {
  const options = { name: 'ledger-api', level };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty({ ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss.l', sync: true }));
}
