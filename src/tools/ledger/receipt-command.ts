import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { escapeInvisible, quoted, shownText, type ReceiptReport, type ReceiptStep } from '#ledger-gateway';
import { loadImplementation, parseOption, print } from './command-output.js';

/** Exit codes of the command, in addition to 2 for the command line. */
const EXIT = { valid: 0, refused: 1, 'not-valid': 3 } as const satisfies Record<ReceiptReport['verdict'], number>;
/** Larger than any receipt: a block of Fabric has at most 99 MB, which base64 makes 132 MB, next to the attestation. */
const MAX_BYTES = 256 * 1024 * 1024;

interface Options {
  readonly root: readonly RootOption[];
  readonly expect?: string;
  readonly json?: true;
}

/** A receipt that cannot be read. Its message is one line for the user. */
class ReceiptFileError extends Error {
  readonly code = 'LEDGER_TOOL.RECEIPT_FILE';
}

/** Adds `verify-receipt`, which verifies a receipt without a ledger. */
export function addVerifyReceipt(program: Command, exit: (code: number) => void): void {
  program
    .command('verify-receipt')
    .description('verifies a receipt of GET /transactions/{txid}/receipt; needs no ledger and no network')
    .argument('<file>', 'the receipt')
    .addOption(
      new Option(
        '--root <mspId=file>',
        'an organization that you trust, and a PEM file with its root certificate; may be repeated',
      )
        .argParser(addRoot)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--expect <height:hash>',
        "requires that the block has a hash that you know from elsewhere; height is the block's number plus one",
      ),
    )
    .option('--json', 'prints the report as JSON')
    .addHelpText(
      'after',
      '\nExit codes: 0 proven and VALID, 1 proves nothing, 2 command line, 3 proven, and not VALID.',
    )
    .action(async (file: string, { root, expect, json }: Options) => {
      const { parseExpectedHead, readRoots, TrustedRoots, verifyReceipt } = await loadImplementation();
      const head = parseOption('--expect', expect, parseExpectedHead);
      const roots = root.flatMap(
        ({ mspId, file: pem }) =>
          parseOption('--root', `${mspId}=${pem}`, () => {
            try {
              return readRoots(mspId, readFileSync(pem, 'utf8'));
            } catch (error) {
              throw new Error(`${pem}: ${(error as Error).message}.`, { cause: error });
            }
          }) ?? [],
      );
      const report = verifyReceipt(await readReceiptFile(file), { roots: new TrustedRoots(roots), expect: head });
      if (json === true) print(printable(JSON.stringify(report, null, 2)));
      else for (const line of linesOf(report)) print(escapeInvisible(line));
      exit(EXIT[report.verdict]);
    });
}

/** An organization and the PEM file with its root certificate. */
interface RootOption {
  readonly mspId: string;
  readonly file: string;
}

/** Adds a root to those of earlier `--root` options. */
function addRoot(text: string, previous: readonly RootOption[] = []): readonly RootOption[] {
  const [, mspId = '', file = ''] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (mspId === '') throw new InvalidArgumentError('Use MSPID=FILE, such as Org1MSP=ca.pem.');
  return [...previous, { mspId, file }];
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
