import { hostname } from 'node:os';
import { isLoopbackAddress, isUnspecified, OwnPlaces } from '../rules/own-places.js';
import type { ListenerConfig, ProxyClientConfig } from './proxy-client-config.js';

type Config = Pick<ProxyClientConfig, 'listeners' | 'upstreams'>;

/**
 * Whether the target of a tunnel listener is its own port, or that of a tunnel listener that leads back to it: one connection
 * would open others without end. Through a SOCKS5 server on another machine a loopback address is that of the other machine.
 * Names that only the upstream resolves are not known here.
 */
export function isTunnelLoop(listener: ListenerConfig, config: Config): boolean {
  const seen = new Set<ListenerConfig>();
  let next: ListenerConfig | undefined = targetOf(listener, config);
  while (next !== undefined && next !== listener && !seen.has(next)) {
    seen.add(next);
    next = targetOf(next, config);
  }
  return next === listener;
}

/** Returns the listener that the target of a tunnel listener reaches, if it is one of the configuration. */
function targetOf({ to, via }: ListenerConfig, config: Config): ListenerConfig | undefined {
  if (to === undefined || via === undefined) return undefined;
  const isOnThisMachine = connectsFromHere(via, config) || !(isLoopbackAddress(to.host) || isUnspecified(to.host));
  return isOnThisMachine ? config.listeners.find((each) => placesOf(each).isReachedBy(to)) : undefined;
}

function placesOf({ host, port, allowedHosts }: ListenerConfig): OwnPlaces {
  const names = [host, ...allowedHosts, ...(isUnspecified(host) ? [hostname()] : [])];
  return new OwnPlaces(port === 0 ? [] : [{ address: host, port }], names);
}

/** Whether an upstream may connect to its targets from this machine. */
function connectsFromHere(name: string, config: Config): boolean {
  const upstream = config.upstreams.find((each) => each.name === name);
  if (upstream?.kind === 'group') return upstream.of.some((member) => connectsFromHere(member, config));
  if (upstream?.kind !== 'socks5') return true;
  const { host, port } = upstream;
  return new OwnPlaces([{ address: '0.0.0.0', port }], []).isReachedBy({ host, port });
}
