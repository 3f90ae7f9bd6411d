import { createHook } from 'node:async_hooks';
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
 * without a log line.
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

/** The real-time signals of Linux, apart from the two that its C library uses itself. */
const REAL_TIME = { first: 34, last: 64 } as const;

/** Ignores the signals that have no meaning for a program. */
export function ignoreOtherSignals(): void {
  const handles: object[] = [];
  const hook = createHook({
    init(_id, type, _trigger, resource: object) {
      if (type === 'SIGNALWRAP') handles.push(resource);
    },
  }).enable();
  for (const signal of IGNORED) process.on(signal, ignore);
  hook.disable();
  if (!isProfiled()) process.on('SIGPROF', ignore);
  if (process.platform === 'linux') ignoreRealTimeSignals(handles[0]?.constructor as SignalHandleClass | undefined);
}

function ignore(): void {
  // A handler replaces the default action, which would exit the program.
}

/** Returns whether V8's profiler was started with the program. It uses SIGPROF, and a handler would end the profile. */
function isProfiled(): boolean {
  // eslint-disable-next-line no-restricted-properties
  const options = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].join(' ');
  return /--(?:cpu-prof|prof)\b/.test(options);
}

/** A native handler of one signal. */
interface SignalHandle {
  onsignal: () => void;
  /** Lets the process exit while the handle is active. */
  unref(): void;
  start(signal: number): number;
}

interface SignalHandleClass {
  new (): SignalHandle;
  readonly prototype: Partial<SignalHandle>;
}

/**
 * Ignores the real-time signals. Node has no names for them, so that `process.on` does not accept them.
 *
 * @param Handle - the class of the handles that Node creates for other signals, which is undocumented. Without it the default action,
 *   to exit, stays.
 */
function ignoreRealTimeSignals(Handle: SignalHandleClass | undefined): void {
  if (typeof Handle?.prototype.start !== 'function') return;
  for (let signal: number = REAL_TIME.first; signal <= REAL_TIME.last; signal += 1) {
    const handle = new Handle();
    handle.onsignal = ignore;
    handle.unref();
    handle.start(signal);
  }
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
