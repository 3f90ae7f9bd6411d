import pino, { type Logger } from 'pino';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';

/**
 * Makes the logger: one line for people on a terminal, JSON elsewhere; both on standard output.
 *
 * @param terminal - whether standard output is a terminal
 */
export async function createLogger(level: ProxyClientConfig['logLevel'], terminal: boolean): Promise<Logger> {
  const options = { name: 'proxy-client', level };
  if (!terminal) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(
    options,
    pretty({ ignore: 'pid,hostname,name', translateTime: 'SYS:HH:MM:ss.l', singleLine: true, sync: true }),
  );
}
