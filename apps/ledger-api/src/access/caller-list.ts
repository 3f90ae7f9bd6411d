import { hash } from 'node:crypto';
import { callerNameFault, namesTwice } from '#ledger-gateway';
import { makeApiKey, type NewApiKey } from './api-key.js';

/** What a caller may do; each may also do what those before it may. */
export const ROLES = ['reader', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What is kept of one API key. */
export interface KeptKey {
  readonly id: string;
  /** Hexadecimal SHA-256 of the key's text. */
  readonly sha256: string;
  /** When it was made, ISO 8601. */
  readonly made: string;
  /** From when on it is refused, ISO 8601; without it never. */
  readonly expires?: string;
}

/** One entry: who may call, as what, and how they log in. */
export interface CallerEntry {
  readonly name: string;
  readonly role: Role;
  readonly added: string;
  /** Since when nothing of it is taken any more; the name stays known. */
  readonly revoked?: string;
  /** The value of an issuer's claim that stands for this caller; of a revoked one, that stood. */
  readonly subject?: string;
  /** Made of a good token: as what it may call with one is what that allows. */
  readonly enrolled?: true;
  readonly keys: readonly KeptKey[];
}

export type CallerList = readonly CallerEntry[];

/** A list of callers that cannot be used, or a change of it that is refused; the message says what to do. */
export class CallersError extends Error {
  readonly code = 'LEDGER_API.CALLERS';
}

const FORMAT = 1;
const SUBJECT_LENGTH = 256;

/** How a list stands in its file. */
export function formatCallers(callers: CallerList): string {
  return `${JSON.stringify({ format: FORMAT, callers }, null, 2)}\n`;
}

/**
 * Reads a list from the text of its file, strictly: an entry with a field that is not known here, such as a misspelt
 * `expires`, could let somebody in who should not be.
 * @throws {@link CallersError} naming the entry and what is wrong with it
 */
export function parseCallers(text: string): CallerList {
  const { format, callers, ...others } = fieldsOf(parseJson(text), 'the file');
  if (typeof format === 'number' && format > FORMAT) {
    throw new CallersError(`it has format ${format}, and this program reads format ${FORMAT}: use the newer program.`);
  }
  if (format !== FORMAT || !Array.isArray(callers)) throw new CallersError('it is no list of callers.');
  refuseOthers(others, 'the file');
  const entries = callers.map((entry, index) => parseEntry(entry, `entry ${index + 1}`));
  requireUnique(entries);
  return entries;
}

/** What a new caller is added with. */
export interface NewCaller {
  readonly name: string;
  readonly role: Role;
  readonly subject?: string;
  /** Whether it gets an API key. */
  readonly withKey: boolean;
  readonly expires?: Date;
}

/** A changed list, and the key that was made on the way, which is nowhere else. */
export interface ChangedCallers {
  readonly callers: CallerList;
  readonly key?: NewApiKey;
}

/**
 * Adds a caller. A name that was revoked may be given again: whoever gets it is the same one on the ledger.
 * @throws {@link CallersError} for a name or a subject that is taken, reserved or none
 */
export function addCaller(callers: CallerList, caller: NewCaller, now = new Date()): ChangedCallers {
  const { name, role, subject } = caller;
  const fault = nameFault(name) ?? (subject === undefined ? undefined : subjectFault(subject));
  if (fault !== undefined) throw new CallersError(fault);
  if (callers.some((entry) => entry.name === name && entry.revoked === undefined)) {
    throw new CallersError(`${name} is a caller already: give another key with "callers rotate ${name}".`);
  }
  const key = caller.withKey ? makeApiKey() : undefined;
  const entry = {
    name,
    role,
    added: now.toISOString(),
    ...(subject !== undefined && { subject }),
    keys: key === undefined ? [] : [kept(key, now, caller.expires)],
  };
  const changed = [...callers.filter((other) => other.name !== name), entry];
  requireUnique(changed);
  return { callers: changed, ...(key && { key }) };
}

/**
 * Makes a caller of who came with a good token, unless there is one by now.
 * @throws {@link CallersError} when the one of that subject was revoked
 */
export function enrolCaller(
  callers: CallerList,
  { subject, role }: Readonly<{ subject: string; role: Role }>,
  now = new Date(),
): ChangedCallers {
  const known = callers.filter((entry) => entry.subject === subject);
  if (known.some(({ revoked }) => revoked === undefined)) return { callers };
  const [former] = known;
  if (former !== undefined) throw new CallersError(`${former.name} was revoked at ${String(former.revoked)}.`);
  const fault = subjectFault(subject);
  if (fault !== undefined) throw new CallersError(fault);
  const name = nameFor(subject, callers);
  const entry = { name, role, added: now.toISOString(), subject, enrolled: true, keys: [] } as const;
  return { callers: [...callers, entry] };
}

/**
 * The subject where that can be a name and is nobody's, else one like it with a part of its hash. Who may choose their
 * subject can have taken that one too: then the hash goes on.
 */
function nameFor(subject: string, callers: CallerList): string {
  const isFree = (name: string): boolean => callers.every((entry) => entry.name !== name);
  if (nameFault(subject) === undefined && isFree(subject)) return subject;
  const alike = subject
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 23);
  const start = alike === '' ? 'caller' : alike;
  for (let digest = hash('sha256', subject, 'hex'); ; digest = hash('sha256', digest, 'hex')) {
    const name = `${start}-${digest.slice(0, 16)}`;
    if (isFree(name)) return name;
  }
}

