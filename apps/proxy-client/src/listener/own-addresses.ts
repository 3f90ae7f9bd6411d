import { networkInterfaces } from 'node:os';
import { formatAuthority } from '../http/authority.js';

/** Whether a listener that is bound there is bound to every address. */
export function isEverywhere(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

/** Every address of every interface, as they are now. */
export function addressesOfThisMachine(): readonly string[] {
  return interfaceAddresses().map(({ address }) => address);
}

/** An address by which other machines reach a listener that is bound to every address; undefined for other listeners. */
export function addressForOthers(bound: string): string | undefined {
  if (!isEverywhere(bound)) return undefined;
  const reachable = interfaceAddresses().filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0);
  const [first] = reachable.sort((a, b) => a.family.localeCompare(b.family));
  return bound === '0.0.0.0' && first?.family !== 'IPv4' ? undefined : first?.address;
}

/** A URL that works on this machine, also when the listener is bound to every address. */
export function urlOnThisMachine(bound: string, port: number): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bound] ?? bound;
  return `http://${formatAuthority({ host, port })}`;
}

function interfaceAddresses() {
  return Object.values(networkInterfaces()).flatMap((list = []) => list);
}
