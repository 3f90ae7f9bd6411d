import { PROXY_NAME } from '../../failure/render-failure.js';

/** A list up to a comma outside of quotes: a member with its parameters (RFC 9209, section 2; RFC 8941, section 3.1). */
const MEMBER = /(?:[^",]|"(?:[^"\\]|\\.)*")+/y;
/** The name of a member, which is a token or a string. */
const NAME = /^[ \t]*"?([^"; \t]*)/;

/**
 * An origin's Proxy-Status as it goes on: what other proxies said of it (RFC 9209, section 2), without the members that bear
 * this proxy's name. They were not made by it, and whoever looks for the proxy's own failures must not find them.
 *
 * @returns `value` itself when all of it goes on, undefined when nothing does: a value that is no list, such as one with an
 *   open quote, could turn into anything when it is joined with other lines
 */
export function othersStatus(value: string): string | undefined {
  const members: string[] = [];
  let from = 0;
  while (from < value.length) {
    MEMBER.lastIndex = from;
    const [member = ''] = MEMBER.exec(value) ?? [];
    from += member.length + 1;
    if (member === '' || (from <= value.length && value[from - 1] !== ',')) return undefined;
    members.push(member);
  }
  const others = members.filter((member) => NAME.exec(member)?.[1]?.toLowerCase() !== PROXY_NAME);
  if (others.length === members.length) return value;
  return others.length === 0 ? undefined : others.map((member) => member.trim()).join(', ');
}
