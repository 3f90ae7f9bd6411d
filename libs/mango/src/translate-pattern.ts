/** A pattern of PCRE in the syntax of RE2. */
export interface TranslatedPattern {
  readonly expression: string;
  /** Whether it contains `$` or `\Z`. */
  readonly hasEnd: boolean;
  /** The name of a construct that RE2 does not have, or understands differently. */
  readonly unsupported?: string;
}

/** Whitespace of PCRE: RE2 leaves out the vertical tab. */
const SPACE = String.raw`\t\n\v\f\r `;
/** Escapes with the same meaning in both, outside of classes and in them. */
const SAME = 'dDwWAzbBtnrfa';
const SAME_IN_CLASS = 'tnrfa';
const QUANTIFIER = /[*+?]|\{(\d+)(,(\d*))?\}/y;
const QUANTIFIER_START = /[*+?]|\{\d+(,\d*)?\}/y;
const MAX_REPETITIONS = 1000;

/** Groups that begin with `(?`, and their names where RE2 has no equivalent. */
const GROUPS: readonly (readonly [start: RegExp, name: string])[] = [
  [/\?=/y, 'a lookahead (?='],
  [/\?!/y, 'a lookahead (?!'],
  [/\?<=/y, 'a lookbehind (?<='],
  [/\?<!/y, 'a lookbehind (?<!'],
  [/\?>/y, 'an atomic group (?>'],
  [/\?\|/y, 'a branch reset (?|'],
  [/\?\(/y, 'a condition (?('],
  [/\?P=/y, 'a backreference (?P='],
  [/\?(R|&|P>|[+-]?\d)/y, 'a recursion (?'],
  [/\?C/y, 'a callout (?C'],
  [/\*/y, 'a verb (*'],
];
const NAMED_GROUP = /\?(P?<[A-Za-z_]\w*>|'[A-Za-z_]\w*')/y;
const COMMENT = /\?#[^)]*\)/y;
const FLAGS = /\?([imsxUJ]*)(-[imsxUJ]*)?([:)])/y;

/** Escapes of PCRE without an equivalent. */
const UNSUPPORTED: Readonly<Record<string, string>> = { g: 'a backreference', k: 'a backreference' };

/** Thrown within this file for a construct that has no equivalent. */
class Unsupported extends Error {}

/** Translates a pattern whose characters are bytes. An invalid one is translated into one that RE2 refuses. */
export function translatePattern(pattern: string): TranslatedPattern {
  const translation = new Translation(pattern);
  try {
    const expression = translation.translate();
    return { expression, hasEnd: translation.hasEnd };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { expression: '', hasEnd: false, unsupported: error.message };
  }
}

class Translation {
  hasEnd = false;
  #hasExactEnd = false;
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  translate(): string {
    let expression = '';
    while (this.#at < this.#pattern.length) expression += this.#next();
    if (this.hasEnd && this.#hasExactEnd) throw new Unsupported(String.raw`\z together with $ or \Z`);
    return expression;
  }

  #next(): string {
    const quantifier = this.#quantifier();
    if (quantifier !== undefined) return quantifier;
    const character = this.#take();
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        return this.#class();
      case '(':
        return this.#group();
      case '$':
        this.hasEnd = true;
        return '$';
      case '{':
      case '}':
      case ']':
        return `\\${character}`;
      default:
        return character;
    }
  }

