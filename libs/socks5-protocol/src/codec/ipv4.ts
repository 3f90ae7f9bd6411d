const ZERO = 0x30;

/** The value of the digits in `text` from `from` to `to`; -1 unless they are one octet without a leading zero. */
function octet(text: string, from: number, to: number): number {
  if (to <= from || to - from > 3 || (to - from > 1 && text.charCodeAt(from) === ZERO)) {
    return -1;
  }
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) {
      return -1;
    }
    value = value * 10 + digit;
  }
  return value > 255 ? -1 : value;
}

/**
 * The four bytes of a dotted decimal address, or undefined for anything else: short forms such as `127.1`, leading zeros
 * and other bases are names, since programs disagree on what they mean.
 */
export function parseIpv4(text: string): Uint8Array | undefined {
  const last = text.charCodeAt(text.length - 1) - ZERO;
  if (text.length > 15 || !(last >= 0 && last <= 9)) {
    return undefined;
  }
  const bytes = new Uint8Array(4);
  let from = 0;
  for (let index = 0; index < 4; index += 1) {
    const dot = index === 3 ? text.length : text.indexOf('.', from);
    const value = dot < 0 ? -1 : octet(text, from, dot);
    if (value < 0) {
      return undefined;
    }
    bytes[index] = value;
    from = dot + 1;
  }
  return bytes;
}

export function formatIpv4(bytes: Uint8Array): string {
  return bytes.join('.');
}
