import { readFileSync } from 'node:fs';
import { reasonIn } from './run-command.js';

/** The line of a log that tells best what went wrong. */
export function lastLineOf(file: string): string {
  try {
    return reasonIn(readFileSync(file, 'utf8').slice(-8192));
  } catch {
    return '(it cannot be read)';
  }
}
