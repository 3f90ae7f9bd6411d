import { hash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '#json';
import { callerNameFault } from '#ledger-gateway';
import { makeApiKey, type NewApiKey } from './api-key.js';
import { rolesError, type Roles } from './roles.js';

/** Limits of attributes: every transaction of the caller contains them. */
const MAX_ATTRIBUTES = 16;
const MAX_ATTRIBUTE_VALUE = 256;
const ATTRIBUTE_NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
/** Longest claim value that can be assigned to a caller, in characters. */
const MAX_SUBJECT = 256;

/** A list of callers that is invalid, or a change of it that is refused. The message states what to do. */
export class CallersError extends Error {
  readonly code: string = 'LEDGER_API.CALLERS';
}

/** A name, role, subject or attribute that no caller can have. */
export class InvalidCallerError extends CallersError {
  override readonly code = 'LEDGER_API.INVALID_CALLER';
}

/** The record of an API key. */
export interface StoredKey {
  readonly id: string;
  /** SHA-256 of the key's text. */
  readonly sha256: string;
  readonly made: string;
  /** From then on it is refused; without it never. */
  readonly expires?: string;
}

/** An entry of the callers file: the name of a caller, its roles, and how it authenticates. */
export interface CallerEntry {
  readonly name: string;
  readonly role: Roles;
  readonly added: string;
  /** Since then all its keys and tokens are refused; the name stays known. */
  readonly revoked?: string;
  /** The value of the issuer's claim that identifies this caller. */
  readonly subject?: string;
  /** Created from a valid token: the role in each token is the role of the call. */
  readonly enrolled?: true;
  /** In the caller's certificate on the embedded ledger, where chaincode reads them. */
  readonly attributes?: CallerAttributes;
  readonly keys: readonly StoredKey[];
}

/** Texts by name. */
export type CallerAttributes = Readonly<Record<string, string>>;

export type CallerList = readonly CallerEntry[];

type Check = (value: unknown) => boolean;
/** Returns the error in a value, or undefined. */
type Rule = (value: unknown) => string | undefined;

function requires(isValid: Check, error: string): Rule {
  return (value) => (isValid(value) ? undefined : error);
}
function matches(pattern: RegExp): Check {
  return (value) => typeof value === 'string' && pattern.test(value);
}
function optional(rule: Rule): Rule {
  return (value) => (value === undefined ? undefined : rule(value));
}
/** The form of `Date.toISOString`: any other form could be read in two ways. */
const time = requires((value) => {
  const date = new Date(String(value));
  return !Number.isNaN(date.getTime()) && date.toISOString() === value;
}, 'must be a time such as 2027-01-31T12:00:00.000Z');
const subjectRule = requires(
  (value) => typeof value === 'string' && value !== '' && value.length <= MAX_SUBJECT,
  `must have 1 to ${MAX_SUBJECT} characters`,
);

function attributesError(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'must be an object';
  const attributes = Object.entries(value);
  if (attributes.length > MAX_ATTRIBUTES) return `must not have more than ${MAX_ATTRIBUTES} names`;
  const isValid = attributes.every(
    ([name, text]) => ATTRIBUTE_NAME.test(name) && typeof text === 'string' && isAttributeValue(text),
  );
  const names = 'must have names of 1 to 64 letters, digits, dots, hyphens and underscores, a letter first';
  return isValid
    ? undefined
    : `${names}, and values of 1 to ${MAX_ATTRIBUTE_VALUE} characters without control characters`;
}

/** The shim of Node returns an empty value as a missing one. */
function isAttributeValue(text: string): boolean {
  return text !== '' && text.length <= MAX_ATTRIBUTE_VALUE && !/[\p{Cc}\p{Cs}]/u.test(text);
}

// class-validator would take 0.1 ms for each entry, and with it seconds for 10,000 callers after each change.
const KEY_RULES: Readonly<Record<keyof StoredKey, Rule>> = {
  id: requires(matches(/^[0-9a-z]{8}$/), 'must be 8 digits or lower-case letters'),
  sha256: requires(matches(/^[0-9a-f]{64}$/), 'must be 64 hexadecimal digits'),
  made: time,
  expires: optional(time),
};
const ENTRY_RULES: Readonly<Record<keyof CallerEntry, Rule>> = {
  name: (value) => callerNameFault(typeof value === 'string' ? value : ''),
  role: rolesError,
  added: time,
  revoked: optional(time),
  subject: optional(subjectRule),
  enrolled: optional(requires((value) => value === true, 'must be true')),
  attributes: optional(attributesError),
  keys: requires(Array.isArray, 'must be a list'),
};

/**
 * Validates an entry of a callers file strictly: an unknown field, such as a misspelt `expires`, could grant access that was
 * not intended.
 * @param where - names the entry in errors
 * @throws {@link CallersError}
 */
export function requireEntry(value: unknown, where: string): CallerEntry {
  const entry = requireFields(value, ENTRY_RULES, where) as CallerEntry;
  for (const [index, key] of entry.keys.entries()) {
    requireFields(key, KEY_RULES, `the caller ${entry.name}: key ${index + 1}`);
  }
  return entry;
}

function requireFields(value: unknown, rules: Readonly<Record<string, Rule>>, where: string): object {
  const fields = requireObject(value, where);
  for (const [name, rule] of Object.entries(rules)) {
    const error = rule(fields[name]);
    if (error !== undefined) throw new CallersError(`${where}: ${name}: ${error}.`);
  }
  requireKnown(fields, Object.keys(rules), where);
  return fields;
}

/** @throws {@link CallersError} if a value is not a JSON object */
export function requireObject(value: unknown, where: string): JsonObject {
  if (isJsonObject(value)) return value;
  throw new CallersError(`${where} is not a JSON object.`);
}

/** @throws {@link CallersError} if an object has another field than these */
export function requireKnown(fields: object, known: readonly string[], where: string): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CallersError(`${where} has the unknown field ${JSON.stringify(unknown)}.`);
}