/**
 * Refuses a caller from now on, or one of its keys.
 * @throws {@link CallersError} when there is no such caller or key
 */
export function revokeCaller(
  callers: CallerList,
  { name, keyId }: Readonly<{ name: string; keyId?: string | undefined }>,
  now = new Date(),
): ChangedCallers {
  const entry = present(callers, name);
  if (keyId === undefined) {
    // The subject stays, so that nobody is enrolled by it again; another caller may be given it.
    return replaced(callers, { ...entry, revoked: now.toISOString(), keys: [] });
  }
  const keys = entry.keys.filter(({ id }) => id !== keyId);
  if (keys.length === entry.keys.length) throw new CallersError(`${name} has no key ${JSON.stringify(keyId)}.`);
  return replaced(callers, { ...entry, keys });
}

/**
 * Gives a caller a new key. Its others end now, or when the overlap ends.
 * @param overlap - milliseconds for which the old keys are still taken
 * @throws {@link CallersError} when there is no such caller
 */
export function rotateKeys(
  callers: CallerList,
  { name, expires, overlap = 0 }: Readonly<{ name: string; expires?: Date | undefined; overlap?: number }>,
  now = new Date(),
): ChangedCallers {
  const entry = present(callers, name);
  const end = new Date(now.getTime() + overlap).toISOString();
  const former = overlap === 0 ? [] : entry.keys.filter((key) => !hasExpired(key, now));
  const ending = former.map((key) => ({
    ...key,
    expires: key.expires !== undefined && key.expires < end ? key.expires : end,
  }));
  const key = makeApiKey();
  return { ...replaced(callers, { ...entry, keys: [...ending, kept(key, now, expires)] }), key };
}

export function hasExpired(key: KeptKey, now: Date): boolean {
  return endOf(key) <= now.getTime();
}

/** From when on a key is refused, in milliseconds since 1970. */
export function endOf({ expires }: KeptKey): number {
  return expires === undefined ? Infinity : Date.parse(expires);
}

function kept({ id, sha256 }: NewApiKey, now: Date, expires?: Date): KeptKey {
  return { id, sha256, made: now.toISOString(), ...(expires && { expires: expires.toISOString() }) };
}

