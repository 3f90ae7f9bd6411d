import { Secret } from '#pages-kit';
import type { components } from '../../../../docs/openapi/ledger-api.js';

type Caller = components['schemas']['CallerAnswer'];
type Role = Caller['role'];

const ROLES: readonly Role[] = ['reader', 'writer', 'admin'];

/** The signed-in caller. The key is stored for this tab only, and sent in a header, never in a URL. */
class Session {
  readonly #stored = new Secret('ledger-api-key');
  /** Empty if there is none. */
  key = $state(this.#stored.value ?? '');
  /** Undefined until the API has identified the caller, and after signing out. */
  caller = $state.raw<Caller>();
  /** Why the API ended the session; empty otherwise. */
  signOutReason = $state('');

  /** Returns whether the caller has a role or a higher one. */
  has(role: Role): boolean {
    return this.caller !== undefined && ROLES.indexOf(this.caller.role) >= ROLES.indexOf(role);
  }

  signIn(key: string, caller: Caller): void {
    this.#stored.value = key;
    this.key = key;
    this.caller = caller;
    this.signOutReason = '';
  }

  /** @param reason - given by the API if it ended the session */
  signOut(reason = ''): void {
    this.#stored.value = undefined;
    this.key = '';
    this.caller = undefined;
    this.signOutReason = reason;
  }
}

export const session = new Session();