/** A caller to add. */
export interface NewCaller {
  readonly name: string;
  readonly role: Roles;
  readonly subject?: string;
  readonly attributes?: CallerAttributes | undefined;
  /** Whether it gets an API key. */
  readonly withKey: boolean;
  readonly expires?: Date;
}

/** A changed list, and the created key, whose text is stored nowhere. */
export interface ChangedCallers {
  readonly callers: CallerList;
  readonly key?: NewApiKey;
}

/**
 * Adds a caller. A revoked name may be used again; on the ledger it is the same caller.
 * @throws {@link CallersError} for a name or a subject that is in use, reserved or invalid
 */
export function addCaller(callers: CallerList, caller: NewCaller, now = new Date()): ChangedCallers {
  const { name, role, subject, attributes } = caller;
  requireCallerValues(caller);
  if (callers.some((entry) => entry.name === name && entry.revoked === undefined)) {
    throw new CallersError(`${name} is already a caller. Create another key with "callers rotate ${name}".`);
  }
  const key = caller.withKey ? makeApiKey() : undefined;
  const entry = {
    name,
    role,
    added: now.toISOString(),
    ...(subject !== undefined && { subject }),
    ...(attributes !== undefined && { attributes }),
    keys: key === undefined ? [] : [recordOf(key, now, caller.expires)],
  };
  const changed = [...callers.filter((other) => other.name !== name), entry];
  requireUnique(changed);
  return { callers: changed, ...(key && { key }) };
}

/** @throws {@link InvalidCallerError} for a name, roles, a subject or attributes that no caller can have */
export function requireCallerValues({ name, role, subject, attributes }: Omit<NewCaller, 'withKey'>): void {
  const error = callerNameFault(name);
  if (error !== undefined) throw new InvalidCallerError(error);
  const roleError = rolesError(role);
  if (roleError !== undefined) throw new InvalidCallerError(`A role ${roleError}.`);
  const subjectError = subject === undefined ? undefined : subjectRule(subject);
  if (subjectError !== undefined) throw new InvalidCallerError(`A subject ${subjectError}.`);
  const attributeError = attributes === undefined ? undefined : attributesError(attributes);
  if (attributeError !== undefined) throw new InvalidCallerError(`Attributes ${attributeError}.`);
}

