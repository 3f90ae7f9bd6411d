import type { ProxyLog } from '../failure/failure-reporter.js';
import { notify } from './proxied-command.js';

/** A log for a person who runs a command: lines in words, and warnings only, because the terminal belongs to the command. */
export const TERMINAL_LOG: ProxyLog = { debug: ignore, info: ignore, warn, error: warn };

function ignore(): void {
  // Only warnings are shown.
}

function warn(fields: object, message: string): void {
  notify(describeWarning(fields, message));
}

/** Returns a warning in words. A question is described by its message; an error is described by its own. */
export function describeWarning(fields: object, message: string): string {
  if ('err' in fields) return `${message}: ${fields.err instanceof Error ? fields.err.message : String(fields.err)}`;
  return 'ask' in fields ? message : `${message} ${JSON.stringify(fields)}`;
}
