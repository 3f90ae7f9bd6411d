import { fork, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** The addresses of a ready program, by names such as `http` or `docs`. */
type Urls = Readonly<Record<string, string>>;

/** A program to start. */
interface App {
  readonly name: string;
  /** The path of its main file. */
  readonly main: string;
  /** Environment variables for it, where the environment does not set them. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** A program lets its requests finish for 10 s after a signal; one that runs longer hangs. */
const KILL_AFTER_MS = 15_000;

/**
 * Runs programs as child processes: either all become ready or all are ended, every signal is passed on to each, and the first
 * program that exits unasked ends the others and determines the exit code. A program reports that it is ready by the IPC
 * message `{type: 'ready', urls}`; when all are, their addresses are printed.
 */
export function launch(apps: readonly App[]): void {
  const running = new Map<string, ChildProcess>();
  const urls = new Map<string, Urls>();
  let isEnding = false;
  let exitCode = 0;

  function end(signal: NodeJS.Signals): void {
    isEnding = true;
    for (const child of running.values()) {
      // Until its 'error' Node would signal a process number that was never set, which may be anybody's.
      if (child.pid === undefined) continue;
      child.kill(signal);
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    }
  }

  function onMessage(name: string, message: unknown): void {
    const { type, urls: addresses } = (message ?? {}) as { readonly type?: unknown; readonly urls: Urls };
    if (type !== 'ready') return;
    urls.set(name, addresses);
    if (urls.size === apps.length && !isEnding) console.log(welcome(urls));
  }

  function onExit(name: string, code: number | null, signal: NodeJS.Signals | null): void {
    running.delete(name);
    // As a shell reports it: 128 plus the number of the signal.
    exitCode ||= code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    if (!isEnding) {
      const how = signal === null ? `exited with code ${code ?? 0}` : `was killed by ${signal}`;
      console.error(`${name} ${how}${urls.has(name) ? '' : ' before it was ready'}.`);
      end('SIGTERM');
    }
    if (running.size === 0) process.exit(exitCode);
  }

  for (const { name, main, defaults } of apps) {
    const child = fork(main, { env: { ...defaults, ...process.env }, stdio: 'inherit' });
    running.set(name, child);
    child.on('message', onMessage.bind(undefined, name));
    child.on('exit', onExit.bind(undefined, name));
    child.on('error', (error) => {
      console.error(`${name} could not be started: ${error.message}`);
      // Without a process there is no 'exit'.
      if (child.pid === undefined) onExit(name, 1, null);
    });
  }
  process.on('SIGINT', end).on('SIGTERM', end);
  // The terminal was closed. proxy-client reloads on SIGHUP, so the programs get SIGTERM.
  process.on('SIGHUP', () => {
    end('SIGTERM');
  });
}

/** Returns the text that lists the addresses of all programs, ordered by name, and a curl command that uses both; its page needs no key. */
export function welcome(urls: ReadonlyMap<string, Urls>): string {
  const byName = [...urls].sort(([one], [other]) => one.localeCompare(other));
  const rows = byName.flatMap(([app, addresses]) =>
    Object.entries(addresses).map(([name, url], index) => [index === 0 ? app : '', name, url] as const),
  );
  const width = (column: 0 | 1): number => Math.max(...rows.map((row) => row[column].length));
  const lines = rows.map(([app, name, url]) => `  ${app.padEnd(width(0))}  ${name.padEnd(width(1))}  ${url}`);
  const [ledger, proxy] = [urls.get('ledger-api')?.['http'], urls.get('proxy-client')?.['proxy']];
  const example = ledger && proxy ? ['', 'Try it:', `  curl -x ${proxy} ${ledger}/health`] : [];
  return ['', 'Ready:', ...lines, ...example, '', 'Press Ctrl-C to stop both.', ''].join('\n');
}
