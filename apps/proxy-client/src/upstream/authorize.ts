import type { Target } from '../http/authority.js';
import type { RouteClient } from '../rules/rule.js';

export type Decision = 'allow' | 'authentication_busy';

/** The one decision on whether a client may reach a target, taken before any dial. */
export type Authorize = (client: RouteClient, target: Target) => Decision;

/** Everyone who reaches the listener may use it: what tests replace. */
export const allowEveryone: Authorize = () => 'allow';
