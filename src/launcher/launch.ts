import { fork, type ChildProcess } from 'node:child_process';
import { LauncherPolicy, type LauncherAction, type LauncherEvent, type Urls } from './launcher-policy.js';

/** A program to run beside the others. */
export interface AppToLaunch {
  readonly name: string;
  /** Path of its built main file. */
  readonly main: string;
  readonly arguments: readonly string[];
  /** Set for it only where the environment has nothing of that name. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** The apps let requests finish for 10 s; what still runs after this is stuck. */
const KILL_AFTER_MS = 15_000;

interface ReadyMessage {
  readonly type: 'ready';
  readonly urls: Urls;
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && (message as { type?: unknown }).type === 'ready';
}

/**
 * Starts the programs as child processes and keeps them together (see {@link LauncherPolicy}); ends this process with
 * the exit code that the policy gives. A child tells that it is ready by the IPC message `{type: 'ready', urls}`.
 */
export function launch(apps: readonly AppToLaunch[], announce: (urls: ReadonlyMap<string, Urls>) => void): void {
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

  function on(event: LauncherEvent): void {
    for (const action of policy.on(event)) act(action);
  }

  for (const app of apps) {
    const child = fork(app.main, app.arguments, { env: { ...app.defaults, ...process.env }, stdio: 'inherit' });
    children.set(app.name, child);
    child.on('message', (message) => {
      if (isReady(message)) on({ type: 'ready', app: app.name, urls: message.urls });
    });
    child.on('error', (error) => {
      console.error(`${app.name} could not be started: ${error.message}`);
    });
    child.on('exit', (code, signal) => {
      on({ type: 'exited', app: app.name, code, signal });
    });
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      on({ type: 'signal', signal });
    });
  }
  // The terminal was closed: the programs have got that signal too, or are to end like it.
  process.on('SIGHUP', () => {
    on({ type: 'signal', signal: 'SIGTERM' });
  });
}
