/** Bytes that RFC 9110, section 5.6.2 allows in a token. */
const TOKEN = 1;
/** Bytes that RFC 9110, section 5.5 allows in a field value, and RFC 9112, section 4 in a reason phrase. */
const FIELD = 2;
/** Hexadecimal digits (RFC 5234, appendix B.1). */
const HEX = 4;

const TOKEN_MARKS = "!#$%&'*+-.^_`|~";

const CLASSES = new Uint8Array(256);
for (let code = 0; code < 256; code += 1) {
  const char = String.fromCharCode(code);
  const alphanumeric = /[0-9A-Za-z]/.test(char);
  const token = alphanumeric || TOKEN_MARKS.includes(char);
  const field = code === 0x09 || (code >= 0x20 && code !== 0x7f);
  CLASSES[code] = (token ? TOKEN : 0) | (field ? FIELD : 0) | (/[0-9A-Fa-f]/.test(char) ? HEX : 0);
}

function skip(buffer: Buffer, from: number, end: number, wanted: number): number {
  let position = from;
  while (position < end && ((CLASSES[buffer[position] ?? 0] ?? 0) & wanted) !== 0) position += 1;
  return position;
}

/** The position of the first byte from `from` on that is no token character; `end` if there is none. */
export function skipToken(buffer: Buffer, from: number, end: number): number {
  return skip(buffer, from, end, TOKEN);
}

/** The position of the first byte from `from` on that may not stand in a field value; `end` if there is none. */
export function skipFieldText(buffer: Buffer, from: number, end: number): number {
  return skip(buffer, from, end, FIELD);
}

/** Whether a byte is a hexadecimal digit. */
export function isHexDigit(byte: number): boolean {
  return ((CLASSES[byte] ?? 0) & HEX) !== 0;
}

export const CR = 0x0d;
export const LF = 0x0a;
export const SPACE = 0x20;
export const TAB = 0x09;
export const COLON = 0x3a;
