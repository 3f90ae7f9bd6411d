import type { ListenerConfig, NamedUpstream, ProxyClientConfig } from '../config/proxy-client-config.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { formatAddress, readHost } from '../rules/host-reading.js';
import { OwnPlaces } from '../rules/own-places.js';
import { type Rule, RuleList } from '../rules/rule.js';
import type { Report } from './check-upstream.js';

/**
 * Says which way a request for the target would take, and why; nothing is looked up or connected to.
 *
 * @param user - who asks; undefined: somebody who was not asked
 */
export function explainRoute(
  config: ProxyClientConfig,
  target: Target,
  user: string | undefined,
  report: Report,
): void {
  const { rules } = config;
  report(`${formatAuthority(target)}${user === undefined ? '' : ` as ${user}`}${describeReading(target.host)}`);
  if (ownPlaces(config).isReachedBy(target)) {
    report('is a port of this proxy itself, where it sends nothing: 403, or reply 2');
    return;
  }
  const index = new RuleList(rules).firstFor({ target, client: { user: user?.normalize('NFC') } });
  for (const [number, rule] of rules.slice(0, index === -1 ? undefined : index).entries()) {
    report(`rule ${number + 1} does not fit: ${describeRule(rule)}`);
  }
  const rule = rules[index];
  if (rule !== undefined) report(`rule ${index + 1} fits: ${describeRule(rule)}`);
  report(describeWay(config, rule));
}

/** What a host is read as, where that is something else than it looks like. */
function describeReading(host: string): string {
  const { name, addresses } = readHost(host);
  const read = [...new Set([...(name === host.toLowerCase() ? [] : [name]), ...addresses.map(formatAddress)])];
  return read.length === 0 || read.join() === host.toLowerCase() ? '' : ` is read as ${read.join(' and ')}`;
}

function describeWay({ upstreams }: ProxyClientConfig, rule: Rule | undefined): string {
  const to = rule?.to ?? upstreams[0]?.name ?? '';
  const why = rule === undefined ? 'no rule fits: it goes to the first upstream, ' : 'it goes to ';
  if (to === 'reject') return 'nothing goes out: 403, or reply 2';
  const named = upstreams.find(({ name }) => name === to);
  return `${why}${to}${named === undefined ? ', from this machine; what its name stands for is judged by the rules too' : describeUpstream(named)}`;
}

function describeUpstream(upstream: NamedUpstream): string {
  switch (upstream.kind) {
    case 'socks5':
      return ` (socks5://${formatAuthority(upstream)})`;
    case 'embedded':
      return ' (inside this program)';
    case 'group':
      return ` (${upstream.pick} of ${upstream.of.join(', ')})`;
  }
}

/** So many entries of a list are written out. */
const SHOWN = 4;

function describeRule({ hosts, networks, ports, users, to }: Rule): string {
  const spans = ports?.map(({ from, to: last }) => (from === last ? String(from) : `${from}-${last}`));
  const parts = Object.entries({
    hosts: hosts && [...hosts],
    networks: networks && [...networks],
    ports: spans,
    users,
  }).flatMap(([key, list]) => (list === undefined || list.length === 0 ? [] : [`${key} ${shorten(list)}`]));
  return `${parts.join(', ') || 'everything'} to ${to}`;
}

function shorten(list: readonly string[]): string {
  const more = list.length - SHOWN;
  return more > 0 ? `${list.slice(0, SHOWN).join(' ')} and ${more} more` : list.join(' ');
}

/** Where the program would listen: a port that is to be any free one is not known yet. */
function ownPlaces({ listeners, admin }: ProxyClientConfig): OwnPlaces {
  const places = [...listeners, ...(admin === undefined ? [] : [admin])].map(({ host, port }) => ({
    address: host,
    port,
  }));
  return new OwnPlaces(places, namesOf(listeners), () => []);
}

function namesOf(listeners: readonly ListenerConfig[]): readonly string[] {
  return listeners.flatMap(({ host, allowedHosts }) => [host, ...allowedHosts]);
}
