import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { formatAuthority, type Target } from '../../http/authority.js';
import { embeddedIpv4, LOOPBACK_NAME, Networks, readHost, readName, type IpAddress } from './addresses.js';

/** The address and port that a listener of this program is bound to. */
export interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

const LOOPBACK = new Networks(['127.0.0.0/8', '::1']);
/** `localhost`: 127.0.0.1 and ::1. */
const LOCALHOST = readHost('localhost').addresses;

/** Instead of the address of a client of a Unix socket: a program of this machine that may open the file. */
export const UNIX_CLIENT = 'unix';

/** Loopback and link-local addresses, and the metadata addresses of cloud providers, which serve credentials. */
const LOCAL = new Networks([
  '0.0.0.0/8',
  '127.0.0.0/8',
  // Contains 169.254.169.254.
  '169.254.0.0/16',
  '224.0.0.0/4',
  '255.255.255.255',
  // Alibaba, Oracle, Azure.
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  // The unspecified address, the loopback address, and IPv4-compatible addresses: an obsolete form (RFC 4291, section 2.5.5.1) that no
  // public host has, and that systems connect to in different ways.
  '::/96',
  'fe80::/10',
  // Site-local addresses, the obsolete predecessor of private networks (RFC 3879).
  'fec0::/10',
  'ff00::/8',
  // Amazon, Google, Oracle, Scaleway.
  'fd00:ec2::/32',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
  'fd00:42::42',
]);

/** The time for which the addresses of the interfaces are cached: reading them takes several system calls. */
const INTERFACES_MS = 1000;
let cached: { readonly addresses: readonly string[]; readonly until: number } | undefined;

function interfaceAddresses() {
  return Object.values(networkInterfaces()).flatMap((list = []) => list);
}

/** Returns every address of every interface of this machine. */
export function machineAddresses(): readonly string[] {
  const now = performance.now();
  if (cached === undefined || now > cached.until) {
    cached = { addresses: interfaceAddresses().map(({ address }) => address), until: now + INTERFACES_MS };
  }
  return cached.addresses;
}

/** Whether a listener that is bound to this address accepts connections to every address of the machine. */
export function isUnspecified(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** Whether only programs of this machine can use an address, as a client or to connect to; false for names but localhost. */
export function isLoopbackAddress(address: string): boolean {
  const { name, addresses: read } = readHost(address);
  // Systems without the entry in their hosts file may resolve the other names to any address.
  if (LOOPBACK_NAME.test(name) && name !== 'localhost' && !name.endsWith('.localhost')) return false;
  const addresses = read.filter((each) => embeddedIpv4(each) === undefined);
  return addresses.length > 0 && addresses.every((each) => LOOPBACK.has(each));
}

/** Returns an address by which other machines reach a listener that is bound to every address; undefined for other listeners. */
export function addressForOthers(bound: string): string | undefined {
  if (!isUnspecified(bound)) return undefined;
  const reachable = interfaceAddresses().filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  const [first] = reachable.sort((a, b) => a.family.localeCompare(b.family));
  return bound === '0.0.0.0' && first?.family !== 'IPv4' ? undefined : first?.address;
}

/** Returns a URL that works on this machine, also if the listener is bound to every address. */
export function urlOnThisMachine(bound: string, port: number, scheme: 'http' | 'https' = 'http'): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound] ?? bound;
  return `${scheme}://${formatAuthority({ host, port })}`;
}

/**
 * Returns the authorities (`host:port`, in lower case) that name a listener and nothing else: its addresses and configured
 * names. A request for one of them is for the proxy itself.
 *
 * @param listener - the configuration
 * @param bound - the address and port that the socket is bound to
 */
export function ownAuthorities(
  listener: { readonly host: string; readonly allowedHosts: readonly string[] },
  bound: BoundAddress,
): ReadonlySet<string> {
  const reached = isUnspecified(bound.address) ? machineAddresses() : [];
  const hosts = new Set([listener.host, bound.address, ...listener.allowedHosts, ...reached]);
  if (hosts.has('127.0.0.1') || hosts.has('::1')) hosts.add('localhost');
  const bare = [...hosts].map((host) => (isIP(host) === 6 ? `[${host}]` : host).toLowerCase());
  return new Set([...bare.map((host) => `${host}:${bound.port}`), ...(bound.port === 80 ? bare : [])]);
}

/** Returns the names by which listeners are reached: those of the configuration, and that of this machine. */
export function namesOf(
  listeners: readonly { readonly host: string; readonly allowedHosts: readonly string[] }[],
): readonly string[] {
  const names = listeners.flatMap(({ host, allowedHosts }) => [host, ...allowedHosts]);
  return names.some(isUnspecified) ? [...names, hostname()] : names;
}

/** Returns whether one of the addresses is loopback, link-local, of a metadata service or of this machine. */
export function areLocal(addresses: readonly IpAddress[], interfaces = machineAddresses()): boolean {
  return addresses.some((each) => LOCAL.has(each)) || areOfMachine(addresses, interfaces);
}

function areOfMachine(addresses: readonly IpAddress[], interfaces: readonly string[]): boolean {
  return (
    addresses.length > 0 && interfaces.some((own) => readHost(own).addresses.some((each) => addresses.includes(each)))
  );
}

/** The addresses on which this program listens, by port, so that nearly every target costs one look-up. */
export class OwnAddresses {
  readonly #byPort: ReadonlyMap<number, readonly BoundAddress[]>;
  readonly #names: ReadonlySet<string>;
  readonly #interfaces: () => readonly string[];

  /**
   * @param names - further names of this machine
   * @param interfaces - returns the addresses of this machine, which may change
   */
  constructor(addresses: readonly BoundAddress[], names: readonly string[], interfaces = machineAddresses) {
    this.#byPort = Map.groupBy(addresses, ({ port }) => port);
    this.#names = new Set(names.map(readName));
    this.#interfaces = interfaces;
  }

  /**
   * Whether a connection from this machine to the target may reach a listener of this program, in any spelling of an address.
   * Names other than those of the loopback and of the listeners are not resolved.
   */
  isReachedBy({ host, port }: Target): boolean {
    const listening = this.#byPort.get(port);
    if (listening === undefined) return false;
    const { name, addresses } = readHost(host);
    return this.#names.has(name) || listening.some(({ address }) => this.#leadsTo(address, addresses));
  }

  /**
   * Whether an address, in any spelling, is one that a machine should not connect to for others: loopback, link-local
   * including the metadata services of clouds, 0.0.0.0/8, unspecified, multicast, and every address of this machine. Text that
   * is not an address counts as one.
   */
  isLocal(address: string): boolean {
    const { addresses } = readHost(address);
    return addresses.length === 0 || areLocal(addresses, this.#interfaces());
  }

  #leadsTo(bound: string, addresses: readonly IpAddress[]): boolean {
    if (addresses.length === 0) return false;
    if (isUnspecified(bound)) {
      return addresses.some((address) => LOOPBACK.has(address)) || this.#isOfThisMachine(addresses);
    }
    // Both loopback addresses: clients of this machine use them for the same service.
    const at = readHost(bound).addresses;
    const own = at.some((each) => LOCALHOST.includes(each)) ? [...at, ...LOCALHOST] : at;
    return addresses.some((each) => own.includes(each));
  }

  #isOfThisMachine(addresses: readonly IpAddress[]): boolean {
    return areOfMachine(addresses, this.#interfaces());
  }
}
