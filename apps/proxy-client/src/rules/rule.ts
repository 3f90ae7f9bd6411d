import type { Target } from '../http/authority.js';
import type { HostNames } from './host-names.js';
import type { Networks } from './networks.js';

/** Who asks. It is read only where a rule wants to know: the address of a socket is a system call. */
export interface RouteClient {
  readonly remoteAddress?: string | undefined;
  /** Who it has proven to be; absent where nobody is asked. */
  readonly user?: string | undefined;
}

/** What decides where a request goes out. */
export interface RouteQuery {
  readonly target: Target;
  readonly client: RouteClient;
  /** The listener it came by, where that one names the way out: a tunnel's. */
  readonly listener?: { readonly via?: string | undefined } | undefined;
}

/** From one port to another, both included. */
export interface PortRange {
  readonly from: number;
  readonly to: number;
}

/**
 * One rule, as data. It fits when the host is one of `hosts` or lies in one of `networks` (where one of them is there), and
 * the port and the user are among those that are named. Without conditions it fits all.
 */
export interface Rule {
  readonly hosts?: HostNames;
  readonly networks?: Networks;
  readonly ports?: readonly PortRange[];
  readonly users?: readonly string[];
  /** The name of an upstream, `direct` or `reject`. */
  readonly to: string;
}
