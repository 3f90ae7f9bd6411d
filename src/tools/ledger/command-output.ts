import { InvalidArgumentError } from 'commander';
import type * as implementation from './implementation.js';

/** Loads the implementation of the commands. */
export const loadImplementation = (): Promise<typeof implementation> => import('./implementation.js');

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result. */
export function notify(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Parses an option's value with a function that is loaded later than the command line is read. */
export function parseOption<T>(flag: string, text: string | undefined, parse: (text: string) => T): T | undefined {
  if (text === undefined) return undefined;
  try {
    return parse(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `error: option '${flag}' argument '${text}' is invalid. ${(error as Error).message}`,
    );
  }
}
