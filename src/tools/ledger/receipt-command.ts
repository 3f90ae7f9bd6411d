import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  parseExpectedHead,
  readRoots,
  TrustedRoots,
  verifyReceipt,
  type ReceiptReport,
  type ReceiptStep,
  type TrustedRoot,
} from '#ledger-gateway';

/** How the command ends, beside 2 for the command line. */
const EXIT = { valid: 0, refused: 1, 'not-valid': 3 } as const satisfies Record<ReceiptReport['verdict'], number>;
/** Larger than any receipt: a block of Fabric has 99 MB at most, and is written in base64 with its transaction beside it. */
const MOST_BYTES = 256 * 1024 * 1024;

interface Options {
  readonly root: readonly TrustedRoot[];
  readonly expect?: ReturnType<typeof parseExpectedHead>;
  readonly json?: true;
}

/** A receipt or a root that cannot be read, told in one line. */
export class ReceiptFileError extends Error {}

/** `ledger verify-receipt`: checks a receipt without a ledger. */
export function addVerifyReceipt(program: Command, exit: (code: number) => void): void {
  program
    .command('verify-receipt')
    .description('checks a receipt of GET /transactions/{txid}/receipt by itself: no ledger and no network are needed')
    .argument('<file>', 'the receipt')
    .addOption(
      new Option(
        '--root <mspId=file>',
        'whom you trust: an organisation and a PEM file with its root; may come several times',
      )
        .argParser(addRoot)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--expect <height:hash>',
        'the block must be the one with that hash, which you know from elsewhere: its number plus one, and the hash',
      ).argParser(expectedHead),
    )
    .option('--json', 'prints the report as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 proven and VALID, 1 proves nothing, 2 command line, 3 proven, and not VALID.',
    )
    .action(async (file: string, { root, expect, json }: Options) => {
      const report = verifyReceipt(await readReceiptFile(file), { roots: new TrustedRoots(root), expect });
      if (json === true) print(JSON.stringify(report, null, 2));
      else for (const line of linesOf(report)) print(line);
      exit(EXIT[report.verdict]);
    });
}

/** Takes one more root. */
function addRoot(text: string, before: readonly TrustedRoot[] = []): readonly TrustedRoot[] {
  const [, mspId = '', file = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (mspId === '') throw new InvalidArgumentError('Use MSPID=FILE, such as Org1MSP=ca.pem.');
  try {
    return [...before, ...readRoots(mspId, readFileSync(file, 'utf8'))];
  } catch (error) {
    throw new InvalidArgumentError(`${file}: ${(error as Error).message}.`);
  }
}

function expectedHead(text: string): ReturnType<typeof parseExpectedHead> {
  try {
    return parseExpectedHead(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

/** @throws {@link ReceiptFileError} when it cannot be read, or is larger than any receipt */
async function readReceiptFile(file: string): Promise<string> {
  const tooLarge = new ReceiptFileError(`${file} is no receipt: it has more than 256 MiB.`);
  try {
    await using handle = await open(file);
    if ((await handle.stat()).size > MOST_BYTES) throw tooLarge;
    // What is no file has no size.
    const bytes = await buffer(handle.createReadStream({ end: MOST_BYTES }));
    if (bytes.length > MOST_BYTES) throw tooLarge;
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
  if (transaction === undefined) return [...lines, 'REFUSED: the receipt proves nothing.'].map(printable);
  const { channel, transactionId, blockNumber, position, validationCode, creator, timestamp } = transaction;
  const { chaincode, function: name, arguments: args } = transaction;
  const call =
    chaincode === ''
      ? 'a configuration'
      : `${name}(${args.map((it) => JSON.stringify(it)).join(', ')}) of ${chaincode}`;
  const end = verdict === 'valid' ? 'is VALID' : `was refused as ${validationCode} and changed nothing`;
  return [
    ...lines,
    `PROVEN, to whoever trusts the roots: transaction ${transactionId} of channel ${channel} ${end}.`,
    `  It is ${call}, by ${creator === '' ? 'nobody' : creator} at ${timestamp}, in block ${blockNumber} at position ${position}.`,
    'NOT PROVEN:',
    ...notProven.map((what) => `  ${what}`),
  ].map(printable);
}

/** A receipt comes from strangers: what would move the cursor is shown and not sent to the terminal. */
function printable(line: string): string {
  return line.replace(/\p{Cc}|\p{Cf}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
