import { setImmediate as nextTurn } from 'node:timers/promises';
import { Equals, IsArray, IsIn, Length, Matches, ValidateBy, ValidateIf, validateSync } from 'class-validator';
import { callerNameFault, namesTwice } from '#ledger-gateway';

/** The roles of callers, each with the permissions of those before it. */
export const ROLES = ['reader', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Checks whether a role includes another. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Longest claim value that can be assigned to a caller, in characters. */
const MAX_SUBJECT = 256;
/** Entries that are validated in one turn of the event loop, so that a long list delays requests by a few milliseconds. */
const ENTRIES_PER_TURN = 25;
const FORMAT = 1;

/** A list of callers that is invalid, or a change of it that is refused. The message states what to do. */
export class CallersError extends Error {
  readonly code = 'LEDGER_API.CALLERS';
}

/** Validates a time in the form of `Date.toISOString`: any other form could be read in two ways. */
function IsTime(): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    const time = typeof value === 'string' ? new Date(value) : undefined;
    return time !== undefined && !Number.isNaN(time.getTime()) && time.toISOString() === value;
  };
  return ValidateBy(
    { name: 'isTime', validator: { validate } },
    { message: '$property must be a time such as 2027-01-31T12:00:00.000Z' },
  );
}

function IsCallerName(): PropertyDecorator {
  const fault = (value: unknown): string | undefined => callerNameFault(typeof value === 'string' ? value : '');
  return ValidateBy({
    name: 'isCallerName',
    validator: {
      validate: (value) => fault(value) === undefined,
      defaultMessage: (context) => fault(context?.value) ?? '',
    },
  });
}

/** A property that may be absent, but not null. */
function IfPresent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

class StoredKeyDto {
  @Matches(/^[0-9a-z]{8}$/, { message: 'id must be 8 digits or lower-case letters' })
  readonly id!: string;

  /** SHA-256 of the key's text. */
  @Matches(/^[0-9a-f]{64}$/, { message: 'sha256 must be 64 hexadecimal digits' })
  readonly sha256!: string;

  @IsTime()
  readonly made!: string;

  /** From then on it is refused; without it never. */
  @IfPresent()
  @IsTime()
  readonly expires?: string;
}

class CallerEntryDto {
  @IsCallerName()
  readonly name!: string;

  @IsIn(ROLES, { message: `role must be one of ${ROLES.join(', ')}` })
  readonly role!: Role;

  @IsTime()
  readonly added!: string;

  /** Since then all its keys and tokens are refused; the name stays known. */
  @IfPresent()
  @IsTime()
  readonly revoked?: string;

  /** The value of the issuer's claim that identifies this caller. */
  @IfPresent()
  @Length(1, MAX_SUBJECT, { message: `subject must have 1 to ${MAX_SUBJECT} characters` })
  readonly subject?: string;

  /** Created from a valid token: the role in each token is the role of the call. */
  @IfPresent()
  @Equals(true, { message: 'enrolled must be true' })
  readonly enrolled?: true;

  @IsArray({ message: 'keys must be a list' })
  readonly keys!: readonly StoredKey[];
}

/** The record of an API key. */
export type StoredKey = Pick<StoredKeyDto, keyof StoredKeyDto>;

/** An entry of the callers file: the name of a caller, its role, and how it authenticates. */
export type CallerEntry = Pick<CallerEntryDto, keyof CallerEntryDto>;

const ENTRY_FIELDS = ['name', 'role', 'added', 'revoked', 'subject', 'enrolled', 'keys'];
const KEY_FIELDS = ['id', 'sha256', 'made', 'expires'];

export type CallerList = readonly CallerEntry[];

/** Returns the text of a callers file. */
export function formatCallers(callers: CallerList): string {
  return `${JSON.stringify({ format: FORMAT, callers }, null, 2)}\n`;
}

/**
 * Parses the text of a callers file strictly: an unknown field, such as a misspelt `expires`, could grant access that was not
 * intended. Yields to the event loop while it validates.
 * @throws {@link CallersError} with the entry and the reason
 */
export async function parseCallers(text: string): Promise<CallerList> {
  const { format, callers, ...others } = fieldsOf(await parseJson(text), 'the file');
  if (typeof format === 'number' && format > FORMAT) {
    throw new CallersError(`it has format ${format}, and this program reads format ${FORMAT}: use the newer program.`);
  }
  if (format !== FORMAT || !Array.isArray(callers)) throw new CallersError('it is not a list of callers.');
  requireKnown(others, [], 'the file');
  const entries: CallerEntry[] = [];
  for (const [index, value] of (callers as readonly unknown[]).entries()) {
    if (index % ENTRIES_PER_TURN === 0) await nextTurn();
    entries.push(entryOf(value, `entry ${index + 1}`));
  }
  requireUnique(entries);
  return entries;
}

async function parseJson(text: string): Promise<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CallersError('it is not valid JSON.');
  }
  await nextTurn();
  if (namesTwice(text, value)) throw new CallersError('an object in it names a field twice.');
  return value;
}

function entryOf(value: unknown, where: string): CallerEntry {
  const fields = fieldsOf(value, where);
  const entry = validated(Object.assign(new CallerEntryDto(), known(fields, ENTRY_FIELDS)), where);
  const named = `the caller ${entry.name}`;
  requireKnown(fields, ENTRY_FIELDS, named);
  const keys = entry.keys.map((key, index) => keyOf(key, `${named}, key ${index + 1}`));
  return Object.assign(entry, { keys });
}

function keyOf(value: unknown, where: string): StoredKey {
  const fields = fieldsOf(value, where);
  requireKnown(fields, KEY_FIELDS, where);
  return validated(Object.assign(new StoredKeyDto(), fields), where);
}

function validated<T extends object>(instance: T, where: string): T {
  const [error] = validateSync(instance, { stopAtFirstError: true });
  if (error === undefined) return instance;
  const named = 'name' in instance && error.property !== 'name' ? `the caller ${String(instance.name)}` : where;
  throw new CallersError(`${named}: ${Object.values(error.constraints ?? {}).join(', ')}.`);
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown, where: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new CallersError(`${where} is not a JSON object.`);
}

function known(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

function requireKnown(fields: Fields, names: readonly string[], where: string): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new CallersError(`${where} has the unknown field ${JSON.stringify(unknown)}.`);
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

/** Returns the error in a claim value that should identify a caller; undefined if it is valid. */
export function subjectError(subject: string): string | undefined {
  const isValid = subject !== '' && subject.length <= MAX_SUBJECT;
  return isValid ? undefined : `A subject must have 1 to ${MAX_SUBJECT} characters.`;
}
