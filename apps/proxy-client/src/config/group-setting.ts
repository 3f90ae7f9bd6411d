import type { Target } from '../http/authority.js';
import type { ConfigLocation } from './config-faults.js';
import { type Defaults, defaultsOf, key as keyOf, listOf, object, orOff, refine, titled } from './setting.js';
import { duration, oneOf, target, text } from './value-reader.js';

const SHORTEST_CHECK = 100;
const checkGroup = titled(
  'CheckOptions',
  'The health checks of a group.',
  object({
    every: keyOf(duration, 'The interval.', '10s'),
    target: keyOf(target, 'Also connects to this target, host:port; absent: a check ends after the authentication.'),
  }),
);
/** The health checks of a group; milliseconds. */
export type CheckConfig = Defaults<typeof checkGroup.shape> & { readonly target?: Target };
const DEFAULT_CHECK: CheckConfig = defaultsOf(checkGroup);

const check = orOff(
  refine(checkGroup, (read, location): CheckConfig => {
    if (read.every !== undefined && read.every < SHORTEST_CHECK) {
      location.child('every').report(`must be at least ${SHORTEST_CHECK}ms; check: off disables checks`);
    }
    return { ...DEFAULT_CHECK, ...read };
  }),
);

const pick = oneOf('failover', 'roundrobin', 'fastest');

export const groupOptions = titled(
  'GroupOptions',
  'Upstreams that replace one another.',
  object(
    {
      of: keyOf(listOf(text(64), 'a group needs a member'), 'The names of the members, in their order.'),
      pick: keyOf(pick, 'Which member is tried first: the first that works, each in turn, or the fastest.', 'failover'),
      check: keyOf(check, 'The health checks of the members.'),
    },
    'of',
  ),
);

/** Upstreams that replace one another. */
export interface GroupConfig {
  readonly kind: 'group';
  /** Names of upstreams that are not groups, or `direct`; each once. */
  readonly of: readonly string[];
  readonly pick: NonNullable<ReturnType<typeof pick>>;
  /** Absent: off. */
  readonly check?: CheckConfig;
}

/** Reads a group. */
export function readGroup(value: unknown, location: ConfigLocation): GroupConfig | undefined {
  const read = groupOptions(value, location);
  if (read === undefined) return undefined;
  const { of, pick = defaultsOf(groupOptions).pick, check: checked = DEFAULT_CHECK } = read;
  return { kind: 'group', of, pick, ...(checked !== 'off' && { check: checked }) };
}
