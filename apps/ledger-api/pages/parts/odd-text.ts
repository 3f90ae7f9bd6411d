import { count } from '#pages-kit';

/** So many characters that nobody sees are told one by one. */
const MOST = 40;

/** A part of a text: as it is, or a character that nobody would see. */
export interface TextPart {
  readonly text: string;
  /** What the character is, such as `U+202E`, or how many more there are; undefined for visible text. */
  readonly code?: string;
}

/**
 * Characters that show nothing, or change how what follows them is shown: directions, zero width, separators of lines,
 * control characters, and blanks at an end. What joins letters or emoji (U+200C, U+200D) is left where it is.
 */
const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|^\s+|(?<!\s)\s+$/gu;

/**
 * Takes a text apart so that two that differ never look the same for what nobody can see: an id may hold any of these, and
 * whoever transfers an asset has to know which one. So many are told one by one that nobody writes them by mistake; behind
 * them only their number is told, since a text of nothing else would be thousands of parts, in each cell of a table.
 */
export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  let told = 0;
  for (const { 0: unseen, index } of text.matchAll(UNSEEN)) {
    told += unseen.length;
    if (told > MOST) {
      const rest = text.slice(end);
      return [...parts, { text: rest, code: `and ${count(rest.length)} more, seen and unseen` }];
    }
    if (index > end) parts.push({ text: text.slice(end, index) });
    for (const character of unseen) parts.push({ text: character, code: codeOf(character) });
    end = index + unseen.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
