import { PROXY_NAME } from '../failure/answer-failure.js';

/** A list up to a comma outside of quotes: a member with its parameters (RFC 9209, section 2; RFC 8941, section 3.1). */
const MEMBER = /(?:[^",]|"(?:[^"\\]|\\.)*")+/y;
/** The name of a member, which is a token or a string. */
const NAME = /^[ \t]*(?:"([^"]*)"|[^; \t]*)/;

/** What bears our name at the origin, such as another proxy of this kind, bears it with this remark. */
const MARKED = `"${PROXY_NAME} (origin)"`;

/**
 * An origin's Proxy-Status as it goes on: whoever looks for failures of this proxy must not find what an origin says, so a
 * member with this proxy's name gets another one.
 *
 * @returns undefined when nothing goes on: a value that is no list, such as one with an open quote, could turn into anything
 *   when it is joined with other lines
 */
export function originStatus(value: string): string | undefined {
  const members: string[] = [];
  let from = 0;
  while (from < value.length) {
    MEMBER.lastIndex = from;
    const [member = ''] = MEMBER.exec(value) ?? [];
    from += member.length + 1;
    if (member === '' || (from <= value.length && value[from - 1] !== ',')) return undefined;
    members.push(member.replace(NAME, marked));
  }
  return members.join(',');
}

function marked(name: string, text: string | undefined): string {
  return (text ?? name).trim().toLowerCase() === PROXY_NAME ? name.replace(/[^ \t].*/, MARKED) : name;
}
