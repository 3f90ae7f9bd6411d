import { isLocalAddress, isLoopback, reachesListener } from '#socks5-protocol';
import { RuleList } from '../rules/rule-list.js';
import type { RouteQuery, Rule } from '../rules/rule.js';

/** Where this program listens itself. */
export type OwnListeners = () => readonly { readonly host: string; readonly port: number }[];

/**
 * Says which addresses may be connected to from this machine, once a name is resolved: the rules have seen the name only, and
 * whoever owns a name says what it stands for.
 */
export class AddressGuard {
  readonly #rules: readonly Rule[];
  readonly #list: RuleList;
  readonly #own: OwnListeners;

  constructor(rules: readonly Rule[], own: OwnListeners) {
    this.#rules = rules;
    this.#list = new RuleList(rules);
    this.#own = own;
  }

  /**
   * Whether an address of the target may be connected to. Not where the rules send it elsewhere, never a listener of our own,
   * and for clients of other machines nothing that belongs to this machine and its link unless a rule names the network: to
   * them that would open what is served for this machine only. A tunnel's target is the operator's own word.
   */
  admits(address: string, query: RouteQuery): boolean {
    const { target, client, listener } = query;
    if (listener?.via !== undefined) return true;
    if (this.#own().some((own) => reachesListener({ host: address, port: target.port }, own))) return false;
    const { index, isNamed } = this.#list.firstForAddress(query, address);
    if (this.#rules[index]?.to !== this.#rules[this.#list.firstFor(query)]?.to) return false;
    return isNamed || isFromHere(client.remoteAddress) || !isLocalAddress(address);
  }
}

/** Whether a client is a program of this machine. */
export function isFromHere(remoteAddress: string | undefined): boolean {
  return remoteAddress !== undefined && isLoopback(remoteAddress);
}
