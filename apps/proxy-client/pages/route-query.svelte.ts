import { readEvents } from '#pages-kit';
import { api, authorization, BASE, type CheckEnd, type CheckStep, type RouteExplanation } from './api.ts';
import { targetOf } from './route-target.ts';
import { ViewParameter } from './view.svelte.ts';

const UNREACHABLE = 'The proxy is unreachable.';

/** The question which way a request would go: the decision of the rules, and a check of that way. */
export class RouteQuery {
  readonly target = new ViewParameter<string>('route', '');
  readonly user = new ViewParameter<string>('route-user', '');
  explanation: RouteExplanation | undefined = $state.raw();
  steps: readonly CheckStep[] = $state.raw([]);
  /** The result of the check. */
  end: CheckEnd | undefined = $state.raw();
  isChecking = $state(false);
  error: string | undefined = $state();
  #check = new AbortController();

  /** Asks for the decision of the rules, which opens no connection. */
  async explain(): Promise<void> {
    this.reset();
    const { signal } = this.#check;
    try {
      const { data, response, error } = await api.GET('/explain', { params: { query: this.#query }, signal });
      if (signal.aborted) return;
      this.explanation = data;
      if (!response.ok) this.error = await textOf(response, error);
    } catch {
      if (!signal.aborted) this.error = UNREACHABLE;
    }
  }

  /** Checks the way step by step, as the proxy reports the steps. */
  async check(): Promise<void> {
    await this.explain();
    if (this.explanation === undefined) return;
    const { signal } = this.#check;
    this.isChecking = true;
    try {
      const url = `${BASE}/check?${new URLSearchParams(this.#query).toString()}`;
      const response = await fetch(url, { method: 'POST', headers: authorization(), signal });
      if (response.ok && response.body !== null) await this.#read(response.body, signal);
      else this.error = await textOf(response, undefined);
    } catch {
      if (!signal.aborted) this.error = UNREACHABLE;
    }
    if (!signal.aborted) this.isChecking = false;
  }

  /** Removes the answer, and aborts a check. */
  reset(): void {
    this.#check.abort();
    this.#check = new AbortController();
    [this.explanation, this.end, this.error, this.steps] = [undefined, undefined, undefined, []];
    this.isChecking = false;
  }

  async #read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    for await (const { event, data = '' } of readEvents(body)) {
      if (signal.aborted) return;
      if (event === 'step') this.steps = [...this.steps, JSON.parse(data) as CheckStep];
      if (event === 'end') this.end = JSON.parse(data) as CheckEnd;
    }
    if (this.end === undefined) this.error = 'The check was interrupted.';
  }

  get #query(): { readonly target: string; readonly user?: string } {
    const user = this.user.value.trim();
    return { target: targetOf(this.target.value), ...(user !== '' && { user }) };
  }
}

/** Returns the text of a refusal. */
async function textOf(response: Response, parsed: unknown): Promise<string> {
  const text = typeof parsed === 'string' ? parsed : response.bodyUsed ? '' : await response.text();
  return text.trim() === '' ? `The proxy responded with status ${response.status}.` : text.trim();
}
