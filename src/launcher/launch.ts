import { fork, type ChildProcess } from 'node:child_process';
import { LauncherPolicy, type LauncherAction, type LauncherEvent, type Urls } from './launcher-policy.js';

/** A program to start. */
export interface App {
  readonly name: string;
  /** The path of its main file. */
  readonly main: string;
  /** Environment variables for it, where the environment does not set them. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** A program lets its requests finish for 10 s after a signal; one that runs longer hangs. */
const KILL_AFTER_MS = 15_000;

interface ReadyMessage {
  readonly type: 'ready';
  readonly urls: Urls;
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && (message as { type?: unknown }).type === 'ready';
}

/**
 * Starts the programs as child processes and supervises them (see {@link LauncherPolicy}). Exits with the exit code that the policy
 * returns. A child reports that it is ready by the IPC message `{type: 'ready', urls}`.
 *
 * @param announce - called once, when all programs are ready
 */
export function launch(apps: readonly App[], announce: (urls: ReadonlyMap<string, Urls>) => void): void {
  const policy = new LauncherPolicy(apps.map(({ name }) => name));
  const children = new Map<string, ChildProcess>();

  function act(action: LauncherAction): void {
    switch (action.type) {
      case 'announce':
        announce(action.urls);
        return;
      case 'report':
        console.error(`${action.app} ${action.how}.`);
        return;
      case 'end':
        end(children.get(action.app), action.signal);
        return;
      case 'exit':
        process.exit(action.code);
    }
  }

  function end(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
    child?.kill(signal);
    setTimeout(() => child?.kill('SIGKILL'), KILL_AFTER_MS).unref();
  }

  function handle(event: LauncherEvent): void {
    for (const action of policy.on(event)) act(action);
  }

  for (const { name, main, defaults } of apps) {
    const child = fork(main, { env: { ...defaults, ...process.env }, stdio: 'inherit' });
    children.set(name, child);
    child.on('message', (message) => {
      if (isReady(message)) handle({ type: 'ready', app: name, urls: message.urls });
    });
    child.on('error', (error) => {
      console.error(`${name} could not be started: ${error.message}`);
    });
    child.on('exit', (code, signal) => {
      handle({ type: 'exited', app: name, code, signal });
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      handle({ type: 'signal', signal });
    });
  }
  // The terminal was closed. proxy-client reloads on SIGHUP, so the programs get SIGTERM.
  process.on('SIGHUP', () => {
    handle({ type: 'signal', signal: 'SIGTERM' });
  });
}
