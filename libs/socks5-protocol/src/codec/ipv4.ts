const OCTET = /^(?:0|[1-9][0-9]{0,2})$/;

/**
 * The four bytes of a dotted decimal address, or undefined for anything else: short forms such as `127.1`, leading zeros
 * and other bases are names, since programs disagree on what they mean.
 */
export function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) {
    return undefined;
  }
  const bytes = new Uint8Array(4);
  for (const [index, part] of parts.entries()) {
    const value = Number(part);
    if (!OCTET.test(part) || value > 255) {
      return undefined;
    }
    bytes[index] = value;
  }
  return bytes;
}

export function formatIpv4(bytes: Uint8Array): string {
  return bytes.join('.');
}
