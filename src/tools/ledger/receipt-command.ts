import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { escapeInvisible } from '#fabric-codec';
import {
  conclusionOf,
  readOpensslCertificate,
  readRoots,
  type ReceiptReport,
  type ReceiptStep,
  type TrustedRoot,
  TrustedRoots,
  verifyReceipt,
} from '#receipts';
import { MAX_DOCUMENT_BYTES } from '#records-contract/sealed';
import { isSignedBy, type Policy } from '#tlog';
import { print, reasonOf } from '../command-line.js';
import { ToolError } from '../tool-error.js';

/** Exit codes of the command, in addition to 2 for the command line. */
const EXIT = { valid: 0, refused: 1, 'not-valid': 3, 'not-witnessed': 4 } as const satisfies Record<
  ReceiptReport['verdict'],
  number
>;
/** Kinds of files, with the size that none exceeds. */
const FILES = {
  // A block of Fabric has at most 99 MB, which base64 makes 132 MB, next to the attestation.
  receipt: { maxBytes: 256 * 1024 * 1024, shown: '256 MiB' },
  document: { maxBytes: MAX_DOCUMENT_BYTES, shown: `${MAX_DOCUMENT_BYTES / 1024} KiB` },
} as const;

interface Options {
  /** Each `MSPID=FILE`. */
  readonly root?: readonly string[];
  readonly policy?: Policy;
  readonly expect?: Parameters<typeof verifyReceipt>[1]['expect'];
  /** A file with a document outside the blocks. */
  readonly document?: string;
  readonly salt?: string;
  readonly json?: true;
}

/** Verifies a receipt without a ledger. */
export async function verifyReceiptFile(file: string, options: Options, command: Command): Promise<void> {
  const { root = [], policy, expect, document, salt, json } = options;
  if (root.length === 0 && policy === undefined)
    command.error("error: required option '--root <mspId=file>' not specified, or '--policy <file>'");
  if ((document === undefined) !== (salt === undefined)) command.error('error: use --document and --salt together');
  const roots = root.flatMap((text) => readRootOption(text, command));
  const trusted = new TrustedRoots(roots, readOpensslCertificate);
  const logs = policy && { policy, verify: isSignedBy };
  const given =
    document === undefined || salt === undefined ? undefined : { text: await readTextFile('document', document), salt };
  const report = await verifyReceipt(await readTextFile('receipt', file), {
    roots: trusted,
    logs,
    expect,
    document: given,
  });
  if (json === true) print(printable(JSON.stringify(report, null, 2)));
  else for (const line of linesOf(report)) print(escapeInvisible(line));
  process.exitCode = EXIT[report.verdict];
}

function readRootOption(text: string, command: Command): readonly TrustedRoot[] {
  const [, mspId = '', pem = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  try {
    return readRoots(mspId, readFileSync(pem, 'utf8'), readOpensslCertificate);
  } catch (error) {
    return command.error(`error: option '--root' argument '${text}' is invalid. ${pem}: ${reasonOf(error as Error)}.`);
  }
}

/** @throws {@link ToolError} when the file cannot be read, or is larger than any of its kind */
async function readTextFile(kind: keyof typeof FILES, file: string): Promise<string> {
  const { maxBytes, shown } = FILES[kind];
  const tooLarge = new ToolError(`${file} is not a ${kind}: it has more than ${shown}.`);
  try {
    await using handle = await open(file);
    if ((await handle.stat()).size > maxBytes) throw tooLarge;
    // A pipe has no size.
    const bytes = await buffer(handle.createReadStream({ end: maxBytes }));
    if (bytes.length > maxBytes) throw tooLarge;
    return bytes.toString();
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new ToolError(`${file} cannot be read: ${reasonOf(error as Error)}.`);
  }
}

const MARKS = { passed: 'ok    ', failed: 'FAILED', 'not checked': '-     ' } as const satisfies Record<
  ReceiptStep['result'],
  string
>;

function linesOf(report: ReceiptReport): string[] {
  const lines = report.steps.map(({ check, result, what }) => `${MARKS[result]} ${check}: ${what}`);
  const [result = '', ...details] = conclusionOf(report);
  if (report.transaction === undefined) return [...lines, result];
  return [...lines, result, ...details.map(indented), 'NOT PROVEN:', ...report.notProven.map(indented)];
}

function indented(line: string): string {
  return `  ${line}`;
}

/** JSON that means the same, without characters that a terminal interprets; the line breaks between its parts stay. */
function printable(json: string): string {
  return json.split('\n').map(escapeInvisible).join('\n');
}
