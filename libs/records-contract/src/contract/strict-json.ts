import { Buffer } from 'node:buffer';
import { ContractError } from '#contract-kit/contract-error';

/** A value of JSON (RFC 8259). */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Maximum depth of objects and arrays in a document. */
export const MAX_DEPTH = 64;

/** A number; called only where valid JSON has one. */
const NUMBER = /-?[\d.eE+-]+/y;

/** Throws the refusal of the value at a pointer. */
type Refuse = (pointer: string, rule: string) => never;

/** An object or array that the scanner is in. */
interface Level {
  /** The names so far; undefined in an array. */
  readonly names: Set<string> | undefined;
  /** The name of the present member, or the index of the present element. */
  at: string | number;
  expectsName: boolean;
}

/** Limits of a text, and how its refusal names it. */
export interface StrictLimits {
  /** Code of the refusal. */
  readonly code: string;
  /** Name of the argument. */
  readonly name: string;
  readonly maxBytes: number;
  /** 64 by default. */
  readonly maxDepth?: number;
}

/**
 * Parses JSON that has one meaning for every reader.
 * @param name - of the argument, for the refusal
 * @throws `ContractError` with `code` and the JSON pointer (RFC 6901) of the fault, for text that is not JSON, a name that appears
 * twice in an object, a number that a double (IEEE 754) alters, a lone surrogate, more than `maxDepth` levels, or more than `maxBytes`
 */
export function parseStrictly(text: string, { code, name, maxBytes, maxDepth = MAX_DEPTH }: StrictLimits): Json {
  const refuse: Refuse = (pointer, rule) => {
    throw new ContractError(code, `${name} is refused: ${pointer === '' ? 'it' : pointer} ${rule}`);
  };
  if (Buffer.byteLength(text) > maxBytes) refuse('', `must not exceed ${maxBytes} bytes`);
  if (!text.isWellFormed()) refuse('', 'must not contain a lone surrogate');
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return refuse('', 'must be JSON');
  }
  scan(new Scanner(text, maxDepth, refuse));
  return value;
}

/** Examines valid JSON in one pass for what `JSON.parse` accepts and changes. */
function scan(scanner: Scanner): void {
  while (!scanner.isFinished) scanner.step();
}

class Scanner {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #refuse: Refuse;
  readonly #levels: Level[] = [];
  #index = 0;

  constructor(text: string, maxDepth: number, refuse: Refuse) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#refuse = refuse;
  }

  get isFinished(): boolean {
    return this.#index >= this.#text.length;
  }

  /** Consumes one token. */
  step(): void {
    const character = this.#text.charAt(this.#index);
    if (character === '"') this.#string();
    else if (character === '-' || (character >= '0' && character <= '9')) this.#number();
    else {
      this.#punctuation(character);
      this.#index += 1;
    }
  }

  #punctuation(character: string): void {
    if (character === '{') this.#open({ names: new Set(), at: '', expectsName: true });
    else if (character === '[') this.#open({ names: undefined, at: 0, expectsName: false });
    else if (character === '}' || character === ']') this.#levels.pop();
    else if (character === ',') this.#advance();
  }

  #open(level: Level): void {
    if (this.#levels.length === this.#maxDepth) {
      this.#refuse(pointerOf(this.#levels), `is nested deeper than ${this.#maxDepth} levels`);
    }
    this.#levels.push(level);
  }

  #advance(): void {
    const level = this.#levels.at(-1);
    if (level === undefined) return;
    if (typeof level.at === 'number') level.at += 1;
    else level.expectsName = true;
  }

  #string(): void {
    const end = endOfString(this.#text, this.#index);
    const string = stringOf(this.#text.slice(this.#index, end));
    const level = this.#levels.at(-1);
    if (level?.expectsName === true) this.#enterMember(level, string);
    if (!string.isWellFormed()) this.#refuse(pointerOf(this.#levels), 'must not contain a lone surrogate');
    this.#index = end;
  }

  #enterMember(level: Level, name: string): void {
    if (level.names?.has(name) === true) this.#refuse(pointerOf(this.#levels.slice(0, -1)), `has ${shown(name)} twice`);
    level.names?.add(name);
    level.at = name;
    level.expectsName = false;
  }

  #number(): void {
    NUMBER.lastIndex = this.#index;
    const [token = ''] = NUMBER.exec(this.#text) ?? [];
    if (!isExact(token)) {
      this.#refuse(pointerOf(this.#levels), 'has a number that a double cannot represent; send it as a string');
    }
    this.#index += token.length;
  }
}

/** Returns the index after a string's closing quote. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; ; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === '"') return index + 1;
  }
}

function stringOf(quoted: string): string {
  return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

/** Returns whether a number of JSON has the same decimal value after it was a double. */
export function isExact(token: string): boolean {
  // At most 15 significant digits survive a double.
  if (token.length <= 15 && !/[eE]/.test(token)) return true;
  const double = Number(token);
  return Number.isFinite(double) && decimal(token) === decimal(String(double));
}

/** Returns a decimal number as digits without outer zeros and an exponent; 0 for every zero. */
function decimal(token: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let length = digits.length;
  while (digits.charAt(length - 1) === '0') length -= 1;
  if (length === 0) return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - length);
  return `${sign}${digits.slice(0, length)}e${scale}`;
}

/** Returns a JSON pointer. */
function pointerOf(levels: readonly Level[]): string {
  return levels.map(({ at }) => `/${escapePointer(String(at))}`).join('');
}

/** Escapes a name for a JSON pointer (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Quotes a name for a message, at most its first 64 characters. */
export function shown(name: string): string {
  return JSON.stringify(name.length <= 64 ? name : `${name.slice(0, 63)}…`);
}

/**
 * Serializes JSON in its canonical form (RFC 8785): names sorted by UTF-16 code units, numbers and strings as ECMAScript writes
 * them, no white space.
 */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

/** Returns whether a value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value is an array. `Array.isArray` does not narrow readonly arrays. */
export function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
