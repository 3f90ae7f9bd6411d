import { getSystemErrorMessage } from 'node:util';
import { CommanderError, type Command } from 'commander';
import { surviveClosedOutput } from '#logging';

/** Exit codes of the tools: success, a failure, and a wrong command line. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** The codes of errors in the command line itself. */
const USAGE_CODES: ReadonlySet<unknown> = new Set(['LEDGER_TOOL.USAGE', 'LEDGER_API.INVALID_CALLER']);

/**
 * Runs the command line of this process. A command with another exit code than success or failure sets it itself.
 * @param name - of the program, which precedes each line about an error
 * @param program - its commands, which were added after `exitOverride()`
 * @param messageOf - returns the line for the user about an expected error; undefined for another one
 */
export async function runTool(name: string, program: Command, messageOf = ledgerMessage): Promise<void> {
  surviveClosedOutput(name);
  nameErrors(program, name);
  try {
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
      return;
    }
    const message = messageOf(error) ?? systemMessage(error);
    if (message === undefined) throw error;
    for (const line of message.split('\n')) notify(`${name}: ${line}`);
    process.exitCode ??= USAGE_CODES.has((error as NodeJS.ErrnoException).code) ? EXIT.usage : EXIT.failed;
  }
}

/** Makes the errors of commander begin with the name of the program, as all others do. */
function nameErrors(command: Command, name: string): void {
  command.configureOutput({
    outputError: (text, write) => {
      write(text.replace(/^(error: )?/, `${name}: `));
    },
  });
  for (const child of command.commands) nameErrors(child, name);
}

/** The errors of the ledger, of ledger-api and of the tools have a code, and are one line for the user. */
function ledgerMessage(error: unknown): string | undefined {
  const { code, message } = error as Error & { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('LEDGER') ? message : undefined;
}

/** What to do about a failed system call, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Check the owner and the permissions.',
  EADDRINUSE: 'Use another port.',
  EDQUOT: 'Free space, then try again.',
  EISDIR: 'Name a file, not a directory.',
  ENOENT: 'Check the path.',
  ENOSPC: 'Free space, then try again.',
  ENOTDIR: 'Check the path.',
  EPERM: 'Check the owner and the permissions.',
  EROFS: 'Check the owner and the permissions.',
};

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
}

/** Returns the line about a failed system call, such as a write to a full disk; undefined for another error. */
function systemMessage(error: unknown): string | undefined {
  const { code = '', errno, syscall, path, address, port } = error as SystemError;
  if (errno === undefined || syscall === undefined) return undefined;
  const place = path ?? (address === undefined ? '' : `${address}:${port}`);
  const line = `${`${syscall} ${place}`.trim()} failed: ${reasonOf(error as Error)}.`;
  return [line, ADVICE[code] ?? ''].join(' ').trim();
}

/** Returns why something failed, as a part of a sentence: the message of an error, or that of its system call alone. */
export function reasonOf(error: Error): string {
  const { code, errno, message } = error as SystemError;
  return errno === undefined || code === undefined ? message : `${getSystemErrorMessage(errno)} (${code})`;
}

/** Prints a line of the result. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a line that is not part of the result. */
export function notify(line: string): void {
  process.stderr.write(`${line}\n`);
}
