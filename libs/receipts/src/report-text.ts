import { quoted, shownText } from '#fabric-codec';
import type { ProvenTransaction } from './proven-transaction.js';
import type { ReceiptReport } from './verify-receipt.js';

/**
 * Returns the conclusion of a report in sentences, which the command prints and the explorer shows: the result, then the
 * transaction if it is proven.
 */
export function conclusionOf({ verdict, steps, transaction }: ReceiptReport): readonly string[] {
  if (transaction === undefined) return ['REFUSED: the receipt proves nothing.'];
  const { channel, transactionId, blockNumber, position, validationCode, creator, timestamp } = transaction;
  const end = validationCode === 'VALID' ? 'is VALID' : `was refused as ${validationCode} and changed nothing`;
  const isLogged = steps.some(({ check }) => check === 'INCLUSION');
  const result =
    verdict === 'not-witnessed'
      ? 'NOT WITNESSED YET, so that nothing is proven; request the receipt again. The ledger states'
      : `PROVEN, if you trust the ${isLogged ? 'policy' : 'roots'}`;
  const by = creator === '' ? 'not signed' : `by ${creator}`;
  return [
    `${result}: transaction ${transactionId} of channel ${channel} ${end}.`,
    `It is ${callOf(transaction)}, ${by} at ${timestamp}, in block ${blockNumber} at position ${position}.`,
  ];
}

/** A function's name is not quoted where it is an identifier. */
function callOf(transaction: ProvenTransaction): string {
  const { chaincode, function: name, functionEncoding, arguments: args, argumentEncodings } = transaction;
  if (chaincode === '') return 'a configuration';
  const isPlain = functionEncoding === 'utf8' && /^[\w.:-]+$/.test(name);
  const shownName = isPlain ? name : shownText({ text: name, encoding: functionEncoding });
  const shownArguments = args.map((text, index) => shownText({ text, encoding: argumentEncodings[index] ?? 'utf8' }));
  const shownChaincode = /^[\w.:-]+$/.test(chaincode) ? chaincode : quoted(chaincode);
  return `${shownName}(${shownArguments.join(', ')}) of ${shownChaincode}`;
}
