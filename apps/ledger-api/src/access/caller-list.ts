import { hash } from 'node:crypto';
import { callerNameFault } from '#ledger-gateway';
import { makeApiKey, type NewApiKey } from './api-key.js';
import {
  CallersError,
  requireUnique,
  subjectError,
  type CallerEntry,
  type CallerList,
  type Role,
  type StoredKey,
} from './caller-entry.js';

/** A caller to add. */
export interface NewCaller {
  readonly name: string;
  readonly role: Role;
  readonly subject?: string;
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
  const { name, role, subject } = caller;
  const error = callerNameFault(name) ?? (subject === undefined ? undefined : subjectError(subject));
  if (error !== undefined) throw new CallersError(error);
  if (callers.some((entry) => entry.name === name && entry.revoked === undefined)) {
    throw new CallersError(`${name} is already a caller. Create another key with "callers rotate ${name}".`);
  }
  const key = caller.withKey ? makeApiKey() : undefined;
  const entry = {
    name,
    role,
    added: now.toISOString(),
    ...(subject !== undefined && { subject }),
    keys: key === undefined ? [] : [recordOf(key, now, caller.expires)],
  };
  const changed = [...callers.filter((other) => other.name !== name), entry];
  requireUnique(changed);
  return { callers: changed, ...(key && { key }) };
}

/**
 * Creates a caller for a valid token, unless it exists.
 * @throws {@link CallersError} if the caller with this subject was revoked
 */
export function enrolCaller(
  callers: CallerList,
  { subject, role }: Readonly<{ subject: string; role: Role }>,
  now = new Date(),
): ChangedCallers {
  const known = callers.filter((entry) => entry.subject === subject);
  if (known.some(({ revoked }) => revoked === undefined)) return { callers };
  const [previous] = known;
  if (previous !== undefined) throw new CallersError(`${previous.name} was revoked at ${String(previous.revoked)}.`);
  const error = subjectError(subject);
  if (error !== undefined) throw new CallersError(error);
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
