import { nearest } from '#spelling';

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
    .map((name) => ({ name, intended: nearest(name, PREFIX.test(name) ? all : prefixed) }))
    .filter(({ name, intended }) => PREFIX.test(name) || (intended !== undefined && !hasOwnPrefix(name, intended)));
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
