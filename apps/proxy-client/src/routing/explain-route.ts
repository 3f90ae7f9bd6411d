import type { ComparedRule, RouteExplanation } from '../admin/api/routes.responses.js';
import type { ProxyClientConfig } from '../config/proxy-client-config.js';
import { describeUpstream } from '../config/upstream-setting.js';
import { formatAuthority, type Target } from '../http/authority.js';
import type { Grants } from './gate/grants.js';
import { formatAddress, readHost } from './rules/addresses.js';
import { namesOf, OwnAddresses } from './rules/own-addresses.js';
import { ASK, describeRule, listsOf, REJECT, type Rule, RuleList } from './rules/rule.js';

/** The decision about a request, without the state of upstreams. */
export type RouteDecision = Omit<RouteExplanation, 'member' | 'pac'>;

/** The state of a running proxy that decides, too. */
interface RunningState {
  /** Where it listens. */
  readonly own: OwnAddresses;
  /** Absent: there are none. */
  readonly grants?: Grants;
}

/**
 * Explains the route of a request for the target: the rules that decide it, and the result. No name is resolved and no connection opened.
 *
 * @param user - the authenticated user; undefined for clients that are not authenticated
 * @param running - absent: the configuration alone
 */
export function explainRoute(
  config: ProxyClientConfig,
  target: Target,
  user: string | undefined,
  { own, grants }: RunningState = { own: configuredAddresses(config) },
): RouteDecision {
  const readAs = canonicalForms(target.host);
  const asked = { target: formatAuthority(target), user: user ?? null, read_as: readAs };
  const lines = [describeRequest(asked)];
  if (own.isReachedBy(target)) {
    lines.push('is a port of this proxy itself, which it refuses: 403, or reply 2');
    return { ...asked, decision: 'own_address', rule: null, upstream: null, hops: [], rules: [], lines };
  }
  const query = { target, client: { user: user?.normalize('NFC') } };
  const index = new RuleList(config.rules, config.rejectsByDefault).firstFor(query);
  const compared = comparedRules(config.rules, index);
  const rule = config.rules[index];
  const isGranted = grants?.covers(query) === true;
  const { to, reason } = rule === undefined ? defaultRoute(config, isGranted) : ruleRoute(config, rule, isGranted);
  lines.push(...unloadedLists(config), ...compared.map(describeComparison), describeRoute(config, reason, to));
  const common = { ...asked, rule: rule === undefined ? null : index + 1, rules: compared, lines };
  const without = DECISIONS[to];
  if (without !== undefined) return { ...common, decision: without, upstream: null, hops: [] };
  const hops = hopsTo(to, config.upstreams);
  if (hops.length > 1) lines.push(`through ${hops.join(', then ')}`);
  return { ...common, decision: 'forwarded', upstream: to, hops };
}

/** The decisions without an upstream, by destination. */
const DECISIONS: Readonly<Record<string, 'rejected' | 'asked'>> = { [REJECT]: 'rejected', [ASK]: 'asked' };

function describeRequest({
  target,
  user,
  read_as: readAs,
}: Pick<RouteDecision, 'target' | 'user' | 'read_as'>): string {
  const as = user === null ? '' : ` as ${user}`;
  return `${target}${as}${readAs.length === 0 ? '' : ` is read as ${readAs.join(' and ')}`}`;
}

/** Returns the destination of requests that match no rule, and the beginning of the explanation. */
function defaultRoute(
  { upstreams, rejectsByDefault, asksByDefault }: ProxyClientConfig,
  isGranted: boolean,
): { readonly to: string; readonly reason: string } {
  if (asksByDefault && !isGranted) return { to: ASK, reason: 'no rule matches (default: ask): ' };
  if (rejectsByDefault && !isGranted) return { to: REJECT, reason: 'no rule matches (default: reject): ' };
  const [first] = upstreams;
  return {
    to: first?.name ?? '',
    reason: rejectsByDefault ? 'no rule matches, but a grant does: ' : 'no rule matches: ',
  };
}

/** Returns the destination of a rule; of one that asks that of a grant. */
function ruleRoute({ upstreams }: ProxyClientConfig, { to }: Rule, isGranted: boolean) {
  if (to !== ASK || !isGranted) return { to, reason: '' };
  return { to: upstreams[0]?.name ?? '', reason: 'a grant allows it: ' };
}

/** @param index - of the matching rule, or -1 */
function comparedRules(rules: readonly Rule[], index: number): ComparedRule[] {
  const compared = index === -1 ? rules : rules.slice(0, index + 1);
  return compared.map((rule, at) => ({ number: at + 1, text: describeRule(rule), matches: at === index }));
}

/** Returns the canonical forms of a host, if they differ from the text. */
function canonicalForms(host: string): string[] {
  const { name, addresses } = readHost(host);
  const forms = [...new Set([...(name === host.toLowerCase() ? [] : [name]), ...addresses.map(formatAddress)])];
  return forms.join() === host.toLowerCase() ? [] : forms;
}

/** Lists without a copy match nothing until the proxy has loaded them. */
function unloadedLists(config: ProxyClientConfig): readonly string[] {
  const lists = listsOf(config).filter(({ content }) => content === undefined);
  return lists.map((list) => `the list ${list.config.name} is not loaded, so it matches nothing here`);
}

function describeComparison({ number, text, matches }: ComparedRule): string {
  return `rule ${number} ${matches ? 'matches' : 'does not match'}: ${text}`;
}

function describeRoute({ upstreams }: ProxyClientConfig, reason: string, to: string): string {
  if (to === REJECT) return `${reason}the request is refused: 403, or reply 2`;
  if (to === ASK) return `${reason}the request waits for the answer of a person`;
  const way = reason === '' ? 'the request goes to ' : `${reason}the default is the first upstream, `;
  const upstream = upstreams.find(({ name }) => name === to);
  const isDirect = upstream === undefined || upstream.kind === 'embedded';
  return `${way}${to}${isDirect ? DIRECT : ` (${describeUpstream(upstream)})`}`;
}

/** Returns the names of the upstreams on the way, in their order. */
function hopsTo(name: string, upstreams: ProxyClientConfig['upstreams']): string[] {
  const upstream = upstreams.find((each) => each.name === name);
  const isServer = upstream?.kind === 'socks5' || upstream?.kind === 'http';
  return isServer && upstream.via !== undefined ? [...hopsTo(upstream.via, upstreams), name] : [name];
}

const DIRECT = ', from this machine; the rules also apply to the addresses that the name resolves to';

/** Returns the configured addresses; a port 0 is not known yet. */
function configuredAddresses({ listeners, admin }: ProxyClientConfig): OwnAddresses {
  const addresses = [...listeners, admin].filter((each) => each !== undefined);
  return new OwnAddresses(
    addresses.map(({ host, port }) => ({ address: host, port })),
    namesOf(listeners),
    () => [],
  );
}
