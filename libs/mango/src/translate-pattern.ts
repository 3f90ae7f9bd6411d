import {
  SPACE,
  NO_SPACE,
  SAME,
  ASSERTIONS,
  SAME_IN_CLASS,
  QUANTIFIER,
  MAX_REPETITIONS,
  GROUPS,
  NAMED_GROUP,
  COMMENT,
  FLAGS,
  UNSUPPORTED,
  POSIX,
  CHARACTER,
  EMPTY_QUOTES,
  NOT_ASCII,
  Unsupported,
  Invalid,
} from './pcre-syntax.js';

/** A pattern of PCRE in the syntax of RE2. */
export interface TranslatedPattern {
  readonly expression: string;
  /** Whether it contains `$` or `\Z`. */
  readonly hasEnd: boolean;
  /** The name of a construct that RE2 does not have, or understands differently. */
  readonly unsupported?: string;
}

/** A group, or the whole pattern. */
interface Scope {
  ignoresCase: boolean;
  isMultiline: boolean;
  /** Whether `$` or `\Z` precedes, in this alternative, and in an earlier one. */
  isAfterEnd: boolean;
  hadEnd: boolean;
}

/** Translates a pattern whose characters are bytes. An invalid one is translated into one that RE2 refuses. */
export function translatePattern(pattern: string): TranslatedPattern {
  const translation = new Translation(pattern);
  try {
    const expression = translation.translate();
    return { expression, hasEnd: translation.hasEnd };
  } catch (error) {
    if (error instanceof Invalid) return { expression: '(', hasEnd: false };
    if (!(error instanceof Unsupported)) throw error;
    return { expression: '', hasEnd: false, unsupported: error.message };
  }
}

