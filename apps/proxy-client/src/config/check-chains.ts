import { advice, type ConfigLocation } from './config-faults.js';
import type { NamedUpstream } from './upstream-setting.js';

/** The most servers between this proxy and a target. */
const MAX_HOPS = 4;

/** Reports a `via` that leads nowhere, in a circle, or over too many hops. */
export function reportChain(
  upstream: NamedUpstream,
  upstreams: readonly NamedUpstream[],
  location: ConfigLocation,
): void {
  if (!('via' in upstream)) return;
  const byName = new Map(upstreams.map((each) => [each.name, each]));
  const carrier = byName.get(upstream.via);
  const names = [...byName.keys()].filter((name) => name !== upstream.name);
  const fault =
    carrier === undefined
      ? `is not the name of an upstream that is allowed here; ${advice(upstream.via, names)}`
      : faultOf(upstream, carrier, byName);
  if (fault !== undefined) location.child('via').report(fault);
  else if (upstream.kind === 'socks5' && upstream.warm > 0 && carrier !== undefined && isolates(carrier, byName)) {
    location.child('warm').report('would share connections of users that an upstream before it isolates: omit it');
  }
}

type ByName = ReadonlyMap<string, NamedUpstream>;

/** Returns the error of a way through a previous hop, if there is one. */
function faultOf(upstream: NamedUpstream, carrier: NamedUpstream, byName: ByName): string | undefined {
  const hops = countHops(upstream, byName, []);
  if (hops === undefined) return 'leads back to this upstream: end the chain at another one';
  if (hops > MAX_HOPS) return `makes a chain of ${hops} hops: at most ${MAX_HOPS} are possible`;
  if (carrier.kind === 'pac') return 'is a PAC script: name an upstream with a server';
  if (!connectsDirectly(carrier, byName)) return undefined;
  return 'leads to direct connections: name an upstream with a server, or a group of such';
}

/** Returns the upstreams that one directly depends on. */
function previousOf(upstream: NamedUpstream): readonly string[] {
  if (upstream.kind === 'group') return upstream.of;
  return 'via' in upstream ? [upstream.via] : [];
}

/**
 * Returns the number of servers on the longest way through an upstream; undefined if the way is a circle.
 *
 * @param seen - the upstreams on the way so far
 */
function countHops(upstream: NamedUpstream, byName: ByName, seen: readonly NamedUpstream[]): number | undefined {
  if (seen.includes(upstream)) return undefined;
  let longest = 0;
  for (const name of previousOf(upstream)) {
    const previous = byName.get(name);
    const hops = previous === undefined ? 0 : countHops(previous, byName, [...seen, upstream]);
    if (hops === undefined) return undefined;
    longest = Math.max(longest, hops);
  }
  return longest + (upstream.kind === 'group' ? 0 : 1);
}

function connectsDirectly(upstream: NamedUpstream, byName: ByName): boolean {
  if (upstream.kind !== 'group') return upstream.kind === 'embedded';
  return upstream.of.some((name) => {
    const member = byName.get(name);
    return member === undefined || connectsDirectly(member, byName);
  });
}

function isolates(upstream: NamedUpstream, byName: ByName): boolean {
  if (upstream.kind === 'socks5' && upstream.isolate !== undefined) return true;
  return previousOf(upstream).some((name) => {
    const previous = byName.get(name);
    return previous !== undefined && isolates(previous, byName);
  });
}
