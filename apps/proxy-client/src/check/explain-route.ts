import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { formatAuthority, type Target } from '../http/authority.js';
import { formatAddress, readHost } from '../rules/addresses.js';
import { namesOf, OwnPlaces } from '../rules/own-places.js';
import { type Rule, RuleList } from '../rules/rule.js';
import type { Report } from './check-upstream.js';

/**
 * Reports the route of a request for the target, and the rules that decide it; no name is resolved and no connection opened.
 *
 * @param user - the authenticated user; undefined for clients that are not authenticated
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
    report('is a port of this proxy itself, which it refuses: 403, or reply 2');
    return;
  }
  const index = new RuleList(rules).firstFor({ target, client: { user: user?.normalize('NFC') } });
  for (const [number, rule] of rules.slice(0, index === -1 ? undefined : index).entries()) {
    report(`rule ${number + 1} does not match: ${describeRule(rule)}`);
  }
  const rule = rules[index];
  if (rule !== undefined) report(`rule ${index + 1} matches: ${describeRule(rule)}`);
  report(describeRoute(config, rule));
}

/** Describes the canonical form of a host, if it differs from the text. */
function describeReading(host: string): string {
  const { name, addresses } = readHost(host);
  const read = [...new Set([...(name === host.toLowerCase() ? [] : [name]), ...addresses.map(formatAddress)])];
  return read.length === 0 || read.join() === host.toLowerCase() ? '' : ` is read as ${read.join(' and ')}`;
}

function describeRoute({ upstreams }: ProxyClientConfig, rule: Rule | undefined): string {
  const to = rule?.to ?? upstreams[0]?.name ?? '';
  if (to === 'reject') return 'the request is refused: 403, or reply 2';
  const reason = rule === undefined ? 'no rule matches: the default is the first upstream, ' : 'the request goes to ';
  const upstream = upstreams.find(({ name }) => name === to);
  const isDirect = upstream === undefined || upstream.kind === 'embedded';
  return `${reason}${to}${isDirect ? DIRECT : ` (${describeUpstream(upstream)})`}`;
}

const DIRECT = ', from this machine; the rules also apply to the addresses that the name resolves to';

/** The number of list entries that are shown. */
const SHOWN = 4;

function describeRule({ hosts, networks, ports, users, to }: Rule): string {
  const ranges = ports?.map(({ from, to: last }) => (from === last ? String(from) : `${from}-${last}`));
  const parts = Object.entries({
    hosts: hosts && [...hosts],
    networks: networks && [...networks],
    ports: ranges,
    users,
  }).flatMap(([key, list]) => (list === undefined || list.length === 0 ? [] : [`${key} ${shorten(list)}`]));
  return `${parts.join(', ') || 'everything'} to ${to}`;
}

function shorten(list: readonly string[]): string {
  const more = list.length - SHOWN;
  return more > 0 ? `${list.slice(0, SHOWN).join(' ')} and ${more} more` : list.join(' ');
}

/** Returns the configured places; a port 0 is not known yet. */
function ownPlaces({ listeners, admin }: ProxyClientConfig): OwnPlaces {
  const places = [...listeners, admin].filter((each) => each !== undefined);
  return new OwnPlaces(
    places.map(({ host, port }) => ({ address: host, port })),
    namesOf(listeners),
    () => [],
  );
}
