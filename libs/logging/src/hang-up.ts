import { closeSync, constants, openSync } from 'node:fs';

/** What a program does on SIGHUP. */
export interface HangupHandlers {
  /** The signal was sent by an operator or a service manager. */
  readonly reload: () => void;
  /** The terminal of the program was closed. */
  readonly close: () => void;
}

/**
 * Handles SIGHUP, whose default action would exit the program.
 * @returns a function that removes the handler
 */
export function onHangup({ reload, close }: HangupHandlers): () => void {
  const hadTerminal = hasTerminal();
  const handle = (): void => {
    // Windows sends SIGHUP only when the terminal is closed.
    if (process.platform === 'win32' || (hadTerminal && !hasTerminal())) close();
    else reload();
  };
  process.on('SIGHUP', handle);
  return () => {
    process.off('SIGHUP', handle);
  };
}

/** Ignores SIGUSR1, on which Node would open its debugger: anyone who reaches its port can execute code in the program. */
export function ignoreDebuggerSignal(): void {
  process.on('SIGUSR1', () => undefined);
}

/** Returns whether this process has a controlling terminal. After the terminal was closed, SIGHUP does not mean to reload. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}
