import { isUtf8 } from 'node:buffer';
import { LedgerError } from '../errors/ledger.errors.js';
import type { CallArgument, LedgerCall } from '../ports/ledger.port.js';

/** Returns an argument as a chaincode receives it. A Buffer, because fabric-common turns any other array into text. */
export function argumentBytes(argument: CallArgument): Buffer {
  if (typeof argument === 'string') return Buffer.from(argument);
  return Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength);
}

/** Returns whether a chaincode receives the same bytes, whether they were sent as text or as bytes. */
export function isSameArgument(one: CallArgument, other: CallArgument): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other;
  return argumentBytes(one).equals(argumentBytes(other));
}

/**
 * Returns the arguments of a call whose chaincode reads text.
 * @throws `LEDGER.INVALID_ARGUMENT` for bytes that are not UTF-8
 */
export function textArguments({ arguments: args }: Pick<LedgerCall, 'arguments'>): readonly string[] {
  return args.map((argument, index) => {
    if (typeof argument === 'string') return argument;
    if (isUtf8(argument)) return argumentBytes(argument).toString();
    throw new LedgerError('LEDGER.INVALID_ARGUMENT', `argument ${index + 1} must be text in UTF-8`);
  });
}
