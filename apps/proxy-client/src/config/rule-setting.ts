import { isNetwork, Networks } from '../rules/networks.js';
import { HostNames, readNamePattern } from '../rules/host-names.js';
import type { PortRange, Rule } from '../rules/rule.js';
import type { Place } from './config-faults.js';
import { listOf, listOrFile, object, text, type Read, type ValueReader } from './value-reader.js';

const MAX_NAME = 255;
const MAX_PORT = 65_535;
const word = text(MAX_NAME);

/** Reads a name, `*.name`, or an address, which counts as a network of one address. */
const hostEntry: ValueReader<string> = (value, place) => {
  const given = word(value, place);
  if (given === undefined) return undefined;
  const bare = /^\[[^[\]]*\]$/.test(given) ? given.slice(1, -1) : given;
  const read = isNetwork(bare) && !bare.includes('/') ? bare : readNamePattern(bare);
  if (read === undefined) place.report('must be a host name, such as intranet or *.corp.example, or an IP address');
  return read;
};

/** Reads `address/length`, or an address. */
export const network: ValueReader<string> = (value, place) => {
  const given = word(value, place);
  if (given === undefined || isNetwork(given)) return given;
  place.report('must be a network, such as 10.0.0.0/8 or 2001:db8::/32, or an IP address');
  return undefined;
};

const portRange: ValueReader<PortRange> = (value, place) => {
  const given = typeof value === 'number' ? String(value) : word(value, place);
  if (given === undefined) return undefined;
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(given) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (from >= 1 && from <= to && to <= MAX_PORT) return { from, to };
  place.report(`must be a port from 1 to ${MAX_PORT}, or a range such as 8000-8999`);
  return undefined;
};

/** Reads a user name in NFC, as in the authentication: editors and browsers use different forms of Unicode. */
const userName: ValueReader<string> = (value, place) => word(value, place)?.normalize('NFC');

const keys = {
  hosts: listOrFile(hostEntry),
  networks: listOrFile(network),
  ports: listOf(portRange),
  users: listOf(userName),
  to: text(64),
} satisfies Record<string, ValueReader<unknown>>;

const rule = object(keys);

/** A parsed rule, whose lists are not read yet. */
type RuleDraft = Read<typeof keys>;

const ruleDraft: ValueReader<RuleDraft> = (value, place) => {
  const read = rule(value, place);
  if (read === undefined) return undefined;
  const fields = value as ReadonlyMap<unknown, unknown>;
  reportEmptyLists(fields, place);
  if (!fields.has('to')) place.child('to').report('is missing');
  return read;
};

/** The number of list entries per step: about a millisecond. */
const ENTRIES_A_STEP = 1000;

/**
 * Creates the rules, in steps, because their lists may be long.
 *
 * @returns the rules with a destination, whose existence the caller must check
 */
export function* makeRules(drafts: readonly RuleDraft[] = []): Generator<undefined, readonly Rule[]> {
  const rules: Rule[] = [];
  for (const { to, hosts, networks, ...conditions } of drafts) {
    const places = yield* placesOf(hosts, networks);
    if (to !== undefined) rules.push({ ...places, ...conditions, to });
  }
  return rules;
}

/** Addresses in `hosts` count as networks, because they have many spellings. */
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

/** Reports empty lists. A file, on the other hand, may become empty. */
function reportEmptyLists(fields: ReadonlyMap<unknown, unknown>, place: Place): void {
  for (const [key, value] of fields) {
    if (Array.isArray(value) && value.length === 0)
      place.child(String(key)).report('is an empty list: it matches nothing');
  }
}

export const rulesSetting = listOf(ruleDraft);
