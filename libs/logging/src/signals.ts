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

/**
 * The signals at which a program shuts down, and logs which one it was. SIGQUIT is Ctrl-\ in a terminal; SIGXCPU is sent at the
 * limit of CPU time (setrlimit), some time before SIGKILL.
 */
export const ENDING_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGXCPU'] as const;

/**
 * The signals that are ignored. At SIGUSR1 Node would open its debugger: anyone who reaches its port can execute code in the
 * program. After SIGXFSZ a write fails with an error, which is handled like that of a full disk. The others would exit the program
 * without a log line. SIGPROF is missing: V8's profiler uses it.
 */
const IGNORED: readonly NodeJS.Signals[] = [
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGIO',
  'SIGPIPE',
  'SIGPWR',
  'SIGSTKFLT',
  'SIGXFSZ',
];

/** Ignores the signals that have no meaning for a program. */
export function ignoreOtherSignals(): void {
  for (const signal of IGNORED) process.on(signal, () => undefined);
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
