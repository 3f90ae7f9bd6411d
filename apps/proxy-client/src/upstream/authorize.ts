import type { Target } from '../http/authority.js';

/** Who asks. */
export interface Client {
  readonly remoteAddress?: string | undefined;
}

export type Decision = 'allow' | 'forbidden' | 'authentication_required';

/** The one decision on whether a client may reach a target, taken before any dial. */
export type Authorize = (client: Client, target: Target) => Decision;

/** Everyone who reaches the listener may use it: the place for users and access lists to come. */
export const allowEveryone: Authorize = () => 'allow';
