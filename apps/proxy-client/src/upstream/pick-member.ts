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

/** Selects the member of a group that a request should try first. It may remember earlier requests. */
export interface Pick {
  /**
   * @param members - those that work, in the order of the configuration; at least one
   * @returns one of them
   */
  first(members: readonly GroupMember[], query: RouteQuery): GroupMember | undefined;
}

/** The maximum number of remembered pairs of client and target; beyond it the least recently used is dropped (LRU). */
const MAX_REMEMBERED = 10_000;
/** Another member must take less than this part of the time, and at least this many milliseconds less. */
const FASTER = 0.8;
const FASTER_MS = 5;

/** Selects the first that works. */
export class Failover implements Pick {
  first([first]: readonly GroupMember[]): GroupMember | undefined {
    return first;
  }
}

/**
 * Selects each in turn, but keeps a client's target on one member: many services end a session when its address changes. When
 * the member does not work, the target moves to another one and stays there.
 */
export class RoundRobin implements Pick {
  readonly #remembered = new Map<string, Upstream>();
  #turn = 0;

  first(members: readonly GroupMember[], { target, client }: RouteQuery): GroupMember | undefined {
    const key = JSON.stringify([client.remoteAddress, client.user, formatAuthority(target).toLowerCase()]);
    const known = this.#remembered.get(key);
    const member = members.find(({ upstream }) => upstream === known) ?? this.#next(members);
    // A Map iterates in insertion order: re-inserting makes this the most recently used.
    this.#remembered.delete(key);
    if (member !== undefined) this.#remembered.set(key, member.upstream);
    if (this.#remembered.size > MAX_REMEMBERED) this.#dropOldest();
    return member;
  }

  #next(members: readonly GroupMember[]): GroupMember | undefined {
    const member = members[this.#turn % members.length];
    this.#turn += 1;
    return member;
  }

  #dropOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

/**
 * Selects the one with the lowest latency in checks. It stays until another one is clearly faster, so that similar members do
 * not alternate with every measurement.
 */
export class Fastest implements Pick {
  #current: Upstream | undefined;

  first(members: readonly GroupMember[]): GroupMember | undefined {
    const current = members.find(({ upstream }) => upstream === this.#current);
    const [fastest] = [...members].sort((a, b) => latencyOf(a) - latencyOf(b));
    const chosen = current === undefined || isFaster(fastest, current) ? fastest : current;
    this.#current = chosen?.upstream;
    return chosen;
  }
}

/** Members without a measurement are the slowest; among them the order of the configuration applies. */
function latencyOf({ health }: GroupMember): number {
  return health?.latency ?? Number.MAX_SAFE_INTEGER;
}

function isFaster(one: GroupMember | undefined, other: GroupMember): boolean {
  if (one === undefined) return false;
  const [first, second] = [latencyOf(one), latencyOf(other)];
  return first < FASTER * second && first < second - FASTER_MS;
}