class Translation {
  hasEnd = false;
  #hasExactEnd = false;
  readonly #pattern: string;
  #at = 0;
  readonly #scopes: [Scope, ...Scope[]] = [
    { ignoresCase: false, isMultiline: false, isAfterEnd: false, hadEnd: false },
  ];
  /** What a quantifier would apply to: nothing after an assertion. */
  #previous: 'nothing' | 'item' | 'repetition' = 'nothing';
  readonly #names = new Set<string>();
  #mayRepeatNames = false;
  /** Whether the last group contains an end. */
  #groupHadEnd = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  translate(): string {
    let expression = '';
    while (this.#at < this.#pattern.length) expression += this.#next();
    if (this.hasEnd && this.#hasExactEnd) throw new Unsupported(String.raw`\z together with $ or \Z`);
    return expression;
  }

  get #scope(): Scope {
    return this.#scopes.at(-1) ?? this.#scopes[0];
  }

  #next(): string {
    const quantifier = this.#quantifier();
    if (quantifier !== undefined) return quantifier;
    const character = this.#take();
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        this.#startItem();
        return this.#class();
      case '(':
        return this.#group();
      case ')':
        return this.#endGroup();
      case '|':
        return this.#alternative();
      case '^':
      case '$':
        return this.#anchor(character);
      case '.':
        this.#startItem();
        return character;
      default:
        return this.#byte(character.charCodeAt(0));
    }
  }

  #alternative(): string {
    this.#scope.hadEnd ||= this.#scope.isAfterEnd;
    this.#scope.isAfterEnd = false;
    return this.#assertion('|');
  }

  #anchor(character: '^' | '$'): string {
    const { isMultiline } = this.#scope;
    if (character === '$' && !isMultiline) this.#noteEnd();
    // In PCRE it does not match after a newline that is the last character.
    if (character === '^' && isMultiline && !this.#precedesCharacter()) {
      throw new Unsupported('^ and the flag (?m), unless a character follows');
    }
    return this.#assertion(character);
  }

  #precedesCharacter(): boolean {
    CHARACTER.lastIndex = this.#at;
    return CHARACTER.test(this.#pattern);
  }

  #assertion(text: string): string {
    this.#previous = 'nothing';
    return text;
  }

  /** Notes `$` or `\Z`, which matches before a last newline too: what follows cannot match that newline here. */
  #noteEnd(): void {
    this.hasEnd = true;
    this.#scope.isAfterEnd = true;
  }

  /** Begins what matches characters. */
  #startItem(): void {
    if (this.#scopes.some(({ isAfterEnd }) => isAfterEnd)) throw new Unsupported(String.raw`something after $ or \Z`);
    this.#previous = 'item';
    this.#groupHadEnd = false;
  }

  /** Returns a byte as an expression. RE2 takes it for a letter of Latin-1, and PCRE knows the case of ASCII letters only. */
  #byte(code: number): string {
    this.#startItem();
    return this.#scope.ignoresCase && code >= NOT_ASCII ? `(?-i:${hexadecimal(code)})` : hexadecimal(code);
  }

  #classByte(code: number): string {
    if (this.#scope.ignoresCase && code >= NOT_ASCII) {
      throw new Unsupported('a letter that is not ASCII in a class and the flag (?i)');
    }
    return hexadecimal(code);
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
    this.#requireItem(text);
    // Numbers in the wrong order are an error.
    if (most !== '' && Number(most) < Number(least)) throw new Invalid();
    if (Math.max(Number(least), Number(most)) > MAX_REPETITIONS) {
      throw new Unsupported(`a repetition of more than ${MAX_REPETITIONS}`);
    }
    return this.#suffixed(text);
  }

  /** Checks what a quantifier applies to. */
  #requireItem(quantifier: string): void {
    if (this.#previous === 'nothing') throw new Invalid();
    if (this.#previous === 'repetition') throw new Unsupported('a repetition of a repetition');
    if (this.#groupHadEnd && quantifier !== '?') throw new Unsupported(String.raw`a repetition of $ or \Z`);
    this.#previous = 'repetition';
  }

  /** Returns a quantifier with what follows it: a question mark changes which text is found, not whether there is one. */
  #suffixed(text: string): string {
    const suffix = this.#pattern.charAt(this.#at);
    if (suffix === '+') throw new Unsupported(`a possessive quantifier ${text}+`);
    if (suffix === '?') this.#at += 1;
    return suffix === '?' ? `${text}?` : text;
  }

  #escape(): string {
    const character = this.#take();
    switch (character) {
      case 'E':
        return '';
      case 'Q':
        return this.#quoted((code) => this.#byte(code));
      case 'Z':
        this.#noteEnd();
        return this.#assertion(String.raw`\z`);
      case 'z':
        this.#hasExactEnd = true;
    }
    if (character !== '' && ASSERTIONS.includes(character)) return this.#assertion(`\\${character}`);
    this.#startItem();
    if (character === 's') return `[${SPACE}]`;
    if (character === 'S') return `[^${SPACE}]`;
    return SAME.includes(character) ? `\\${character}` : this.#character(character, (code) => this.#byte(code));
  }

  /** Translates an escape of one character. @param written - writes a byte */
  #character(character: string, written: (code: number) => string): string {
    switch (character) {
      // A backslash at the end is an error.
      case '':
        throw new Invalid();
      case 'e':
        return written(0x1b);
      case 'x':
        return written(this.#hexadecimal());
      case '0':
        return written(Number.parseInt(`0${this.#match(/[0-7]{0,2}/y)?.[0]}`, 8));
      default:
        return written(literal(character));
    }
  }

  #hexadecimal(): number {
    const digits = this.#match(/\{([0-9a-fA-F]+)\}/y)?.[1] ?? this.#match(/(?!\{)[0-9a-fA-F]{0,2}/y)?.[0];
    const code = Number.parseInt(`0${digits}`, 16);
    // Characters are bytes: a larger one is an error, and so are braces without a number.
    if (digits === undefined || code > 0xff) throw new Invalid();
    return code;
  }

  #quoted(written: (code: number) => string): string {
    const end = this.#pattern.indexOf(String.raw`\E`, this.#at);
    const text = this.#pattern.slice(this.#at, end === -1 ? undefined : end);
    this.#at = end === -1 ? this.#pattern.length : end + 2;
    return Array.from(text, (character) => written(character.charCodeAt(0))).join('');
  }

  #class(): string {
    if (this.#match(POSIX) !== undefined) throw new Invalid();
    this.#match(EMPTY_QUOTES);
    let text = this.#match(/\^/y) === undefined ? '[' : '[^';
    this.#match(EMPTY_QUOTES);
    // A bracket at the start does not end the class.
    if (this.#match(/\]/y) !== undefined) text += String.raw`\]`;
    while (this.#match(/\]/y) === undefined) {
      if (this.#at >= this.#pattern.length) throw new Invalid();
      text += this.#classPart(text);
    }
    return `${text}]`;
  }

  /** @param before - the class until here */
  #classPart(before: string): string {
    if (this.#match(/\[[.=]/y) !== undefined) throw new Unsupported('a collating element');
    const posix = this.#match(/\[:\^?[a-z]+:\]/y);
    if (posix !== undefined) return posix[0];
    const character = this.#take();
    if (character === '\\') return this.#classEscape(before);
    if (character === '[') {
      if (this.#match(POSIX) !== undefined) throw new Invalid();
      return String.raw`\[`;
    }
    return character < '\x80' ? character : this.#classByte(character.charCodeAt(0));
  }

  #classEscape(before: string): string {
    const character = this.#take();
    if (character === 'b') return String.raw`\x08`;
    if (character === 'E') return '';
    if (character === 'Q') return this.#quoted((code) => this.#classByte(code));
    if ('dDwWsS'.includes(character) && character !== '') {
      if (/[^[^]-$/.test(before)) throw new Unsupported(`a range that ends with \\${character}`);
      // A hyphen after it is no range.
      const hyphen = this.#match(/-/y) === undefined ? '' : String.raw`\-`;
      return `${{ s: SPACE, S: NO_SPACE }[character] ?? `\\${character}`}${hyphen}`;
    }
    if (SAME_IN_CLASS.includes(character)) return `\\${character}`;
    return this.#character(character, (code) => this.#classByte(code));
  }

  #group(): string {
    for (const [start, name] of GROUPS) if (this.#match(start) !== undefined) throw new Unsupported(name);
    if (this.#match(COMMENT) !== undefined) return '';
    this.#previous = 'nothing';
    const flags = this.#match(FLAGS);
    if (flags !== undefined) return this.#flags(flags);
    const name = this.#match(NAMED_GROUP)?.[0].replaceAll(/^\?P|\W/g, '');
    if (name !== undefined) this.#noteName(name);
    // A group of PCRE has no question mark here.
    else if (this.#pattern.charAt(this.#at) === '?') throw new Invalid();
    this.#startGroup();
    return '(?:';
  }

  #noteName(name: string): void {
    if (this.#names.has(name) && !this.#mayRepeatNames) throw new Invalid();
    this.#names.add(name);
  }

  #startGroup(): void {
    this.#scopes.push({ ...this.#scope, isAfterEnd: false, hadEnd: false });
  }

  #endGroup(): string {
    const [ended, isWhole] = [this.#scope, this.#scopes.length === 1];
    if (isWhole) throw new Invalid();
    this.#scopes.pop();
    this.#groupHadEnd = ended.isAfterEnd || ended.hadEnd;
    this.#scope.isAfterEnd ||= this.#groupHadEnd;
    this.#previous = 'item';
    return ')';
  }

  #flags(flags: RegExpExecArray): string {
    const [, set = '', cleared = '', end = ''] = flags;
    if (end === ':') this.#startGroup();
    this.#mayRepeatNames ||= set.includes('J');
    const scope = this.#scope;
    scope.ignoresCase = (scope.ignoresCase || set.includes('i')) && !cleared.includes('i');
    scope.isMultiline = (scope.isMultiline || set.includes('m')) && !cleared.includes('m');
    return translateFlags(flags);
  }
}

function translateFlags([, set = '', cleared = '', end = '']: RegExpExecArray): string {
  if (set.includes('x')) throw new Unsupported('the flag (?x)');
  const [on, off] = [set, cleared.slice(1)].map((flags) => [...new Set(flags.replaceAll(/[xJ]/g, ''))].join(''));
  const flags = `${on}${off === '' ? '' : `-${off}`}`;
  if (end === ':') return `(?${flags}:`;
  return flags === '' ? '' : `(?${flags})`;
}

/** Returns the byte after a backslash, which represents itself if it is no letter or digit. */
function literal(character: string): number {
  if (/[1-9]/.test(character)) throw new Unsupported(`a backreference \\${character}`);
  if (/[a-zA-Z]/.test(character)) throw new Unsupported(`${UNSUPPORTED[character] ?? 'the escape'} \\${character}`);
  return character.charCodeAt(0);
}

function hexadecimal(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
