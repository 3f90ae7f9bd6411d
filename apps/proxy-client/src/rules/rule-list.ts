import type { HostNames } from './host-names.js';
import { readHost, readName, type HostReading } from './host-reading.js';
import type { Networks } from './networks.js';
import type { PortRange, RouteQuery, Rule } from './rule.js';

/** A rule, made to be asked; what is absent is no condition. */
interface Condition {
  /** Undefined as {@link Condition.networks} is: any host fits. */
  readonly names: HostNames | undefined;
  readonly networks: Networks | undefined;
  readonly ports: readonly PortRange[] | undefined;
  readonly users: ReadonlySet<string> | undefined;
}

/** Rules in their order, of which the first that fits holds. */
export class RuleList {
  readonly #conditions: readonly Condition[];

  constructor(rules: readonly Rule[]) {
    this.#conditions = rules.map(({ hosts, networks, ports, users }) => ({
      names: hosts,
      networks,
      ports,
      users: users && new Set(users),
    }));
  }

  /** @returns the index of the first rule that fits, or -1 */
  firstFor(query: RouteQuery): number {
    return this.#first(query, undefined);
  }

  /**
   * The same for an address that the target's name was resolved to, which counts beside the name.
   *
   * @returns also whether it is a network of the rule that it lies in
   */
  firstForAddress(query: RouteQuery, address: string): { readonly index: number; readonly isNamed: boolean } {
    const host = { name: readName(query.target.host), addresses: readHost(address).addresses };
    const index = this.#first(query, host);
    const networks = this.#conditions[index]?.networks;
    return { index, isNamed: networks !== undefined && host.addresses.some((each) => networks.has(each)) };
  }

  /** @param known - what the target's host is, if that is known */
  #first({ target, client }: RouteQuery, known: HostReading | undefined): number {
    // Read once, however many rules there are.
    let host = known;
    return this.#conditions.findIndex((condition) => {
      if (!fitsPort(condition, target.port) || !fitsUser(condition, client.user)) return false;
      if (condition.names === undefined && condition.networks === undefined) return true;
      host ??= readHost(target.host);
      return fitsHost(condition, host);
    });
  }
}

function fitsPort({ ports }: Condition, port: number): boolean {
  return ports === undefined || ports.some(({ from, to }) => port >= from && port <= to);
}

function fitsUser({ users }: Condition, user: string | undefined): boolean {
  return users === undefined || (user !== undefined && users.has(user));
}

function fitsHost({ names, networks }: Condition, { name, addresses }: HostReading): boolean {
  if (names?.has(name) === true) return true;
  return networks !== undefined && addresses.some((address) => networks.has(address));
}
