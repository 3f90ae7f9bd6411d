import { FIRST_IPV4, formatAddress, LOOPBACK_NAME, type Networks, readHost, readNetwork } from './addresses.js';
import type { HostNames } from './host-names.js';
import type { Rule } from './rule.js';

/** The maximum size that Chromium accepts. */
export const MAX_PAC_BYTES = 1_048_576;
/** The rest is for the proxy's address: a host name has at most 255 bytes. */
const MAX_RULES_BYTES = MAX_PAC_BYTES - 1024;

const DIRECT = 'direct';

/**
 * The program for browsers. It is written in ECMAScript 3, since Windows runs such scripts too, and resolves no names. A rule
 * matches (2), does not match (0), or cannot be evaluated (1): then the request goes to the proxy, which evaluates it, unless
 * the rule leads to the proxy anyway.
 */
const EVALUATION_SCRIPT = `
function pacNames(text) {
  var names = {}, list = text.split(" ");
  for (var i = 0; i < list.length; i++) names[" " + list[i]] = true;
  return names;
}
for (var pacIndex = 0; pacIndex < pacRules.length; pacIndex++) {
  var pacHost = pacRules[pacIndex].host;
  if (pacHost) pacHost.names = pacNames(pacHost.names);
  if (pacHost && pacHost.networks) pacHost.networks.ipv6 = pacNames(pacHost.networks.ipv6);
}
function pacInRanges(ranges, value) {
  for (var i = 0; i < ranges.length; i += 2) if (value >= ranges[i] && value <= ranges[i + 1]) return 2;
  return 0;
}
function pacIsNamed(names, name) {
  if (names[" " + name]) return true;
  for (var dot = name.indexOf("."); dot !== -1; dot = name.indexOf(".", dot + 1)) {
    if (names[" " + name.substring(dot)]) return true;
  }
  return false;
}
function pacPort(url) {
  var parts = /^([a-z]+):\\/\\/(?:[^\\/?#]*@)?(?:\\[[^\\]]*\\]|[^:\\/?#]*)(?::([0-9]*))?(?:[\\/?#]|$)/i.exec(url);
  if (!parts) return 0;
  if (parts[2]) return Number(parts[2]);
  var scheme = parts[1].toLowerCase();
  return scheme === "http" || scheme === "ws" ? 80 : scheme === "https" || scheme === "wss" ? 443 : 0;
}
function pacQuad(name) {
  var parts = /^(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})\\.(0|[1-9][0-9]{0,2})$/.exec(name);
  if (!parts || name === "0.0.0.0") return -1;
  var address = 0;
  for (var i = 1; i <= 4; i++) {
    if (Number(parts[i]) > 255) return -1;
    address = address * 256 + Number(parts[i]);
  }
  return address;
}
function pacInNetworks(networks, name) {
  while (name.charAt(name.length - 1) === ".") name = name.substring(0, name.length - 1);
  if (/${LOOPBACK_NAME.source}/.test(name)) return networks.local ? 2 : 0;
  if (name.indexOf(":") !== -1) return networks.ipv6[" " + name] ? 2 : 1;
  var address = pacQuad(name);
  if (address !== -1) return pacInRanges(networks.ipv4, address);
  return /^(?:(?:0x[0-9a-f]*|[0-9]+)(?:\\.|$))+$/.test(name) ? 1 : 0;
}
function pacFits(rule, name, port) {
  var fits = rule.users ? 1 : 2;
  if (rule.ports) fits = Math.min(fits, port ? pacInRanges(rule.ports, port) : 1);
  if (fits === 0 || !rule.host || pacIsNamed(rule.host.names, name)) return fits;
  if (rule.host.local && name.indexOf(".") === -1 && !/:|^(?:0x[0-9a-f]*|[0-9]+)$/.test(name)) return fits;
  var inNetworks = rule.host.networks ? pacInNetworks(rule.host.networks, name) : 0;
  return Math.min(fits, Math.max(inNetworks, rule.host.lists ? 1 : 0));
}
function FindProxyForURL(url, host) {
  if (!/^(?:[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+\\]|[0-9A-Fa-f:.]+)$/.test(host)) return pacProxy;
  var name = host.replace(/^\\[|\\]$/g, "").toLowerCase(), port = pacPort(url);
  if (name.length > 1) name = name.replace(/\\.$/, "");
  for (var i = 0; i < pacRules.length; i++) {
    var fits = pacFits(pacRules[i], name, port);
    if (fits === 2) return pacRules[i].direct ? "DIRECT" : pacProxy;
    if (fits === 1 && !pacRules[i].direct) return pacProxy;
  }
  return pacProxy;
}
`;

