// The syntax of PCRE as it differs from that of RE2.

/** Whitespace of PCRE, and all other bytes: RE2 leaves out the vertical tab. */
export const SPACE = String.raw`\t\n\v\f\r `;
export const NO_SPACE = String.raw`\x00-\x08\x0e-\x1f\x21-\xff`;
/** Escapes with the same meaning in both, outside of classes and in them. */
export const SAME = 'dDwWtnrfa';
export const ASSERTIONS = 'AzbB';
export const SAME_IN_CLASS = 'tnrfa';
export const QUANTIFIER = /[*+?]|\{(\d+)(,(\d*))?\}/y;
export const MAX_REPETITIONS = 1000;

/** Groups that begin with `(?`, and their names where RE2 has no equivalent. */
export const GROUPS: readonly (readonly [start: RegExp, name: string])[] = [
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
export const NAMED_GROUP = /\?(P?<[A-Za-z_]\w*>|'[A-Za-z_]\w*')/y;
export const COMMENT = /\?#[^)]*\)/y;
export const FLAGS = /\?([imsxUJ]*)(-[imsxUJ]*)?([:)])/y;

/** Escapes of PCRE without an equivalent. */
export const UNSUPPORTED: Readonly<Record<string, string>> = { g: 'a backreference', k: 'a backreference' };

/** A name between brackets as in `[[:alpha:]]`, which is an error of PCRE outside of a class. */
export const POSIX = /([:.=])(?:(?!\1\])[^\]\\])*\1\]/y;
/** What matches exactly one character, or several of them. */
export const CHARACTER = /(?:[^\\[\](){}*+?^$|]|\\[dDwWsS])(?![*?{]|\\[EQ]|\(\?#)/y;
/** What PCRE skips at the start of a class. */
export const EMPTY_QUOTES = /(?:\\E|\\Q\\E)*/y;
export const NOT_ASCII = 0x80;

/** Thrown by the translation for a construct that has no equivalent. */
export class Unsupported extends Error {}
/** Thrown by the translation for an error of PCRE that RE2 accepts. */
export class Invalid extends Error {}
