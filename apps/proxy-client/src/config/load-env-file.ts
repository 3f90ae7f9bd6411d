import { existsSync } from 'node:fs';
import { ConfigError } from './config-error.js';

/**
 * Reads `.env` of the working directory, if it is there, into the environment; a variable that is set already stays.
 *
 * @throws {@link ConfigError} when the file cannot be read
 */
export function loadEnvFile(): void {
  if (!existsSync('.env')) return;
  try {
    process.loadEnvFile('.env');
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new ConfigError([{ source: '.env', problem: `cannot be read (${code})` }]);
  }
}
