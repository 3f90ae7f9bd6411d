import { formatAuthority } from '../http/authority.js';
import type { RouteQuery } from '../rules/rule.js';
import type { Upstream } from './upstream.js';
import type { UpstreamHealth } from './upstream-health.js';

/** One of a group. */
export interface GroupMember {
  readonly upstream: Upstream;
  /** Absent for this machine itself, which is always up. */
  readonly health?: UpstreamHealth | undefined;
}

/** Says which member of a group a request should take, if it works; it is asked anew for each, and may remember. */
export interface Pick {
  /**
   * @param members - those that may work, in the order of the configuration; at least one
   * @returns one of them
   */
  first(members: readonly GroupMember[], query: RouteQuery): GroupMember | undefined;
}

/** What a client asked for is remembered for so many pairs of client and target; then the oldest is forgotten. */
const MAX_REMEMBERED = 10_000;
/** Another member must take so much less of the time, and so many milliseconds less. */
const FASTER = 0.8;
const FASTER_MS = 5;

/** The first that works. */
export class Failover implements Pick {
  first([first]: readonly GroupMember[]): GroupMember | undefined {
    return first;
  }
}

/**
 * Each in turn, but a client's target stays where it was: many services end a session whose address changes. When its member
 * does not work it moves to another one, and stays there.
 */
export class RoundRobin implements Pick {
  readonly #remembered = new Map<string, Upstream>();
  #turn = 0;

  first(members: readonly GroupMember[], { target, client }: RouteQuery): GroupMember | undefined {
    const key = JSON.stringify([client.remoteAddress, client.user, formatAuthority(target).toLowerCase()]);
    const known = this.#remembered.get(key);
    const member = members.find(({ upstream }) => upstream === known) ?? this.#next(members);
    // The one that was asked for last is forgotten last.
    this.#remembered.delete(key);
    if (member !== undefined) this.#remembered.set(key, member.upstream);
    if (this.#remembered.size > MAX_REMEMBERED) this.#forgetOldest();
    return member;
  }

  #next(members: readonly GroupMember[]): GroupMember | undefined {
    const member = members[this.#turn % members.length];
    this.#turn += 1;
    return member;
  }

  #forgetOldest(): void {
    for (const oldest of this.#remembered.keys()) {
      this.#remembered.delete(oldest);
      return;
    }
  }
}

/**
 * The one that checks found the fastest. It stays until another one is clearly faster, so that two that are alike do not take
 * turns with every measurement.
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

/** What was never measured is slower than all that was; among such the order of the configuration holds. */
function latencyOf({ health }: GroupMember): number {
  return health?.latency ?? Number.MAX_SAFE_INTEGER;
}

function isFaster(one: GroupMember | undefined, other: GroupMember): boolean {
  if (one === undefined) return false;
  const [first, second] = [latencyOf(one), latencyOf(other)];
  return first < FASTER * second && first < second - FASTER_MS;
}
