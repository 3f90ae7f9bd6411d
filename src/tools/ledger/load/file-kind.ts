import { ToolError } from '../../tool-error.js';

const UTF16LE = [0xff, 0xfe];

/** Formats that are no text, by their first bytes, with what to do. */
const FORMATS: readonly { readonly magic: readonly number[]; readonly advice: string }[] = [
  {
    magic: [0x50, 0x4b, 0x03, 0x04],
    advice: 'is a workbook (.xlsx) or a ZIP archive: save the sheet as "CSV UTF-8", or unpack the archive',
  },
  { magic: [0xd0, 0xcf, 0x11, 0xe0], advice: 'is a workbook of an old Excel (.xls): save the sheet as "CSV UTF-8"' },
  { magic: [0x1f, 0x8b], advice: 'is compressed by gzip: unpack it with gunzip' },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], advice: 'is compressed by zstd: unpack it with unzstd' },
  { magic: [0x42, 0x5a, 0x68], advice: 'is compressed by bzip2: unpack it with bunzip2' },
  { magic: [0xfd, 0x37, 0x7a, 0x58], advice: 'is compressed by xz: unpack it with unxz' },
  { magic: [0xfe, 0xff], advice: 'is UTF-16 with the high byte first: save it as UTF-8' },
];

/**
 * Refuses a file that is no text in a known encoding, or a text that is no table.
 * @param head - its first bytes
 * @param isTable - whether its name says that it is CSV
 * @throws {@link ToolError}
 */
export function requireText(file: string, head: Buffer, isTable: boolean): void {
  const format = FORMATS.find(({ magic }) => startsWith(head, magic));
  if (format !== undefined) throw new ToolError(`${file} ${format.advice}.`);
  if (startsWith(head, UTF16LE)) {
    if (isTable) return;
    throw new ToolError(`${file} is UTF-16: save it as UTF-8.`);
  }
  if (head.includes(0))
    throw new ToolError(
      `${file} contains NUL bytes: it is a binary file, such as Parquet, or UTF-16 without a byte order mark. Save it as UTF-8.`,
    );
  if (isTable) requireNoMarkup(file, head.toString());
}

function requireNoMarkup(file: string, text: string): void {
  if (/^\uFEFF?\s*(?:\[\s*\{|\{\s*")/.test(text))
    throw new ToolError(
      `${file} contains JSON, not CSV. Name it .ndjson if it has one object on each line; convert an array, such as by: jq -c '.[]' ${file}`,
    );
  if (/^\uFEFF?\s*<[!?a-z]/i.test(text))
    throw new ToolError(`${file} contains HTML or XML, not CSV. It may be an error page: download it again.`);
}

function startsWith(bytes: Buffer, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
