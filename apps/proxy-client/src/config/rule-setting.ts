import { isNetwork, Networks } from '../rules/networks.js';
import { HostNames, readNamePattern } from '../rules/host-names.js';
import type { PortRange, Rule } from '../rules/rule.js';
import type { Place } from './config-faults.js';
import { listOf, listOrFile, object, text, type Read, type ValueReader } from './value-reader.js';

const MAX_NAME = 255;
const MAX_PORT = 65_535;
const word = text(MAX_NAME);

/** A name, `*.name`, or an address, which counts as a network of one. */
const hostEntry: ValueReader<string> = (value, place) => {
  const given = word(value, place);
  if (given === undefined) return undefined;
  const bare = /^\[[^[\]]*\]$/.test(given) ? given.slice(1, -1) : given;
  const read = isNetwork(bare) && !bare.includes('/') ? bare : readNamePattern(bare);
  if (read === undefined) place.complain('must be a host name, such as intranet or *.corp.example, or an IP address');
  return read;
};

/** `address/bits`, or an address. */
export const network: ValueReader<string> = (value, place) => {
  const given = word(value, place);
  if (given === undefined || isNetwork(given)) return given;
  place.complain('must be a network, such as 10.0.0.0/8 or 2001:db8::/32, or an IP address');
  return undefined;
};

const portRange: ValueReader<PortRange> = (value, place) => {
  const given = typeof value === 'number' ? String(value) : word(value, place);
  if (given === undefined) return undefined;
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(given) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (from >= 1 && from <= to && to <= MAX_PORT) return { from, to };
  place.complain(`must be a port from 1 to ${MAX_PORT}, or a range such as 8000-8999`);
  return undefined;
};

/** As a client that logs in is called: in one form of Unicode, which editors and browsers do not agree upon. */
const userName: ValueReader<string> = (value, place) => word(value, place)?.normalize('NFC');

const keys = {
  hosts: listOrFile(hostEntry),
  networks: listOrFile(network),
  ports: listOf(portRange),
  users: listOf(userName),
  to: text(64),
} satisfies Record<string, ValueReader<unknown>>;

const rule = object(keys);

/** A rule as it stands in the file: its lists are read while it is made. */
type RuleDraft = Read<typeof keys>;

const ruleDraft: ValueReader<RuleDraft> = (value, place) => {
  const read = rule(value, place);
  if (read === undefined) return undefined;
  const fields = value as ReadonlyMap<unknown, unknown>;
  complainOfEmpty(fields, place);
  if (!fields.has('to')) place.child('to').complain('is missing');
  return read;
};

/** So many entries of a list are read in one step: about a millisecond. */
const ENTRIES_A_STEP = 1000;

/**
 * Makes the rules, in steps: their lists may be long.
 *
 * @returns those that name where they lead; that this exists is to be checked by whoever knows the upstreams
 */
export function* makeRules(drafts: readonly RuleDraft[] = []): Generator<undefined, readonly Rule[]> {
  const rules: Rule[] = [];
  for (const { to, hosts, networks, ...conditions } of drafts) {
    const places = yield* placesOf(hosts, networks);
    if (to !== undefined) rules.push({ ...places, ...conditions, to });
  }
  return rules;
}

/** Addresses among the hosts count as networks: they have many spellings. */
function* placesOf(
  hosts: RuleDraft['hosts'],
  networks: RuleDraft['networks'],
): Generator<undefined, Pick<Rule, 'hosts' | 'networks'>> {
  const names = new HostNames();
  const all = new Networks();
  yield* inSteps(networks, (each) => all.add(each));
  yield* inSteps(hosts, (each) => {
    if (!all.add(each)) names.add(each);
  });
  all.sort();
  const hasNetworks = networks !== undefined || all.size > 0;
  return { ...(hosts && { hosts: names }), ...(hasNetworks && { networks: all }) };
}

function* inSteps(entries: Iterable<string | undefined> = [], take: (entry: string) => void): Generator<undefined> {
  let count = 0;
  for (const entry of entries) {
    if (entry !== undefined) take(entry);
    count += 1;
    if (count % ENTRIES_A_STEP === 0) yield;
  }
}

/** A file may become empty; a list that stands here has been forgotten. */
function complainOfEmpty(fields: ReadonlyMap<unknown, unknown>, place: Place): void {
  for (const [key, value] of fields) {
    if (Array.isArray(value) && value.length === 0)
      place.child(String(key)).complain('is an empty list: it fits nothing');
  }
}

export const rulesSetting = listOf(ruleDraft);