/**
 * The rules as a script for browsers (proxy auto-configuration): DIRECT where the rules are certain to select `direct`,
 * otherwise the proxy, without a fallback. It is created on first use.
 */
export class PacScript {
  readonly #rules: readonly Rule[];
  #script: string | undefined;

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** Whether browsers accept it: it is smaller than 1 MiB. */
  get fits(): boolean {
    return this.#rulesScript.length < MAX_RULES_BYTES;
  }

  /**
   * Returns the script.
   *
   * @param proxy - `host:port`, an IPv6 address in brackets
   * @param type - how browsers connect to it: HTTPS is HTTP inside TLS
   */
  naming(proxy: string, type: 'PROXY' | 'HTTPS' = 'PROXY'): string {
    return `var pacProxy = ${JSON.stringify(`${type} ${proxy}`)};\n${this.#rulesScript}`;
  }

  get #rulesScript(): string {
    this.#script ??= `var pacRules = [\n${scriptRules(this.#rules)}\n];${EVALUATION_SCRIPT}`;
    return this.#script;
  }
}

/** Returns the rules as JSON up to the last one for `direct`: requests without a match go to the proxy as well. */
function scriptRules(rules: readonly Rule[]): string {
  const needed = rules.slice(0, rules.findLastIndex(({ to }) => to === DIRECT) + 1);
  return needed.map((rule) => JSON.stringify(scriptRule(rule))).join(',\n');
}

/** Returns a rule as the script reads it. An absent property matches everything. */
function scriptRule({ hosts, networks, ports, users, to }: Rule): object {
  const isForAny = (hosts === undefined && networks === undefined) || hosts?.any === true;
  return {
    direct: to === DIRECT,
    // A browser's script does not know the user.
    ...(users && { users: true }),
    // From, to, from, to, …, both ends included.
    ...(ports && { ports: ports.flatMap(({ from, to: last }) => [from, last]) }),
    ...(!isForAny && { host: { ...scriptHosts(hosts), ...(networks && { networks: scriptNetworks(networks) }) } }),
  };
}

/** The contents of lists may change, so that only the proxy evaluates them. */
function scriptHosts(hosts?: HostNames): object {
  if (hosts === undefined) return { names: '' };
  const { local, lists } = hosts;
  return { names: scriptNames(hosts), ...(local && { local }), ...(lists.length > 0 && { lists: true }) };
}

/**
 * Returns names, separated by spaces; those that match subdomains start with a dot. Stops at the maximum size of the script:
 * there may be a million names.
 */
function scriptNames(hosts: Iterable<string>): string {
  let names = '';
  for (const host of hosts) {
    if (names.length >= MAX_RULES_BYTES) break;
    const name = host.replace(/^[*+]/, '');
    names += host.startsWith('+') ? ` ${name.slice(1)} ${name}` : ` ${name}`;
  }
  return names.slice(1);
}

/** Returns the networks that a script can evaluate: those of IPv4, and single IPv6 addresses as browsers write them. */
function scriptNetworks(networks: Networks): object {
  const ranges = Array.from(networks, readNetwork).filter((range) => range !== undefined);
  const ipv4 = ranges.filter(({ first }) => first >= FIRST_IPV4);
  const ipv6 = ranges.filter(({ first, last }) => first < FIRST_IPV4 && first === last);
  return {
    // First, last, first, last, …, each address as a number.
    ipv4: ipv4.flatMap(({ first, last }) => [Number(first - FIRST_IPV4), Number(last - FIRST_IPV4)]),
    ipv6: ipv6.map(({ first }) => formatAddress(first)).join(' '),
    local: readHost('localhost').addresses.some((address) => networks.has(address)),
  };
}
