import { isIPv4, isIPv6 } from 'node:net';
import { innerIpv4, parseIpv6, readHost, type IpAddress } from './host-reading.js';

/** From one address to another of the same family, both included. */
export interface AddressRange<T extends IpAddress = IpAddress> {
  readonly first: T;
  readonly last: T;
}

/** Every address begins with a digit or has a colon; nearly all names are told from one by that. */
const MAY_BE_ADDRESS = /^\d|:/;
const BITS = /^\d{1,3}$/;

/**
 * Reads `10.0.0.0/8`, `2001:db8::/32`, or one address. Networks of addresses that stand for IPv4 ones are those of the IPv4
 * ones.
 *
 * @returns undefined when it is none
 */
export function readNetwork(text: string): AddressRange | undefined {
  return MAY_BE_ADDRESS.test(text) ? parseRange(text) : undefined;
}

function parseRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...more] = text.split('/');
  if (more.length > 0 || (bits !== undefined && !BITS.test(bits))) return undefined;
  if (isIPv4(address)) return rangeOf4(readIpv4(address), Number(bits ?? 32));
  return isIPv6(address) && !address.includes('%') ? rangeOf6(parseIpv6(address), Number(bits ?? 128)) : undefined;
}

/** Whether it is a network, or an address. */
export function isNetwork(text: string): boolean {
  return readNetwork(text) !== undefined;
}

function readIpv4(address: string): number {
  return Number(readHost(address).addresses[0]);
}

function rangeOf4(address: number, bits: number): AddressRange<number> | undefined {
  if (bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

function rangeOf6(address: bigint, bits: number): AddressRange | undefined {
  if (bits > 128) return undefined;
  const inner = bits >= 96 ? innerIpv4(address) : undefined;
  if (inner !== undefined) return rangeOf4(inner, bits - 96);
  const size = 1n << BigInt(128 - bits);
  const first = address - (address % size);
  return { first, last: first + size - 1n };
}

/**
 * Networks, to be asked for many addresses: a look-up in 10,000 of them takes a fraction of a microsecond. Made when the
 * configuration is read and shared by all who ask, as {@link HostNames} are.
 */
export class Networks implements Iterable<string> {
  readonly #texts: string[] = [];
  readonly #ipv4 = new SortedRanges<number>();
  readonly #ipv6 = new SortedRanges<bigint>();

  /** @param networks - each `address/bits` or an address; what is none of them is left out */
  constructor(networks: Iterable<string> = []) {
    for (const text of networks) this.add(text);
    this.settle();
  }

  /**
   * Adds one; {@link settle} is to be called behind the last.
   *
   * @returns whether it is one
   */
  add(text: string): boolean {
    const range = readNetwork(text);
    if (range === undefined) return false;
    this.#texts.push(text);
    if (isOfIpv4(range)) this.#ipv4.add(range);
    else if (isOfIpv6(range)) this.#ipv6.add(range);
    return true;
  }

  /** Brings what was added into its order: 60 ms for 100,000 that had none. */
  settle(): void {
    this.#ipv4.settle();
    this.#ipv6.settle();
  }

  get size(): number {
    return this.#texts.length;
  }

  /** As they were given. */
  [Symbol.iterator](): Iterator<string> {
    return this.#texts.values();
  }

  has(address: IpAddress): boolean {
    return typeof address === 'number' ? this.#ipv4.has(address) : this.#ipv6.has(address);
  }

  /** Whether an address that is written in the usual form lies in one of them: of a socket, for example. */
  hasText(address: string): boolean {
    return readHost(address).addresses.some((each) => this.has(each));
  }
}

function isOfIpv4(range: AddressRange): range is AddressRange<number> {
  return typeof range.first === 'number';
}

function isOfIpv6(range: AddressRange): range is AddressRange<bigint> {
  return typeof range.first === 'bigint';
}

/** Ranges in their order, none of which touches another, so that halving finds the one that may hold an address. */
class SortedRanges<T extends IpAddress> {
  readonly #firsts: T[] = [];
  readonly #lasts: T[] = [];
  #added: AddressRange<T>[] = [];

  add(range: AddressRange<T>): void {
    this.#added.push(range);
  }

  /** To be called once, behind the last. */
  settle(): void {
    const added = this.#added.sort((a, b) => (a.first < b.first ? -1 : Number(a.first > b.first)));
    this.#added = [];
    for (const { first, last } of added) {
      const before = this.#lasts.at(-1);
      if (before === undefined || first > before) {
        this.#firsts.push(first);
        this.#lasts.push(last);
      } else if (last > before) this.#lasts[this.#lasts.length - 1] = last;
    }
  }

  has(address: T): boolean {
    let from = 0;
    let to = this.#firsts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#firsts[middle] ?? address) <= address) from = middle + 1;
      else to = middle;
    }
    const last = this.#lasts[from - 1];
    return last !== undefined && address <= last;
  }
}