  #take(): string {
    return this.#pattern.charAt(this.#at++);
  }

  /** Takes what a sticky expression matches at this place. */
  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#pattern) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #quantifier(): string | undefined {
    const found = this.#match(QUANTIFIER);
    if (found === undefined) return undefined;
    const [text, least = '0', , most = ''] = found;
    // Numbers in the wrong order are an error in PCRE, and so is this in RE2.
    if (most !== '' && Number(most) < Number(least)) return '(';
    if (Math.max(Number(least), Number(most)) > MAX_REPETITIONS) {
      throw new Unsupported(`a repetition of more than ${MAX_REPETITIONS}`);
    }
    return this.#suffixed(text);
  }

  /** Returns a quantifier with what follows it: a question mark changes which text is found, not whether there is one. */
  #suffixed(text: string): string {
    const suffix = this.#pattern.charAt(this.#at);
    if (suffix === '+') throw new Unsupported(`a possessive quantifier ${text}+`);
    if (suffix === '?') this.#at += 1;
    QUANTIFIER_START.lastIndex = this.#at;
    if (QUANTIFIER_START.test(this.#pattern)) throw new Unsupported('a repetition of a repetition');
    return suffix === '?' ? `${text}?` : text;
  }

  #escape(): string {
    const character = this.#take();
    if (character === 's') return `[${SPACE}]`;
    if (character === 'S') return `[^${SPACE}]`;
    if (character === 'Q') return this.#quoted();
    if (character === 'Z') {
      this.hasEnd = true;
      return String.raw`\z`;
    }
    this.#hasExactEnd ||= character === 'z';
    return SAME.includes(character) ? `\\${character}` : this.#character(character);
  }

  /** Translates an escape that stands for one character. */
  #character(character: string): string {
    switch (character) {
      // A backslash at the end is an error in both.
      case '':
        return '\\';
      case 'E':
        return '';
      case 'e':
        return String.raw`\x1b`;
      case 'x':
        return this.#hexadecimal();
      case '0':
        return hexadecimal(Number.parseInt(`0${this.#match(/[0-7]{0,2}/y)?.[0]}`, 8));
      default:
        return literal(character);
    }
  }

  #hexadecimal(): string {
    const digits = this.#match(/\{([0-9a-fA-F]+)\}/y)?.[1] ?? this.#match(/[0-9a-fA-F]{0,2}/y)?.[0];
    const code = Number.parseInt(`0${digits}`, 16);
    // Characters are bytes: a larger one is an error in PCRE.
    return code > 0xff ? '(' : hexadecimal(code);
  }

  #quoted(): string {
    const end = this.#pattern.indexOf(String.raw`\E`, this.#at);
    const text = this.#pattern.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#pattern.length : end + 2;
    return Array.from(text, (character) => hexadecimal(character.charCodeAt(0))).join('');
  }

  #class(): string {
    let text = this.#match(/\^/y) === undefined ? '[' : '[^';
    // A bracket at the start does not end the class.
    if (this.#match(/\]/y) !== undefined) text += String.raw`\]`;
    while (this.#at < this.#pattern.length && this.#match(/\]/y) === undefined) text += this.#classPart(text);
    return this.#pattern.charAt(this.#at - 1) === ']' ? `${text}]` : text;
  }

  /** @param before - the class until here */
  #classPart(before: string): string {
    if (this.#match(/\[[.=]/y) !== undefined) throw new Unsupported('a collating element');
    const posix = this.#match(/\[:\^?[a-z]+:\]/y);
    if (posix !== undefined) return posix[0];
    const character = this.#take();
    if (character === '\\') return this.#classEscape(before);
    return character === '[' ? String.raw`\[` : character;
  }

  #classEscape(before: string): string {
    const character = this.#take();
    if (character === 'b') return String.raw`\x08`;
    if (character === 'Q') return this.#quoted();
    if ('dDwWsS'.includes(character) && character !== '') {
      if (/[^[^]-$/.test(before)) throw new Unsupported(`a range that ends with \\${character}`);
      // A hyphen after it is no range.
      const hyphen = this.#match(/-/y) === undefined ? '' : String.raw`\-`;
      return `${character === 's' ? SPACE : `\\${character}`}${hyphen}`;
    }
    return SAME_IN_CLASS.includes(character) ? `\\${character}` : this.#character(character);
  }

  #group(): string {
    for (const [start, name] of GROUPS) if (this.#match(start) !== undefined) throw new Unsupported(name);
    if (this.#match(COMMENT) !== undefined) return '';
    if (this.#match(NAMED_GROUP) !== undefined) return '(?:';
    const flags = this.#match(FLAGS);
    if (flags !== undefined) return translateFlags(flags);
    // Not a group of PCRE, unless there is no question mark. RE2 refuses it.
    return this.#pattern.charAt(this.#at) === '?' ? '(' : '(?:';
  }
}

/** Names of groups may be used twice with J, which does not matter here. */
function translateFlags([, set = '', cleared = '', end = '']: RegExpExecArray): string {
  if (set.includes('x')) throw new Unsupported('the flag (?x)');
  const [on, off] = [set, cleared.slice(1)].map((flags) => [...new Set(flags.replaceAll(/[xJ]/g, ''))].join(''));
  const flags = `${on}${off === '' ? '' : `-${off}`}`;
  if (end === ':') return `(?${flags}:`;
  return flags === '' ? '' : `(?${flags})`;
}

/** A backslash before anything but letters and digits stands for the character itself. */
function literal(character: string): string {
  if (/[1-9]/.test(character)) throw new Unsupported(`a backreference \\${character}`);
  if (/[a-zA-Z]/.test(character)) throw new Unsupported(`${UNSUPPORTED[character] ?? 'the escape'} \\${character}`);
  return hexadecimal(character.charCodeAt(0));
}

function hexadecimal(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
