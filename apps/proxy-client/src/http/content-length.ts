const DIGITS = /^[0-9]{1,16}$/;

/** The value of Content-Length (RFC 9112, section 6.3) in bytes, or undefined if it is no length that can be counted. */
export function parseContentLength(value: string): number | undefined {
  if (!DIGITS.test(value)) return undefined;
  const length = Number(value);
  return length <= Number.MAX_SAFE_INTEGER ? length : undefined;
}
