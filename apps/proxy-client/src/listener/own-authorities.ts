import { isIP } from 'node:net';
import type { ListenerConfig } from '../config/proxy-client-config.js';
import { addressesOfThisMachine, isEverywhere } from './own-addresses.js';

const LOOPBACK = ['127.0.0.1', '::1'];

/**
 * The authorities (`host:port`) that name this listener and nothing else: the addresses it listens on, and the names
 * under which /stats may be asked for. A request for one of them is for the proxy itself.
 */
export class OwnAuthorities {
  readonly #names: ReadonlySet<string>;

  /**
   * @param listener - what was configured
   * @param bound - the address and port that the socket is bound to
   */
  constructor(listener: ListenerConfig, bound: { readonly address: string; readonly port: number }) {
    const reached = isEverywhere(bound.address) ? addressesOfThisMachine() : [];
    const hosts = new Set([listener.host, bound.address, ...listener.allowedHosts, ...reached]);
    if (LOOPBACK.some((address) => hosts.has(address))) hosts.add('localhost');
    const bare = [...hosts].map((host) => (isIP(host) === 6 ? `[${host}]` : host).toLowerCase());
    this.#names = new Set([...bare.map((host) => `${host}:${bound.port}`), ...(bound.port === 80 ? bare : [])]);
  }

  /** @param authority - as it stands in a request, in any case of letters */
  has(authority: string): boolean {
    return this.#names.has(authority.toLowerCase());
  }
}
