import { setImmediate as nextTurn } from 'node:timers/promises';
import { isNetwork, Networks } from '../routing/rules/addresses.js';
import { HostNames, readHostEntry } from '../routing/rules/host-names.js';
import { HostList } from '../routing/rules/host-list.js';
import type { PortRange, Rule } from '../routing/rules/rule.js';
import { hostsSetting } from './list-setting.js';
import { key, listOf, object, refine, setting, titled, type ValueReader } from './setting.js';
import { listOrFile, text, valid, VARIABLE } from './value-reader.js';

const MAX_NAME = 255;
const MAX_PORT = 65_535;
const word = text(MAX_NAME);

/** Reads a name, `*.name`, or an address, which counts as a network of one address. */
const hostEntry: ValueReader<string> = refine(word, (given, location) => {
  const read = readHostEntry(given);
  if (read === undefined)
    location.report('must be a host name, such as intranet, *.corp.example or +.corp.example, or an IP address');
  return read;
});

/** Reads `address/length`, or an address. */
export const network = valid(
  word,
  isNetwork,
  'must be a network, such as 10.0.0.0/8 or 2001:db8::/32, or an IP address',
);

const PORTS = {
  anyOf: [
    { type: 'integer', minimum: 1, maximum: MAX_PORT },
    { type: 'string', pattern: '^\\d{1,5}(-\\d{1,5})?$' },
    VARIABLE,
  ],
} as const;
const portRange: ValueReader<PortRange> = setting(PORTS, (value, location) => {
  const given = typeof value === 'number' ? String(value) : word(value, location);
  if (given === undefined) return undefined;
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(given) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (from >= 1 && from <= to && to <= MAX_PORT) return { from, to };
  location.report(`must be a port from 1 to ${MAX_PORT}, or a range such as 8000-8999`);
  return undefined;
});

/** Reads a user name in NFC, as in the authentication: editors and browsers use different forms of Unicode. */
const userName: ValueReader<string> = refine(word, (name) => name.normalize('NFC'));

const EMPTY = 'it matches nothing';
const rule = titled(
  'RuleOptions',
  'A rule: all of its conditions must match. The first rule that matches decides.',
  object(
    {
      hosts: key(
        hostsSetting(hostEntry, EMPTY),
        'Host names, *.name for all names below one, +.name for both, <local> for names without a dot, addresses, and lists.',
      ),
      networks: key(listOrFile(network, EMPTY), 'Networks (address/length) and addresses.'),
      ports: key(listOf(portRange, EMPTY), 'Ports, and ranges such as 8000-8999.'),
      users: key(listOf(userName, EMPTY), 'Users of the listener.'),
      to: key(text(64), 'The name of an upstream or group, direct, reject, or ask: wait for the answer of a person.'),
    },
    'to',
  ),
);

/** A parsed rule, whose lists are not read yet. */
type RuleDraft = NonNullable<ReturnType<typeof rule>>;

/** Reads the rules. */
export const rulesSetting = listOf(rule);

/** The number of list entries per step: about a millisecond. */
const ENTRIES_A_STEP = 1000;

/** Creates the rules, in steps, because their lists may be long. The caller must check their destinations. */
export function* makeRules(drafts: readonly RuleDraft[] = []): Generator<undefined, readonly Rule[]> {
  const rules: Rule[] = [];
  for (const { hosts, networks, ...others } of drafts) {
    rules.push({ ...(yield* hostsAndNetworksOf(hosts, networks)), ...others });
  }
  return rules;
}

/** Runs the steps of {@link makeRules}, or of a function that uses it, each in its own turn of the event loop. */
export async function inTurns<T>(steps: Generator<undefined, T>): Promise<T> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await nextTurn();
  return step.value;
}

/** Addresses in `hosts` count as networks, because they have many spellings. */
function* hostsAndNetworksOf(
  hosts: RuleDraft['hosts'],
  networks: RuleDraft['networks'],
): Generator<undefined, Pick<Rule, 'hosts' | 'networks'>> {
  const lists: HostList[] = [];
  const names = new HostNames([], lists);
  const all = new Networks();
  yield* inSteps(networks, (each) => all.add(each));
  yield* inSteps(hosts, (each) => {
    if (each instanceof HostList) lists.push(each);
    else if (!all.add(each)) names.add(each);
  });
  yield* names.index();
  all.sort();
  const hasNetworks = networks !== undefined || all.size > 0;
  return { ...(hosts && { hosts: names }), ...(hasNetworks && { networks: all }) };
}

function* inSteps<T>(entries: Iterable<T | undefined> = [], take: (entry: T) => void): Generator<undefined> {
  let count = 0;
  for (const entry of entries) {
    if (entry !== undefined) take(entry);
    count += 1;
    if (count % ENTRIES_A_STEP === 0) yield;
  }
}
