import { CommanderError, type Command } from 'commander';
import { surviveClosedOutput } from '#logging';

/** Exit codes of the tools: success, a failure, and a wrong command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/**
 * Runs the command line of this process. A command with another exit code than success or failure sets it itself.
 * @param program - its commands, which were added after `exitOverride()`
 * @param messageOf - returns the line for the user about an expected error; undefined for another one
 */
export async function runTool(name: string, program: Command, messageOf = ledgerMessage): Promise<void> {
  surviveClosedOutput(name);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const message = messageOf(error);
    if (message === undefined) throw error;
    notify(message);
    process.exitCode ??= EXIT.failed;
  }
}

/** The errors of the ledger, of ledger-api and of the tools have a code, and are one line for the user. */
function ledgerMessage(error: unknown): string | undefined {
  const { code, message } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('LEDGER') ? message : undefined;
}

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result. */
export function notify(line: string): void {
  process.stderr.write(`${line}\n`);
}
