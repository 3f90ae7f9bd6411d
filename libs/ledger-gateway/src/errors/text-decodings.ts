/** Replaces what an encoding has escaped, in one pass. */
type Decoding = (text: string) => string;

/** How often escapes may be escaped, such as JSON in JSON or a URL in HTML. */
const DEPTH = 3;

const percent: Decoding = (text) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

/** The form encoding of URLs. */
const form: Decoding = (text) => percent(text.replaceAll('+', ' '));

/** The escapes of JSON, JavaScript and Go. */
const backslash: Decoding = (text) =>
  text.replace(
    /(?:\\x[0-9a-f]{2})+|\\u\{([0-9a-f]{1,6})\}|\\[uU]([0-9a-f]{8}|[0-9a-f]{4})|\\([0-9]{3}|[^])/gi,
    decodeBackslash,
  );

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

function decodeBackslash(escape: string, braced?: string, fixed?: string, other = ''): string {
  const point = braced ?? fixed;
  if (point !== undefined) return characterOf(parseInt(point, 16), escape);
  // One byte or several of a character in UTF-8.
  if (other === '') return Buffer.from(escape.replaceAll(/\\x/gi, ''), 'hex').toString();
  return CONTROLS[other] ?? (other.length === 3 ? String.fromCharCode(parseInt(other, 8)) : other);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

const html: Decoding = (text) =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(amp|lt|gt|quot|apos|nbsp));?/gi, decodeEntity);

function decodeEntity(entity: string, hex?: string, decimal?: string, name = ''): string {
  if (hex !== undefined) return characterOf(parseInt(hex, 16), entity);
  if (decimal !== undefined) return characterOf(Number(decimal), entity);
  return ENTITIES[name.toLowerCase()] ?? entity;
}

/** Half of a surrogate pair becomes a whole character with its other half. */
function characterOf(point: number, escape: string): string {
  return point > 0x10_ff_ff ? escape : String.fromCodePoint(point);
}

/**
 * Returns a text as it was before each of the usual encodings escaped some of its characters. The time is linear in the length
 * of the text.
 */
export function decodings(text: string): string[] {
  const all: Decoding = (escaped) => html(backslash(percent(escaped)));
  return [percent, form, backslash, html, all].flatMap((decode) => {
    const decoded: string[] = [];
    for (let depth = 0; depth < DEPTH; depth++) decoded.push(decode(decoded.at(-1) ?? text));
    return decoded;
  });
}
