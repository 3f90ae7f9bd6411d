import type { Grant as GrantStatus } from '../../admin/api/gate.responses.js';
import { formatAuthority, type Target } from '../../http/authority.js';
import { formatAddress, LOOPBACK_NAME, Networks, readHost } from '../rules/addresses.js';
import { HostNames, readHostEntry } from '../rules/host-names.js';
import { type RouteQuery, type Rule, RuleList } from '../rules/rule.js';

/** The maximum number of grants at a time. */
export const MAX_GRANTS = 100;
/** The longest time that a grant may last: a day. */
export const LONGEST_GRANT_MS = 86_400_000;
const SHORTEST_GRANT_MS = 1000;

const ANY = '*';
const MAX_PORT = 65_535;

/** The host and port of a grant. The host is an entry of `hosts`: a name, `*.name` or an address. */
export interface GrantTarget {
  readonly host: string;
  readonly port: number;
}

/** Parses `HOST:PORT` of a grant, IPv6 in brackets; undefined if it is malformed, or `*`, which would allow every host. */
export function parseGrantTarget(text: string): GrantTarget | undefined {
  const [, given = '', digits = ''] = /^(\[[^\]]{1,300}\]|[^:]{1,300}):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (port < 1 || port > MAX_PORT) return undefined;
  const host = readHostEntry(given);
  return host === undefined || host === ANY ? undefined : { host, port };
}

/** Returns whether a grant may last this long, in milliseconds. */
export function isGrantDuration(milliseconds: number): boolean {
  return milliseconds >= SHORTEST_GRANT_MS && milliseconds <= LONGEST_GRANT_MS;
}

/**
 * Returns the `HOST:PORT` that allows a target and nothing else: an address in its usual form, whatever the spelling of the
 * request; a name as A-labels, so that look-alike letters are visible. Undefined for a name that no rule can contain.
 */
export function grantFor({ host, port }: Target): string | undefined {
  const { name, addresses } = readHost(host);
  // The last one is the address that a connection reaches: the others embed it.
  const last = LOOPBACK_NAME.test(name) ? undefined : addresses.at(-1);
  const text = formatAuthority({ host: last === undefined ? name : formatAddress(last), port });
  return parseGrantTarget(text) === undefined ? undefined : text;
}

/** A grant in force. */
interface Grant {
  readonly id: string;
  readonly grantTarget: GrantTarget;
  readonly rule: Rule;
  readonly since: number;
  /** The end by the wall clock, and by the monotonic clock: setting the time back must not prolong a grant. */
  readonly until: number;
  readonly deadline: number;
  readonly timer: NodeJS.Timeout;
  requests: number;
}

/** The events of grants. */
export interface GrantListener {
  /** A grant was added, or replaced by one with another end. `by`: the address of the client that requested it. */
  added(grant: GrantStatus, by: string): void;
  /**
   * A grant has ended; {@link Grants} no longer contains it.
   *
   * @param by - the address of the client that ended it; undefined: its time was over
   */
  ended(grant: GrantStatus, by: string | undefined): void;
}

/**
 * Permissions with an end, for targets that no rule matches under `default: reject`. A grant is a rule with one host and one
 * port, and is compared by the same code. It is in memory only: a restart ends it.
 */
export class Grants {
  readonly #listener: GrantListener;
  #grants: readonly Grant[] = [];
  #list = new RuleList([]);
  #lastId = 0;

  constructor(listener: GrantListener) {
    this.#listener = listener;
  }

  /**
   * Adds a grant; one for the same host and port is replaced.
   *
   * @param by - the address of the client that requests it
   * @returns undefined if there are too many
   */
  add(grantTarget: GrantTarget, milliseconds: number, by: string): GrantStatus | undefined {
    const replaced = this.#grants.find(
      (each) => each.grantTarget.host === grantTarget.host && each.grantTarget.port === grantTarget.port,
    );
    const others = this.#grants.filter((each) => each !== replaced);
    if (others.length >= MAX_GRANTS) return undefined;
    const since = Date.now();
    const id = replaced?.id ?? String((this.#lastId += 1));
    clearTimeout(replaced?.timer);
    const grant: Grant = {
      ...{ id, grantTarget, rule: ruleOf(grantTarget), since, until: since + milliseconds },
      deadline: performance.now() + milliseconds,
      timer: setTimeout(() => this.end(id), milliseconds).unref(),
      requests: replaced?.requests ?? 0,
    };
    this.#use([...others, grant]);
    this.#listener.added(statusOf(grant), by);
    return statusOf(grant);
  }

  /** Returns whether a grant in force covers a request, and counts it. */
  admit(query: RouteQuery): boolean {
    const grant = this.#find(query);
    if (grant !== undefined) grant.requests += 1;
    return grant !== undefined;
  }

  /** Returns whether a grant in force covers a request. */
  covers(query: RouteQuery): boolean {
    return this.#find(query) !== undefined;
  }

  /**
   * Ends a grant.
   *
   * @param by - the address of the client that ends it; absent: its time is over
   * @returns whether it existed
   */
  end(id: string, by?: string): boolean {
    const ended = this.#grants.find((each) => each.id === id);
    if (ended === undefined) return false;
    clearTimeout(ended.timer);
    this.#use(this.#grants.filter((each) => each !== ended));
    this.#listener.ended(statusOf(ended), by);
    return true;
  }

  /** Returns the grants in force, the next to end first. */
  list(): readonly GrantStatus[] {
    return this.#grants
      .filter(isInForce)
      .sort((a, b) => a.until - b.until)
      .map(statusOf);
  }

  /** Stops the timers, because the proxy closes. */
  close(): void {
    for (const { timer } of this.#grants) clearTimeout(timer);
    this.#use([]);
  }

  #find(query: RouteQuery): Grant | undefined {
    const grant = this.#grants[this.#list.firstFor(query)];
    // A timer may be late.
    return grant !== undefined && isInForce(grant) ? grant : undefined;
  }

  #use(grants: readonly Grant[]): void {
    this.#grants = grants;
    this.#list = new RuleList(grants.map(({ rule }) => rule));
  }
}

function isInForce({ until, deadline }: Grant): boolean {
  return Date.now() < until && performance.now() < deadline;
}

/** Returns the rule of a grant, as the configuration creates it from an entry of `hosts`. */
function ruleOf({ host, port }: GrantTarget): Rule {
  const networks = new Networks([host]);
  const hosts = new HostNames(networks.size === 0 ? [host] : []);
  return { hosts, ...(networks.size > 0 && { networks }), ports: [{ from: port, to: port }], to: '' };
}

function statusOf({ id, grantTarget, since, until, requests }: Grant): GrantStatus {
  return {
    id,
    target: formatAuthority(grantTarget),
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    requests,
  };
}
