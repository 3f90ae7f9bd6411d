import { ApiFailure } from '../api/client.ts';
import { fieldErrors, IdempotencyKey, type FormErrors } from './form-requests.ts';

const NO_ERRORS: FormErrors = { fields: {}, form: '' };

/** The submission of a form: sends one request at a time, and assigns the errors to the fields. */
export class Submission {
  isSending = $state(false);
  errors = $state.raw(NO_ERRORS);
  /** The failure of the last attempt. */
  failure = $state.raw<ApiFailure>();
  readonly #key = new IdempotencyKey();
  readonly #fields: readonly string[];

  /** @param fields - the names of the form's fields in the API */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
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
      this.errors = NO_ERRORS;
      return result;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.failure = error;
      this.errors =
        error.code === 'LEDGER.ASSET_EXISTS'
          ? { fields: { id: error.message }, form: '' }
          : fieldErrors(error.message, this.#fields);
      return undefined;
    } finally {
      this.isSending = false;
    }
  }
}

/** The confirmation of a write, shown on the next page. */
class Confirmation {
  text = $state('');
  transaction = $state('');
  #isNew = false;

  show(text: string, transaction: string): void {
    this.text = text;
    this.transaction = transaction;
    this.#isNew = true;
  }

  /** Clears a confirmation that was already shown. Called on each navigation. */
  onNavigate(): void {
    if (this.#isNew) this.#isNew = false;
    else this.text = '';
  }
}

export const confirmation = new Confirmation();
