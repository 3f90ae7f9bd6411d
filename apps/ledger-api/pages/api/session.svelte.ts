import { Secret } from '#pages-kit';
import type { components } from '../../../../docs/openapi/ledger-api.js';

type Caller = components['schemas']['CallerAnswer'];
type Role = Caller['role'];

const ROLES: readonly Role[] = ['reader', 'writer', 'admin'];

/**
 * Who uses the page. The key is kept for as long as the tab is open, and for this tab only; it is sent in a header, never in
 * an address.
 */
class Session {
  readonly #kept = new Secret('ledger-api-key');
  /** Empty when there is none. */
  key = $state(this.#kept.value ?? '');
  /** Undefined until the API has said who calls, and after it has said that nobody does. */
  caller = $state.raw<Caller>();
  /** Why nobody is signed in, where there is more to say than that nobody is. */
  refusal = $state('');

  /** Whether the caller may do what needs a role. */
  may(role: Role): boolean {
    return this.caller !== undefined && ROLES.indexOf(this.caller.role) >= ROLES.indexOf(role);
  }

  /** @param caller - whom the API takes the key for */
  signIn(key: string, caller: Caller): void {
    this.#kept.value = key;
    this.key = key;
    this.caller = caller;
    this.refusal = '';
  }

  /** @param refusal - why, when it was the API that ended it */
  signOut(refusal = ''): void {
    this.#kept.value = undefined;
    this.key = '';
    this.caller = undefined;
    this.refusal = refusal;
  }
}

export const session = new Session();
