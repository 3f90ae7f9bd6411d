/** Where a ready program can be reached: a name such as `http` or `docs` to its URL. */
export type Urls = Readonly<Record<string, string>>;

/** What the launcher sees. */
export type LauncherEvent =
  | { readonly type: 'ready'; readonly app: string; readonly urls: Urls }
  | {
      readonly type: 'exited';
      readonly app: string;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals };

/** What the launcher then does. */
export type LauncherAction =
  | { readonly type: 'announce'; readonly urls: ReadonlyMap<string, Urls> }
  | { readonly type: 'end'; readonly app: string; readonly signal: NodeJS.Signals }
  | { readonly type: 'report'; readonly app: string; readonly how: string }
  | { readonly type: 'exit'; readonly code: number };

/** Exit code of a program that ended by a signal, as shells give it (128 + number of the signal). */
const SIGNAL_NUMBERS: Readonly<Partial<Record<NodeJS.Signals, number>>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
};

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + ((signal && SIGNAL_NUMBERS[signal]) ?? 0);
}

/**
 * Decides for several programs that live and end together: all are ready or none stays, a signal reaches each, and the
 * first that dies by itself takes the others along and gives the exit code. Pure: events in, actions out.
 */
export class LauncherPolicy {
  readonly #running: Set<string>;
  readonly #urls = new Map<string, Urls>();
  #ending = false;
  #code = 0;

  constructor(apps: readonly string[]) {
    this.#running = new Set(apps);
  }

  on(event: LauncherEvent): LauncherAction[] {
    switch (event.type) {
      case 'ready':
        return this.#onReady(event.app, event.urls);
      case 'signal':
        return this.#end(event.signal);
      case 'exited':
        return this.#onExited(event.app, event.code, event.signal);
    }
  }

  #onReady(app: string, urls: Urls): LauncherAction[] {
    this.#urls.set(app, urls);
    const allReady = [...this.#running].every((name) => this.#urls.has(name));
    return allReady && !this.#ending ? [{ type: 'announce', urls: this.#urls }] : [];
  }

  #onExited(app: string, code: number | null, signal: NodeJS.Signals | null): LauncherAction[] {
    this.#running.delete(app);
    const actions: LauncherAction[] = [];
    if (!this.#ending) {
      const how = signal ? `was ended by ${signal}` : `ended with code ${code ?? 0}`;
      actions.push({ type: 'report', app, how: this.#urls.has(app) ? how : `${how} before it was ready` });
    }
    if (this.#code === 0) this.#code = exitCode(code, signal);
    actions.push(...(this.#ending ? [] : this.#end('SIGTERM')));
    if (this.#running.size === 0) actions.push({ type: 'exit', code: this.#code });
    return actions;
  }

  /** Every signal is passed on: a program takes a second one as it sees fit. */
  #end(signal: NodeJS.Signals): LauncherAction[] {
    this.#ending = true;
    return [...this.#running].map((app) => ({ type: 'end', app, signal }));
  }
}
