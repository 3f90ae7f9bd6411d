import { count } from '#pages-kit';

/** The number of invisible characters that are named one by one where one thing is shown, and in a cell of a list. */
export const MAX_NAMED = 40;
export const MAX_NAMED_IN_LIST = 4;

/** A part of a text: visible text, or an invisible character. */
export interface TextPart {
  readonly text: string;
  /** The code point, such as `U+202E`, or the number of characters that remain; undefined for visible text. */
  readonly code?: string;
}

/**
 * Characters that show nothing or change how others are shown: directions, zero width, line separators, control characters,
 * and white space at an end. Joiners of letters and emoji (U+200C, U+200D) are not included.
 */
const INVISIBLE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|^\s+|(?<!\s)\s+$/gu;

/**
 * Splits a text into visible and invisible parts, so that two different ids never look the same because of characters that
 * cannot be seen.
 * @param most - the number of characters that are named, because a text may consist of thousands of them
 */
export function textParts(text: string, most: number = MAX_NAMED): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  let named = 0;
  for (const { 0: invisible, index } of text.matchAll(INVISIBLE)) {
    named += invisible.length;
    if (named > most) {
      const rest = text.slice(end);
      return [...parts, { text: rest, code: `and ${count(rest.length)} more characters` }];
    }
    if (index > end) parts.push({ text: text.slice(end, index) });
    for (const character of invisible) parts.push({ text: character, code: codePointName(character) });
    end = index + invisible.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** How the API encodes bytes as text: unchanged where they are UTF-8, else as base64. */
export type TextEncoding = 'utf8' | 'base64';

/** Characters that are not shown, look like a space, or change the order of others. */
const ESCAPED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;

/**
 * Shows bytes that the API returned as text, so that different bytes always look different: text is quoted and escaped, and
 * base64 is shown as `base64(…)` without quotes. The command verify-receipt prints them in the same way.
 */
export function shownBytes(text: string, encoding: TextEncoding): string {
  return encoding === 'base64' ? `base64(${text})` : escapeHidden(JSON.stringify(text));
}

/** Escapes the characters of a JSON text that are not shown or look like others. It remains the same JSON. */
export function escapeHidden(json: string): string {
  return json.replace(ESCAPED, escaped);
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
