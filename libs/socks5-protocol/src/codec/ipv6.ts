import { formatIpv4, parseIpv4 } from './ipv4.js';

const GROUP = /^[0-9a-fA-F]{1,4}$/;

/** One group, or the two of a dotted IPv4 address at the very end of the text. */
function parseGroup(part: string, mayBeIpv4: boolean): readonly number[] | undefined {
  const [a = 0, b = 0, c = 0, d] = (mayBeIpv4 ? parseIpv4(part) : undefined) ?? [];
  if (d !== undefined) {
    return [(a << 8) | b, (c << 8) | d];
  }
  return GROUP.test(part) ? [parseInt(part, 16)] : undefined;
}

/** The 16-bit groups of one side of `::`. Undefined when malformed. */
function parseGroups(text: string, last: boolean): readonly number[] | undefined {
  if (text === '') {
    return [];
  }
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    const group = parseGroup(part, last && index === parts.length - 1);
    if (group === undefined) {
      return undefined;
    }
    groups.push(...group);
  }
  return groups;
}

function expand(text: string): readonly number[] | undefined {
  const sides = text.split('::');
  const [left = '', right] = sides;
  if (sides.length > 2) {
    return undefined;
  }
  const head = parseGroups(left, right === undefined);
  const tail = right === undefined ? [] : parseGroups(right, true);
  if (head === undefined || tail === undefined) {
    return undefined;
  }
  if (right === undefined) {
    return head.length === 8 ? head : undefined;
  }
  // `::` stands for at least one group of zeros (RFC 4291, section 2.2).
  const zeros = 8 - head.length - tail.length;
  return zeros < 1 ? undefined : [...head, ...new Array<number>(zeros).fill(0), ...tail];
}

/** The sixteen bytes of an IPv6 address (RFC 4291, section 2.2; no brackets, no zone), or undefined for anything else. */
export function parseIpv6(text: string): Uint8Array | undefined {
  const groups = expand(text);
  if (groups === undefined) {
    return undefined;
  }
  const bytes = new Uint8Array(16);
  for (const [index, group] of groups.entries()) {
    bytes[2 * index] = group >> 8;
    bytes[2 * index + 1] = group & 0xff;
  }
  return bytes;
}

/** Where the longest run of at least two zero groups stands (RFC 5952, section 4.2). */
function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: -1, length: 1 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) {
      start = index + 1;
    } else if (index - start + 1 > best.length) {
      best = { start, length: index - start + 1 };
    }
  }
  return best;
}

/** The address as text in the form of RFC 5952; IPv4-mapped ones end in dotted decimals (its section 5). */
export function formatIpv6(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(2 * index));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${formatIpv4(bytes.subarray(12))}`;
  }
  const text = groups.map((group) => group.toString(16));
  const { start, length } = longestZeros(groups);
  return start < 0 ? text.join(':') : `${text.slice(0, start).join(':')}::${text.slice(start + length).join(':')}`;
}
