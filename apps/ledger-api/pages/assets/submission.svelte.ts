import { ApiFailure } from '../api/client.ts';
import { fieldErrors, IdempotencyKey, type FormErrors } from './form-requests.ts';

const NO_ERRORS: FormErrors = { fields: {}, form: '' };

/** The values of a form, and their submission: one request at a time, whose errors are assigned to the fields. */
export class Submission<Name extends string = never> {
  values: Record<Name, string>;
  /** The values that someone else has written since the form was opened. */
  changedByOthers = $state<Partial<Record<Name, string>>>({});
  isSending = $state(false);
  /** The failure of the last attempt. */
  failure = $state.raw<ApiFailure>();
  readonly errors = $derived(this.failure === undefined ? NO_ERRORS : this.#errorsOf(this.failure));
  /** The names of the fields shown, in the API. */
  readonly fields: readonly Name[];
  readonly #key = new IdempotencyKey();
  readonly #initial: Readonly<Record<Name, string>>;

  constructor(values: Record<Name, string>, fields: readonly Name[]) {
    this.#initial = { ...values };
    this.values = $state(values);
    this.fields = fields;
  }

  /** Returns the values that differ from those at first; undefined if none does. */
  edited(): Partial<Record<Name, string>> | undefined {
    const names = this.fields.filter((name) => this.values[name] !== this.#initial[name]);
    if (names.length === 0) return undefined;
    return Object.fromEntries(names.map((name) => [name, this.values[name]])) as Partial<Record<Name, string>>;
  }

  /**
   * Sends a write. Sending it again after a failure repeats the same write.
   * @param write - identifies the write: its content and condition
   * @param send - sends it with an idempotency key
   * @returns undefined if it failed, or another one is in flight
   */
  async send<Result>(write: unknown, send: (key: string) => Promise<Result>): Promise<Result | undefined> {
    if (this.isSending) return undefined;
    this.isSending = true;
    try {
      const result = await send(this.#key.for(write));
      this.#key.renew();
      this.failure = undefined;
      return result;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.failure = error;
      return undefined;
    } finally {
      this.isSending = false;
    }
  }

  #errorsOf({ code, message }: ApiFailure): FormErrors {
    if (code === 'LEDGER.ASSET_EXISTS') return { fields: { id: message }, form: '' };
    return fieldErrors(message, this.fields);
  }
}

/** The confirmation of a write. */
class Confirmation {
  text = $state('');
  transaction = $state('');
  #isNew = false;

  /** @param page - the next page, to which the write leads, or the present one */
  show(text: string, transaction: string, page: 'next' | 'present' = 'next'): void {
    this.text = text;
    this.transaction = transaction;
    this.#isNew = page === 'next';
  }

  /** Clears a confirmation that was already shown. Called on each navigation. */
  onNavigate(): void {
    if (this.#isNew) this.#isNew = false;
    else this.text = '';
  }
}

export const confirmation = new Confirmation();
