import type { Asks } from './asks.js';
import type { Denials } from './denials.js';
import type { Grants } from './grants.js';

/** The permissions, refusals and open questions of a proxy, which outlast a reload. */
export interface Gate {
  readonly asks: Asks;
  readonly grants: Grants;
  readonly denials: Denials;
}
