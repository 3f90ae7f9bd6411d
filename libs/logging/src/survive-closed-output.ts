/** Of a pipe and of a socket. */
const READER_HAS_GONE = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Lets a tool come to its end when what it prints cannot be written. A reader that has gone (`… | head -1`) has seen
 * enough: the tool does what it was asked for and ends with the code of that. Where output is lost otherwise, such as on
 * a full disk, it says so, and ends with code 1 at least.
 *
 * @param name - the tool's
 */
export function surviveClosedOutput(name: string): void {
  let hasLost = false;
  // There is nowhere to say that.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    if (READER_HAS_GONE.has(code) || hasLost) return;
    hasLost = true;
    process.stderr.write(`${name}: the output could not be written (${code}).\n`);
    process.once('exit', (exitCode) => {
      process.exitCode = exitCode === 0 ? 1 : exitCode;
    });
  });
}
