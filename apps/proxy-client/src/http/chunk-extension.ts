const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const EXTENSIONS = new RegExp(`^(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)+$`);

/** Whether `text` (latin1) is chunk-ext of RFC 9112, section 7.1.1, without the blanks that only its BWS would allow. */
export function isChunkExtension(text: string): boolean {
  return EXTENSIONS.test(text);
}
