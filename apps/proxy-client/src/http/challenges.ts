import type { FieldLines } from './field-lines.js';

const TOKEN = /^[!#$%&'*+.^_`|~\w-]+/;

/**
 * Returns the authentication schemes of a field such as Proxy-Authenticate (RFC 9110, section 11.6.1) in lower case, each once. A
 * line may contain several challenges, each with parameters or a token68, and the field may have several lines.
 *
 * @param name - the name of the field, in lower case
 */
export function schemesOf(lines: FieldLines, name: string): readonly string[] {
  const values = lines.filter((line) => line.name.toLowerCase() === name).map(({ value }) => value);
  const starts = values.flatMap(membersOf).map(schemeOf);
  return [...new Set(starts.filter((scheme) => scheme !== undefined))];
}

/** Splits a list at its commas, but for those in quoted strings. */
function membersOf(value: string): readonly string[] {
  const members: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ',' && !isQuoted) {
      members.push(value.slice(from, at));
      from = at + 1;
    }
  }
  return [...members, value.slice(from)];
}

/** Returns the scheme if a list member starts a challenge: otherwise it is a further parameter of the last one. */
function schemeOf(member: string): string | undefined {
  const trimmed = member.trim();
  const [name] = TOKEN.exec(trimmed) ?? [];
  if (name === undefined || trimmed.slice(name.length).trimStart().startsWith('=')) return undefined;
  return name.toLowerCase();
}
