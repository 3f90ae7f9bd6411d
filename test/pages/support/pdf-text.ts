import { inflateSync } from 'node:zlib';

/** Reads the text of a PDF that Chromium has printed, without ligatures. Its fonts are embedded, each with a table of the characters of its glyphs. */
export function pdfText(pdf: Uint8Array): string {
  const objects = objectsOf(Buffer.from(pdf));
  const fonts = new Map<string, ReadonlyMap<string, string>>();
  for (const [number, { head }] of objects) {
    const table = /\/ToUnicode (\d+) 0 R/.exec(head)?.[1];
    if (table !== undefined) fonts.set(`F${number}`, charactersOf(objects.get(table)?.stream ?? ''));
  }
  return [...objects.values()]
    .map(({ stream }) => shownText(stream, fonts))
    .join('\n')
    .normalize('NFKC');
}

/** Returns the objects by their numbers, with their streams as text. */
function objectsOf(pdf: Buffer) {
  const objects = new Map<string, { readonly head: string; readonly stream: string }>();
  const source = pdf.toString('latin1');
  for (const { 1: number = '', index } of source.matchAll(/^(\d+) 0 obj$/gm)) {
    const end = source.indexOf('endobj', index);
    const start = source.indexOf('stream\n', index);
    const isStream = start > 0 && start < end;
    const head = source.slice(index, isStream ? start : end);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1] ?? 0);
    const bytes = isStream ? pdf.subarray(start + 7, start + 7 + length) : Buffer.alloc(0);
    const isCompressed = head.includes('/FlateDecode') && !head.includes('/Subtype /Image');
    objects.set(number, {
      head,
      stream: isCompressed ? inflateSync(bytes).toString('latin1') : bytes.toString('latin1'),
    });
  }
  return objects;
}

/** Parses the table of a font: its glyphs are numbers of four hexadecimal digits. */
function charactersOf(table: string): ReadonlyMap<string, string> {
  const characters = new Map<string, string>();
  const add = (glyph: number, code: number): unknown =>
    characters.set(glyph.toString(16).padStart(4, '0').toUpperCase(), String.fromCodePoint(code));
  for (const [, first = '', last = '', code = ''] of table.matchAll(/^<(\w{4})> <(\w{4})> <(\w{4})>$/gm)) {
    const [from, to, base] = [first, last, code].map((digits) => Number.parseInt(digits, 16)) as [
      number,
      number,
      number,
    ];
    for (let glyph = from; glyph <= to; glyph++) add(glyph, base + glyph - from);
  }
  for (const [, glyph = '', code = ''] of table.matchAll(/^<(\w{4})> <(\w{4})>$/gm)) {
    add(Number.parseInt(glyph, 16), Number.parseInt(code, 16));
  }
  return characters;
}

/** Returns the text of a stream of drawing operators; a new line where the position changes. */
function shownText(stream: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>): string {
  let font: ReadonlyMap<string, string> = new Map();
  let text = '';
  for (const [, name, glyphs, move] of stream.matchAll(/\/(F\d+) \S+ Tf|<([0-9A-F]+)>|\b(Tm|Td|ET)\b/g)) {
    if (name !== undefined) font = fonts.get(name) ?? new Map();
    if (glyphs !== undefined) text += (glyphs.match(/.{4}/g) ?? []).map((glyph) => font.get(glyph) ?? '').join('');
    if (move === 'ET') text += '\n';
  }
  return text;
}
