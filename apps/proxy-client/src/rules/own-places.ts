import type { Target } from '../http/authority.js';
import { readHost, readName, type IpAddress } from './host-reading.js';
import { Networks } from './networks.js';

const LOOPBACK = new Networks(['127.0.0.0/8', '::1']);

/** Where a listener of this program is. */
export interface OwnPlace {
  /** The address that it is bound to. */
  readonly address: string;
  readonly port: number;
}

/** Places by their port, so that nearly every target costs one look-up. */
export class OwnPlaces {
  readonly #byPort: ReadonlyMap<number, readonly OwnPlace[]>;
  readonly #names: ReadonlySet<string>;
  readonly #interfaces: () => readonly string[];

  /**
   * @param names - further names of this machine
   * @param interfaces - the addresses of this machine, which may change
   */
  constructor(places: readonly OwnPlace[], names: readonly string[], interfaces: () => readonly string[]) {
    this.#byPort = Map.groupBy(places, ({ port }) => port);
    this.#names = new Set(names.map(readName));
    this.#interfaces = interfaces;
  }

  /**
   * Whether a connection to the target may arrive at one of them if it is made on this machine, by any spelling of an
   * address. What other names stand for is not known here.
   */
  isReachedBy({ host, port }: Target): boolean {
    const places = this.#byPort.get(port);
    if (places === undefined) return false;
    const { name, addresses } = readHost(host);
    return this.#names.has(name) || places.some(({ address }) => this.#leadsTo(address, addresses));
  }

  #leadsTo(bound: string, addresses: readonly IpAddress[]): boolean {
    if (addresses.length === 0) return false;
    if (bound !== '0.0.0.0' && bound !== '::') return isOneOf(bound, addresses);
    return (
      addresses.some((address) => LOOPBACK.has(address)) || this.#interfaces().some((own) => isOneOf(own, addresses))
    );
  }
}

function isOneOf(own: string, addresses: readonly IpAddress[]): boolean {
  return readHost(own).addresses.some((address) => addresses.includes(address));
}
