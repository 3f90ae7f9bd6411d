import { distance, nearest } from '#spelling';

/** The prefixes of the variables of ledger-api, in any case. */
const PREFIX = /^(LEDGER|FABRIC)_/i;

/** Names with these prefixes that others read: our tools, examples and documents, and the programs of Fabric. */
const OTHERS: ReadonlySet<string> = new Set([
  'FABRIC_BIN',
  'FABRIC_CCAAS',
  'FABRIC_CFG',
  'FABRIC_CFG_PATH',
  'FABRIC_DRIVERS',
  'FABRIC_LOGGING_SPEC',
  'FABRIC_PRIVATE_DATA_NETWORK',
  'FABRIC_STOCK_CHAINCODE',
  'LEDGER_API',
  'LEDGER_API_KEY',
  'LEDGER_KEY',
]);
const FABRIC_CA = 'FABRIC_CA_';
/** The words with which names begin, which are easily confused: LEDGER_API_PORT, but LEDGER_AUTH. */
const QUALIFIERS = /^(?:(?:LEDGER|FABRIC|API|SERVER|PEER|GATEWAY)_)+/i;
/** The end of a variable that describes a port of a service, and that is left when the pod sets the one with its address. */
const OF_PORT = /_PORT_\d/;
/** The least length of the rest of a name in which one slip is searched, and of a word without its ending. */
const MIN_STEM = 4;
/** The least length of a word that another one continues: DIR and DIRECTORY. */
const MIN_WORD = 3;

/** A set variable that ledger-api does not read. */
export interface UnknownVariable {
  readonly name: string;
  /** The variable that was probably intended. */
  readonly intended: string | undefined;
}

/**
 * Returns the set variables that have none of the names of ledger-api, but one of its prefixes, or a name that is close to one
 * with such a prefix. An empty variable counts as not set.
 */
export function unknownVariables(
  environment: NodeJS.ProcessEnv,
  known: ReadonlyMap<string, unknown>,
): readonly UnknownVariable[] {
  const names = Object.keys(environment).filter((name) => (environment[name] ?? '') !== '');
  const [all, prefixed] = [[...known.keys()], [...known.keys()].filter((name) => PREFIX.test(name))];
  return names
    .filter((name) => !known.has(name) && !OTHERS.has(name) && !name.startsWith(FABRIC_CA))
    .map((name) => ({ name, intended: intendedBy(name, all, prefixed) }))
    .filter(({ name, intended }) => PREFIX.test(name) || (intended !== undefined && !hasOwnPrefix(name, intended)));
}

function intendedBy(name: string, all: readonly string[], prefixed: readonly string[]): string | undefined {
  if (!PREFIX.test(name)) return nearest(name, prefixed);
  return nearest(name, all) ?? withOtherPrefix(name, all) ?? withOtherWords(name, all);
}

/** Returns the variable whose name differs in its first words only, such as LEDGER_AUTH for LEDGER_API_AUTH, and in one slip. */
function withOtherPrefix(name: string, all: readonly string[]): string | undefined {
  const stem = stemOf(name);
  const family = all.filter((known) => familyOf(known) === familyOf(name));
  const others = all.filter((known) => !PREFIX.test(known) || known === `LEDGER_${stem}`);
  return (
    [...family, ...others].find((known) => stemOf(known) === stem) ??
    family.find((known) => stem.length >= MIN_STEM && isOneSlip(stem, stemOf(known)))
  );
}

/**
 * Returns the variable that has the same words in another form, such as LEDGER_AUTH for LEDGER_AUTHENTICATION, or more or fewer
 * words at its end, such as LEDGER_WITNESS_INTERVAL_MS for LEDGER_WITNESS_INTERVAL and LEDGER_AUTH for LEDGER_AUTH_ENABLED.
 */
function withOtherWords(name: string, all: readonly string[]): string | undefined {
  if (OF_PORT.test(name)) return undefined;
  const words = stemOf(name).split('_');
  const family = all.filter((known) => familyOf(known) === familyOf(name));
  const longer = family.filter((known) => known.startsWith(`${name.toUpperCase()}_`));
  return (
    family.find((known) => haveSameWords(stemOf(known).split('_'), words)) ??
    (words.length > 1 && longer.length === 1 ? longer[0] : undefined) ??
    family.findLast((known) => name.toUpperCase().startsWith(`${known}_`))
  );
}

function haveSameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((word, index) => isSameWord(word, other[index] ?? ''));
}

/** Returns whether two words are the same but for their endings: CERT and CERTIFICATE, QUERY and QUERIES. */
function isSameWord(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length);
  const haveSame = (count: number): boolean => one.slice(0, count) === other.slice(0, count);
  return one === other || (length >= MIN_WORD && haveSame(length)) || (length > MIN_STEM && haveSame(length - 1));
}

function stemOf(name: string): string {
  return name.replace(QUALIFIERS, '').toUpperCase();
}

function familyOf(name: string): string | undefined {
  return PREFIX.exec(name)?.[1]?.toUpperCase();
}

/** Returns whether two words differ in one letter, or in two that are exchanged. */
function isOneSlip(one: string, other: string): boolean {
  const edits = distance(one, other);
  const sorted = (word: string): string => word.split('').sort().join('');
  return edits <= 1 || (edits === 2 && sorted(one) === sorted(other));
}

/** Returns whether a name is one of ledger-api with the prefix of another program. */
function hasOwnPrefix(name: string, intended: string): boolean {
  return name.toUpperCase().endsWith(intended);
}

/** Returns the line about a variable whose name is close to that of a known one. */
export function misspeltLine({ name, intended }: UnknownVariable): string {
  return `${name} is not a variable of ledger-api: did you mean ${intended}?`;
}

/** Returns the text about variables that have no effect. */
export function ignoredText(names: readonly string[]): string {
  return `No variables of ledger-api, and without effect: ${names.join(', ')}.`;
}
