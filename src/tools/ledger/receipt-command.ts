import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import {
  escapeInvisible,
  quoted,
  readRoots,
  shownText,
  TrustedRoots,
  verifyReceipt,
  type ReceiptReport,
  type ReceiptStep,
  type TrustedRoot,
} from '#ledger-gateway';
import { print } from '../command-line.js';

/** Exit codes of the command, in addition to 2 for the command line. */
const EXIT = { valid: 0, refused: 1, 'not-valid': 3 } as const satisfies Record<ReceiptReport['verdict'], number>;
/** Larger than any receipt: a block of Fabric has at most 99 MB, which base64 makes 132 MB, next to the attestation. */
const MAX_BYTES = 256 * 1024 * 1024;

/** A receipt that cannot be read. Its message is one line for the user. */
class ReceiptFileError extends Error {
  readonly code = 'LEDGER_TOOL.RECEIPT_FILE';
}

interface Options {
  /** Each `MSPID=FILE`. */
  readonly root: readonly string[];
  readonly expect?: Parameters<typeof verifyReceipt>[1]['expect'];
  readonly json?: true;
}

/** Verifies a receipt without a ledger. */
export async function verifyReceiptFile(file: string, options: Options, command: Command): Promise<void> {
  const { root, expect, json } = options;
  const roots = root.flatMap((text) => readRootOption(text, command));
  const report = verifyReceipt(await readReceiptFile(file), { roots: new TrustedRoots(roots), expect });
  if (json === true) print(printable(JSON.stringify(report, null, 2)));
  else for (const line of linesOf(report)) print(escapeInvisible(line));
  process.exitCode = EXIT[report.verdict];
}

function readRootOption(text: string, command: Command): readonly TrustedRoot[] {
  const [, mspId = '', pem = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  try {
    return readRoots(mspId, readFileSync(pem, 'utf8'));
  } catch (error) {
    return command.error(`error: option '--root' argument '${text}' is invalid. ${pem}: ${(error as Error).message}.`);
  }
}

/** @throws {@link ReceiptFileError} when the file cannot be read, or is larger than any receipt */
async function readReceiptFile(file: string): Promise<string> {
  const tooLarge = new ReceiptFileError(`${file} is not a receipt: it has more than 256 MiB.`);
  try {
    await using handle = await open(file);
    if ((await handle.stat()).size > MAX_BYTES) throw tooLarge;
    // A pipe has no size.
    const bytes = await buffer(handle.createReadStream({ end: MAX_BYTES }));
    if (bytes.length > MAX_BYTES) throw tooLarge;
    return bytes.toString();
  } catch (error) {
    if (error === tooLarge) throw error;
    throw new ReceiptFileError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

const MARKS = { passed: 'ok    ', failed: 'FAILED', 'not checked': '-     ' } as const satisfies Record<
  ReceiptStep['result'],
  string
>;

function linesOf({ verdict, steps, transaction, notProven }: ReceiptReport): string[] {
  const lines = steps.map(({ check, result, what }) => `${MARKS[result]} ${check}: ${what}`);
  if (transaction === undefined) return [...lines, 'REFUSED: the receipt proves nothing.'];
  const { channel, transactionId, blockNumber, position, validationCode, creator, timestamp } = transaction;
  const end = verdict === 'valid' ? 'is VALID' : `was refused as ${validationCode} and changed nothing`;
  const by = creator === '' ? 'not signed' : `by ${creator}`;
  return [
    ...lines,
    `PROVEN, if you trust the roots: transaction ${transactionId} of channel ${channel} ${end}.`,
    `  It is ${callOf(transaction)}, ${by} at ${timestamp}, in block ${blockNumber} at position ${position}.`,
    'NOT PROVEN:',
    ...notProven.map((what) => `  ${what}`),
  ];
}

/** A function's name is not quoted where it is an identifier. */
function callOf(transaction: NonNullable<ReceiptReport['transaction']>): string {
  const { chaincode, function: name, functionEncoding, arguments: args, argumentEncodings } = transaction;
  if (chaincode === '') return 'a configuration';
  const isPlain = functionEncoding === 'utf8' && /^[\w.:-]+$/.test(name);
  const shownName = isPlain ? name : shownText({ text: name, encoding: functionEncoding });
  const shownArguments = args.map((text, index) => shownText({ text, encoding: argumentEncodings[index] ?? 'utf8' }));
  const shownChaincode = /^[\w.:-]+$/.test(chaincode) ? chaincode : quoted(chaincode);
  return `${shownName}(${shownArguments.join(', ')}) of ${shownChaincode}`;
}

/** JSON that means the same, without characters that a terminal interprets; the line breaks between its parts stay. */
function printable(json: string): string {
  return json.split('\n').map(escapeInvisible).join('\n');
}
