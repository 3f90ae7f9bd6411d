/** Letters and digits that occur nowhere else. Their values end with characters that formats of text escape. */
const CORE = 'zqcanary7f3a91b';
const END = '"ö';

/** A value that must not appear where it does not belong, with a label that shows where it came from. */
export function canary(label: string): string {
  return `${CORE}-${label}${END}`;
}

/** The canary in every form in which a program might write it. */
const FORMS: Readonly<Record<string, RegExp>> = {
  plain: new RegExp(CORE, 'i'),
  // Each alignment, without the characters that also depend on the neighbours.
  base64: new RegExp([0, 1, 2].map((shift) => base64At(shift)).join('|')),
  hex: new RegExp(Buffer.from(CORE).toString('hex'), 'i'),
  utf16: new RegExp(`${utf16('le')}|${utf16('be')}`),
  percent: new RegExp(
    escaped((code) => `%${code}`),
    'i',
  ),
  json: new RegExp(
    escaped((code) => `\\\\u00${code}`),
    'i',
  ),
  list: new RegExp([...Buffer.from(CORE)].join(String.raw`,\s*`)),
};

/**
 * Returns the forms of a canary in contents, each with the name of its content and the text around it.
 * @param contents - by their names; bytes as latin1
 */
export function canariesIn(contents: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(contents).flatMap(([name, text]) =>
    Object.entries(FORMS).flatMap(([form, pattern]) => {
      const at = text.search(pattern);
      return at < 0 ? [] : [`${name}: ${form}: ${text.slice(Math.max(0, at - 150), at + 150)}`];
    }),
  );
}

function base64At(shift: number): string {
  const text = Buffer.from(`${'x'.repeat(shift)}${CORE}`).toString('base64');
  const end = Math.floor(((CORE.length + shift) * 4) / 3) - 1;
  return text.slice(Math.ceil((shift * 4) / 3), end).replaceAll(/[+/]/g, '[-+/_]');
}

function utf16(order: 'le' | 'be'): string {
  const bytes = Array.from(Buffer.from(CORE), (byte) => String.raw`\x${byte.toString(16)}`);
  return bytes.map((letter) => (order === 'le' ? `${letter}\\x00` : `\\x00${letter}`)).join('');
}

function escaped(write: (code: string) => string): string {
  return [...Buffer.from(CORE)].map((byte) => write(byte.toString(16))).join('');
}
