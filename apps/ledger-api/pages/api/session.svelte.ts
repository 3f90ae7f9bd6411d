import { Secret } from '#pages-kit';
import type { components } from '../../../../docs/openapi/ledger-api.js';

type Caller = components['schemas']['CallerAnswer'];
type Role = NonNullable<Caller['role']>;

const ROLES: readonly Role[] = ['reader', 'writer', 'admin'];

/**
 * The signed-in caller. The key is stored for this tab only, and sent in a header, never in a URL. New tabs of the explorer get
 * it from a signed-in tab, and signing out ends the sessions of all tabs.
 */
class Session {
  readonly #stored = new Secret('ledger-api-key');
  /** Whether the server ended the session, rather than the user. */
  hasExpired = false;
  /** Empty if there is none. */
  key = $state(this.#stored.value ?? '');
  /** Undefined until the API has identified the caller, and after signing out. */
  caller = $state.raw<Caller>();
  /** Why the session ended without a press of “Sign out” in this tab; empty otherwise. */
  signOutReason = $state('');

  constructor() {
    this.#stored.share(
      () => this.caller !== undefined,
      () => {
        if (this.key !== '') this.onEnded('You have signed out in another tab.');
      },
    );
  }

  /** Returns whether the caller has a role or a higher one on the default channel. */
  has(role: Role): boolean {
    const own = this.caller?.role;
    return own !== undefined && ROLES.indexOf(own) >= ROLES.indexOf(role);
  }

  /** Returns the role on a channel, or on the default one if the name is empty; undefined without one. */
  roleOn(channel: string): Role | undefined {
    return this.caller?.channels?.find(({ channel: name }) => name === channel)?.role ?? this.caller?.role;
  }

  /** Returns whether the caller has a role or a higher one on a channel, or on the default one if the name is empty. */
  hasOn(channel: string, role: Role): boolean {
    const own = this.roleOn(channel);
    return own !== undefined && ROLES.indexOf(own) >= ROLES.indexOf(role);
  }

  signIn(key: string, caller: Caller): void {
    this.#stored.value = key;
    this.key = key;
    this.caller = caller;
    this.signOutReason = '';
    this.hasExpired = false;
  }

  /** Gets the key from another tab. @returns whether one is signed in */
  async requestKey(): Promise<boolean> {
    this.key = (await this.#stored.request()) ?? '';
    return this.key !== '';
  }

  /** Signs out in all tabs. */
  signOut(): void {
    this.#stored.end();
    this.onEnded('');
  }

  /** Ends the session of this tab, because the server no longer accepts its key. @param reason - shown to the user */
  expire(reason: string): void {
    this.hasExpired = true;
    this.onEnded(reason);
  }

  /** Ends the session of this tab. @param reason - shown to the user */
  onEnded(reason: string): void {
    this.#stored.value = undefined;
    this.key = '';
    this.caller = undefined;
    this.signOutReason = reason;
  }
}

export const session = new Session();