function present(callers: CallerList, name: string): CallerEntry {
  const entry = callers.find((other) => other.name === name);
  if (entry === undefined) throw new CallersError(`There is no caller ${JSON.stringify(name)}: see "callers list".`);
  if (entry.revoked !== undefined) throw new CallersError(`${name} was revoked at ${entry.revoked}.`);
  return entry;
}

function replaced(callers: CallerList, entry: CallerEntry): ChangedCallers {
  return { callers: callers.map((other) => (other.name === entry.name ? entry : other)) };
}

function nameFault(name: unknown): string | undefined {
  return callerNameFault(typeof name === 'string' ? name : '');
}

function subjectFault(subject: unknown): string | undefined {
  const isOne = typeof subject === 'string' && subject !== '' && subject.length <= SUBJECT_LENGTH;
  return isOne ? undefined : `A subject has 1 to ${SUBJECT_LENGTH} characters.`;
}

function requireUnique(callers: CallerList): void {
  const values = callers.flatMap(({ name, subject, revoked, keys }) => [
    `name ${name}`,
    ...(subject === undefined || revoked !== undefined ? [] : [`subject ${subject}`]),
    ...keys.map(({ id }) => `key ${id}`),
  ]);
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw new CallersError(`the ${value} stands there twice.`);
    seen.add(value);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CallersError('it is not valid JSON.');
  }
  if (namesTwice(text, value)) throw new CallersError('an object in it names a field twice.');
  return value;
}

function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CallersError(`${where} is no JSON object.`);
  }
  return value as Fields;
}

function refuseOthers(others: Fields, where: string): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw new CallersError(`${where} has the unknown field ${JSON.stringify(name)}.`);
}

function parseEntry(value: unknown, where: string): CallerEntry {
  const { name, role, added, revoked, subject, enrolled, keys, ...others } = fieldsOf(value, where);
  const fault = nameFault(name);
  if (fault !== undefined) throw new CallersError(`${where}: ${fault}`);
  const named = `the caller ${String(name)}`;
  refuseOthers(others, named);
  if (!ROLES.some((one) => one === role)) throw new CallersError(`${named}: its role is none of ${ROLES.join(', ')}.`);
  requireSubject(subject, enrolled, named);
  requireTime(added, `${named}: added`);
  if (revoked !== undefined) requireTime(revoked, `${named}: revoked`);
  if (!Array.isArray(keys)) throw new CallersError(`${named}: keys is no list.`);
  return {
    name: name as string,
    role: role as Role,
    added: added as string,
    ...(revoked !== undefined && { revoked: revoked as string }),
    ...(subject !== undefined && { subject: subject as string }),
    ...(enrolled === true && { enrolled }),
    keys: keys.map((key, index) => parseKey(key, `${named}, key ${index + 1}`)),
  };
}

function requireSubject(subject: unknown, enrolled: unknown, named: string): void {
  if (subject !== undefined && subjectFault(subject) !== undefined) {
    throw new CallersError(`${named}: its subject is none.`);
  }
  if (enrolled !== undefined && enrolled !== true) throw new CallersError(`${named}: enrolled is not true.`);
}

function parseKey(value: unknown, where: string): KeptKey {
  const { id, sha256, made, expires, ...others } = fieldsOf(value, where);
  refuseOthers(others, where);
  if (typeof id !== 'string' || !/^[0-9a-z]{8}$/.test(id)) throw new CallersError(`${where}: its id is none.`);
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) {
    throw new CallersError(`${where}: its sha256 is none.`);
  }
  requireTime(made, `${where}: made`);
  if (expires !== undefined) requireTime(expires, `${where}: expires`);
  return { id, sha256, made: made as string, ...(expires !== undefined && { expires: expires as string }) };
}

/** A time as `Date` writes it: anything less exact could be read in two ways. */
function requireTime(value: unknown, where: string): void {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  if (time === undefined || Number.isNaN(time.getTime()) || time.toISOString() !== value) {
    throw new CallersError(`${where} is no time such as 2027-01-31T12:00:00.000Z.`);
  }
}
