import { ApiFailure } from '../api/failure.ts';
import { faultsOf, type Faults } from './field-faults.ts';
import { WriteKey } from './write-key.ts';

const NO_FAULTS: Faults = { fields: {}, whole: '' };

/** What happens to a form: it is sent, once at a time, and what the API finds wrong is put where it belongs. */
export class Submission {
  isSending = $state(false);
  faults = $state.raw(NO_FAULTS);
  /** The last refusal, until it is sent again. */
  failure = $state.raw<ApiFailure>();
  readonly #key = new WriteKey();
  readonly #fields: readonly string[];

  /** @param fields - of the form, by the names that the API gives them */
  constructor(fields: readonly string[]) {
    this.#fields = fields;
  }

  /**
   * Makes a write that may be sent again until it is confirmed.
   * @param write - all that makes it the write it is
   * @param send - sends it under a key
   * @returns undefined when it was refused, or is on its way already
   */
  async send<Result>(write: unknown, send: (key: string) => Promise<Result>): Promise<Result | undefined> {
    if (this.isSending) return undefined;
    this.isSending = true;
    try {
      const result = await send(this.#key.for(write));
      this.#key.renew();
      this.failure = undefined;
      this.faults = NO_FAULTS;
      return result;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      this.failure = error;
      this.faults =
        error.code === 'LEDGER.ASSET_EXISTS'
          ? { fields: { id: error.message }, whole: '' }
          : faultsOf(error.message, this.#fields);
      return undefined;
    } finally {
      this.isSending = false;
    }
  }
}

/** Brings the cursor to the first field that is wrong, each time that the form has been refused. */
export function focusFault(submission: Submission, form: HTMLElement): void {
  $effect(() => {
    if (submission.failure !== undefined) form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}
