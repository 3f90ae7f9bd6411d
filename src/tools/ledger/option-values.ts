import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { parsePolicy, type Policy } from '#tlog';
import { reasonOf } from '../command-line.js';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const LONGEST_MS = 3650 * UNITS.d;

/** Parses the number of a format of the store. */
export function storeFormat(text: string): number {
  if (/^[1-9]$/.test(text)) return Number(text);
  throw new Error('A format is a number from 1 to 9.');
}

/** Parses an option by a function that throws; its message is shown as an error of the command line. */
export function parsedBy<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      throw new InvalidArgumentError(`${reasonOf(error as Error)}.`.replace(/\.\.$/, '.'));
    }
  };
}

/** Adds an attribute such as role=auditor to the previous ones. */
export function attribute(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name = '', value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (value === undefined) throw new InvalidArgumentError('Use NAME=VALUE, such as role=auditor.');
  if (Object.hasOwn(previous, name)) throw new InvalidArgumentError(`The attribute ${name} is given twice.`);
  return { ...previous, [name]: value };
}

/** Parses a time such as 90d to milliseconds. */
export function lifetime(text: string): number {
  const [, count = '', unit = ''] = /^([1-9][0-9]{0,6})([mhdw])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (unit in UNITS ? UNITS[unit as keyof typeof UNITS] : 0);
  if (milliseconds === 0 || milliseconds > LONGEST_MS) {
    throw new InvalidArgumentError('Use a number and m, h, d or w, such as 90d; at most ten years.');
  }
  return milliseconds;
}

/** Parses the name of a witness. */
export function witnessName(text: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/.test(text)) return text;
  throw new InvalidArgumentError('Use 1 to 40 lower-case letters, digits, dots, dashes and underscores.');
}

/** Parses a host, or a path below one, of which the name of a key can begin. */
export function hostName(text: string): string {
  if (/^[^\s+/]+(\/[^\s+/]+)*$/.test(text)) return text;
  throw new InvalidArgumentError(
    'Use a host such as witness.example.org, without white space, "+" or "/" at its ends.',
  );
}

/** Parses the URL of the API; its path may be left out. */
export function apiUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    const path = url.pathname.replace(/\/$/, '');
    return url.origin + (path === '' ? '/api/v1' : path);
  }
  throw new InvalidArgumentError('Use a URL such as https://ledger.example.org/api/v1.');
}

/** Reads a trust policy from its file. */
export function policyFile(file: string): Policy {
  return parsePolicy(readFileSync(file, 'utf8'));
}

/** Parses a port; 0 means any. */
export function portNumber(text: string): number {
  const port = Number(text);
  if (/^[0-9]{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Use a number from 0 to 65535.');
}
