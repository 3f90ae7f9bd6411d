import type { Target } from '../../http/authority.js';
import type { HostList } from './host-list.js';
import type { HostNames } from './host-names.js';
import { isNameOfMachine } from './machine-names.js';
import { areLocal } from './own-addresses.js';
import { readHost, readName, type HostReading, type Networks } from './addresses.js';

/** The client of a request. Its address is read only if a rule needs it, since that is a system call. */
export interface RouteClient {
  readonly remoteAddress?: string | undefined;
  /** The authenticated user; absent if the listener requires no authentication. */
  readonly user?: string | undefined;
}

/** The input of a routing decision. */
export interface RouteQuery {
  readonly target: Target;
  readonly client: RouteClient;
  /** The listener, if it names the upstream itself: that of a tunnel. */
  readonly listener?: { readonly via?: string | undefined } | undefined;
}

/** A range of ports, both ends included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * One rule, as data. It matches if the host is one of `hosts` or in one of `networks` (where either is present), and the port
 * and the user are among those that are listed. A rule without conditions matches every request.
 */
export interface Rule {
  readonly hosts?: HostNames;
  readonly networks?: Networks;
  readonly ports?: readonly PortRange[];
  readonly users?: readonly string[];
  /** The name of an upstream, `direct` or `reject`. */
  readonly to: string;
}

/** Returns the lists of rules, in their order. */
export function listsOf({ rules }: { readonly rules: readonly Rule[] }): readonly HostList[] {
  return rules.flatMap(({ hosts }) => hosts?.lists ?? []);
}

/** The destination of rules that refuse requests. */
export const REJECT = 'reject';
/** The destination of rules that let requests wait for the answer of a person. */
export const ASK = 'ask';

/** The number of list entries that are shown. */
const SHOWN = 4;

/** Returns the conditions and the destination of a rule as text, of bounded length. */
export function describeRule({ hosts, networks, ports = [], users = [], to }: Rule): string {
  const ranges = ports.map(({ from, to: last }) => (from === last ? String(from) : `${from}-${last}`));
  const lists: readonly SizedList[] = [
    sized('hosts', hosts),
    sized('lists', namesOfLists(hosts)),
    sized('networks', networks),
    ['ports', ranges, ranges.length],
    ['users', users, users.length],
  ];
  const parts = lists.flatMap(([key, list, size]) => (size === 0 ? [] : [`${key} ${shorten(list, size)}`]));
  return `${parts.join(', ') || 'everything'} to ${to}`;
}

type SizedList = readonly [key: string, list: Iterable<string>, size: number];

function sized(key: string, list?: Iterable<string> & { readonly size: number }): SizedList {
  return list === undefined ? [key, [], 0] : [key, list, list.size];
}

function namesOfLists(hosts?: HostNames): ReadonlySet<string> {
  return new Set(hosts?.lists.map(({ config }) => config.name));
}

/** Lists may have 100,000 entries, so only the first ones are read. */
function shorten(list: Iterable<string>, size: number): string {
  const shown: string[] = [];
  for (const each of list) {
    if (shown.length === SHOWN) return `${shown.join(' ')} and ${size - SHOWN} more`;
    shown.push(each);
  }
  return shown.join(' ');
}

/** An ordered list of rules, of which the first match applies. */
export class RuleList {
  readonly #rules: readonly Rule[];
  readonly #isGate: boolean;

  /**
   * @param isGate - whether requests that match no rule are refused: then local addresses, this machine's included, and names of the
   *   machine match only rules that name them, and rules that reject
   */
  constructor(rules: readonly Rule[], isGate = false) {
    this.#rules = rules;
    this.#isGate = isGate;
  }

  /** @returns the index of the first rule that matches, or -1 */
  firstFor(query: RouteQuery): number {
    return this.#first(query, undefined);
  }

  /**
   * Returns the first match for a resolved address of the target, which is compared in addition to the name.
   *
   * @returns also whether the address is in one of the rule's networks
   */
  firstForAddress(query: RouteQuery, address: string): { readonly index: number; readonly isNamed: boolean } {
    const host = { name: readName(query.target.host), addresses: readHost(address).addresses };
    const index = this.#first(query, host);
    const rule = this.#rules[index];
    return { index, isNamed: rule !== undefined && isInNetworks(rule, host.addresses) };
  }

  /** @param known - the target's host in canonical form, if it is known */
  #first({ target, client }: RouteQuery, known: HostReading | undefined): number {
    // Parsed at most once, whatever the number of rules.
    let host = known;
    return this.#rules.findIndex((rule) => {
      if (!matchesPort(rule, target.port) || !matchesUser(rule, client.user)) return false;
      if (rule.hosts === undefined && rule.networks === undefined && !this.#isGate) return true;
      host ??= readHost(target.host);
      return matchesHost(rule, host) && (!this.#isGate || rule.to === REJECT || mayReach(rule, host));
    });
  }
}

function matchesPort({ ports }: Rule, port: number): boolean {
  return ports === undefined || ports.some(({ from, to }) => port >= from && port <= to);
}

function matchesUser({ users }: Rule, user: string | undefined): boolean {
  return users === undefined || (user !== undefined && users.includes(user));
}

/** Returns whether a rule of a gate names the host, or the host is neither a local address nor a name of the machine that resolves it. */
function mayReach(rule: Rule, { name, addresses }: HostReading): boolean {
  if (rule.hosts?.names(name) === true || isInNetworks(rule, addresses)) return true;
  return !areLocal(addresses) && !isNameOfMachine(name);
}

function matchesHost(rule: Rule, { name, addresses }: HostReading): boolean {
  const { hosts, networks } = rule;
  if ((hosts === undefined && networks === undefined) || hosts?.has(name) === true) return true;
  return isInNetworks(rule, addresses);
}

function isInNetworks({ hosts, networks }: Rule, addresses: HostReading['addresses']): boolean {
  return addresses.some((address) => networks?.has(address) === true || hosts?.hasAddress(address) === true);
}