/** Creates a caller for a valid token, unless there is one with its subject, also a revoked one, or no entry can have it. */
export function enrolCaller(
  callers: CallerList,
  { subject, role }: Readonly<{ subject: string; role: Roles }>,
  now = new Date(),
): ChangedCallers {
  if (subjectRule(subject) !== undefined || callers.some((entry) => entry.subject === subject)) return { callers };
  const name = nameFor(subject, callers);
  const entry = { name, role, added: now.toISOString(), subject, enrolled: true, keys: [] } as const;
  return { callers: [...callers, entry] };
}

/**
 * Returns the subject if it is a valid and free name, else a similar name with a part of its hash. Users who can choose their
 * subject may have taken that name too: then the hash is hashed again.
 */
function nameFor(subject: string, callers: CallerList): string {
  const isFree = (name: string): boolean => callers.every((entry) => entry.name !== name);
  if (callerNameFault(subject) === undefined && isFree(subject)) return subject;
  const similar = subject
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 23);
  const start = similar === '' ? 'caller' : similar;
  for (let digest = hash('sha256', subject, 'hex'); ; digest = hash('sha256', digest, 'hex')) {
    const name = `${start}-${digest.slice(0, 16)}`;
    if (isFree(name)) return name;
  }
}

/**
 * Revokes a caller or one of its keys.
 * @throws {@link CallersError} if there is no such caller or key
 */
export function revokeCaller(
  callers: CallerList,
  { name, keyId }: Readonly<{ name: string; keyId?: string | undefined }>,
  now = new Date(),
): ChangedCallers {
  const entry = present(callers, name);
  if (keyId === undefined) {
    // The subject stays, so that its tokens create no new caller. Another caller may get it.
    return replaced(callers, { ...entry, revoked: now.toISOString(), keys: [] });
  }
  const keys = entry.keys.filter(({ id }) => id !== keyId);
  if (keys.length === entry.keys.length) throw new CallersError(`${name} has no key ${JSON.stringify(keyId)}.`);
  return replaced(callers, { ...entry, keys });
}

/**
 * Creates a new key for a caller. Its other keys expire now, or after the overlap.
 * @param overlap - milliseconds for which the old keys stay valid
 * @throws {@link CallersError} if there is no such caller
 */
export function rotateKeys(
  callers: CallerList,
  { name, expires, overlap = 0 }: Readonly<{ name: string; expires?: Date | undefined; overlap?: number }>,
  now = new Date(),
): ChangedCallers {
  const entry = present(callers, name);
  const end = new Date(now.getTime() + overlap).toISOString();
  const previous = overlap === 0 ? [] : entry.keys.filter((key) => !hasExpired(key, now));
  const expiring = previous.map((key) => ({
    ...key,
    expires: key.expires !== undefined && key.expires < end ? key.expires : end,
  }));
  const key = makeApiKey();
  return { ...replaced(callers, { ...entry, keys: [...expiring, recordOf(key, now, expires)] }), key };
}

/** Checks whether a key has expired. */
export function hasExpired(key: StoredKey, now: Date): boolean {
  return expiryOf(key) <= now.getTime();
}

/** Returns when a key expires, in milliseconds since 1970. */
export function expiryOf({ expires }: StoredKey): number {
  return expires === undefined ? Infinity : Date.parse(expires);
}

function recordOf({ id, sha256 }: NewApiKey, now: Date, expires?: Date): StoredKey {
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

/** @throws {@link CallersError} if a name, a subject or a key appears in two entries */
export function requireUnique(callers: CallerList): void {
  const values = callers.flatMap(({ name, subject, revoked, keys }) => [
    `name ${name}`,
    ...(subject === undefined || revoked !== undefined ? [] : [`subject ${subject}`]),
    ...keys.map(({ id }) => `key ${id}`),
  ]);
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw new CallersError(`the ${value} appears more than once.`);
    seen.add(value);
  }
}
