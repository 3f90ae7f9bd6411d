import { constants } from 'node:os';

/** The addresses of a ready program, by names such as `http` or `docs`. */
export type Urls = Readonly<Record<string, string>>;

/** An event of the launcher or of one of its programs. */
export type LauncherEvent =
  | { readonly type: 'ready'; readonly app: string; readonly urls: Urls }
  | {
      readonly type: 'exited';
      readonly app: string;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    }
  | { readonly type: 'signal'; readonly signal: NodeJS.Signals };

/** An action that the launcher takes in response. */
export type LauncherAction =
  | { readonly type: 'announce'; readonly urls: ReadonlyMap<string, Urls> }
  | { readonly type: 'end'; readonly app: string; readonly signal: NodeJS.Signals }
  | { readonly type: 'report'; readonly app: string; readonly how: string }
  | { readonly type: 'exit'; readonly code: number };

/** Returns the exit code that a shell reports: 128 plus the number of the signal for a program that a signal ended. */
function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}

/**
 * The supervision of programs that run together: either all become ready or all are ended, every signal is passed on to each, and the
 * first program that exits unasked ends the others and determines the exit code. Pure: events in, actions out.
 */
export class LauncherPolicy {
  readonly #running: Set<string>;
  readonly #urls = new Map<string, Urls>();
  #isEnding = false;
  #code = 0;

  constructor(apps: readonly string[]) {
    this.#running = new Set(apps);
  }

  /** Returns the actions that follow from an event. */
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
    return allReady && !this.#isEnding ? [{ type: 'announce', urls: this.#urls }] : [];
  }

  #onExited(app: string, code: number | null, signal: NodeJS.Signals | null): LauncherAction[] {
    this.#running.delete(app);
    const actions: LauncherAction[] = [];
    if (!this.#isEnding) {
      const how = signal ? `was killed by ${signal}` : `exited with code ${code ?? 0}`;
      actions.push({ type: 'report', app, how: this.#urls.has(app) ? how : `${how} before it was ready` });
    }
    if (this.#code === 0) this.#code = exitCode(code, signal);
    if (!this.#isEnding) actions.push(...this.#end('SIGTERM'));
    if (this.#running.size === 0) actions.push({ type: 'exit', code: this.#code });
    return actions;
  }

  #end(signal: NodeJS.Signals): LauncherAction[] {
    this.#isEnding = true;
    return [...this.#running].map((app) => ({ type: 'end', app, signal }));
  }
}
