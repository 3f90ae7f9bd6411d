import type { GroupConfig } from '../config/proxy-client-config.js';
import { formatAuthority } from '../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import type { Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** A member of a group. */
export interface GroupMember {
  readonly upstream: Upstream;
  /** Absent for `direct`, which is always up. */
  readonly health?: UpstreamHealth | undefined;
}

/**
 * Selects the member of a group that a request should try first. It may remember earlier requests.
 *
 * @param members - those that work, in the order of the configuration; at least one
 */
export type Pick = (members: readonly GroupMember[], query: RouteQuery) => GroupMember | undefined;

/** The maximum number of remembered pairs of client and target; beyond it the least recently used is dropped (LRU). */
const MAX_REMEMBERED = 10_000;
/** Another member must take less than this part of the time, and at least this many milliseconds less. */
const FASTER = 0.8;
const FASTER_MS = 5;

/** Creates the selection of each group. */
export const PICKS: Readonly<Record<GroupConfig['pick'], () => Pick>> = {
  /** Selects the first that works. */
  failover: () => (members) => members[0],
  roundrobin: roundRobin,
  fastest,
};

/**
 * Selects each in turn, but keeps a client's target on one member: many services end a session when its address changes. When
 * the member does not work, the target moves to another one and stays there.
 */
function roundRobin(): Pick {
  const remembered = new Map<string, Upstream | undefined>();
  let turn = 0;
  return (members, { target, client }) => {
    const key = JSON.stringify([client.remoteAddress, client.user, formatAuthority(target).toLowerCase()]);
    const known = remembered.get(key);
    const member = members.find(({ upstream }) => upstream === known) ?? members[turn++ % members.length];
    // A Map iterates in insertion order: re-inserting makes this the most recently used.
    remembered.delete(key);
    remembered.set(key, member?.upstream);
    const [oldest = key] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED) remembered.delete(oldest);
    return member;
  };
}

/**
 * Selects the one with the lowest latency in checks. It stays until another one is clearly faster, so that similar members do
 * not alternate with every measurement.
 */
function fastest(): Pick {
  let latest: Upstream | undefined;
  return (members) => {
    const current = members.find(({ upstream }) => upstream === latest);
    const [first] = members.toSorted((a, b) => latencyOf(a) - latencyOf(b));
    const limit = latencyOf(current);
    const isClearlyFaster = latencyOf(first) < Math.min(FASTER * limit, limit - FASTER_MS);
    const chosen = current === undefined || isClearlyFaster ? first : current;
    latest = chosen?.upstream;
    return chosen;
  };
}

/** Members without a measurement are the slowest; among them the order of the configuration applies. */
function latencyOf(member: GroupMember | undefined): number {
  return member?.health?.latency ?? Number.MAX_SAFE_INTEGER;
}
