import { status } from '@grpc/grpc-js';
import { GatewayError } from '@hyperledger/fabric-gateway';
import { LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { outcomeUnknown } from '#ledger-gateway/driver';
import {
  chaincodeRefusal,
  chaincodeReply,
  faultError,
  isQuorumMissing,
  nodeError,
  peerFault,
  type CallPlace,
  type NodeMessage,
} from '../driver/call-errors.js';

/** gRPC's codes, which the library's errors contain as numbers. */
const CODE: Readonly<Record<keyof typeof status, number>> = status;

/** The meanings of codes, for errors with an unknown text; all others mean that the peer could not serve the call. */
const CODES: Readonly<Record<number, readonly [LedgerErrorCode, string]>> = {
  [CODE.DEADLINE_EXCEEDED]: ['LEDGER.TIMEOUT', 'did not respond in time'],
  [CODE.RESOURCE_EXHAUSTED]: ['LEDGER.OVERLOADED', 'refuses for lack of resources'],
  [CODE.UNIMPLEMENTED]: [
    'LEDGER.MISCONFIGURED',
    'has no gateway service, which peers have since Fabric 2.4: check the address, or use the driver fabric',
  ],
  [CODE.INVALID_ARGUMENT]: ['LEDGER.MISCONFIGURED', 'refuses the call'],
  [CODE.FAILED_PRECONDITION]: ['LEDGER.MISCONFIGURED', 'refuses the call'],
  [CODE.PERMISSION_DENIED]: ['LEDGER.MISCONFIGURED', 'refuses the call'],
};

/** Creates the error for a call that wrote nothing: it was evaluated, or not endorsed. */
export function uncommittedError(cause: unknown, place: CallPlace): Error {
  if (!(cause instanceof GatewayError)) return cause as Error;
  const messages = messagesOf(cause, place);
  const refusals = messages.flatMap(({ text, endpoint }) => {
    const refusal = chaincodeReply(text);
    return refusal === undefined ? [] : [chaincodeRefusal(refusal, { cause, endpoint })];
  });
  const { endpoint } = place;
  const [code, reason] = CODES[cause.code] ?? ['LEDGER.UNAVAILABLE', 'could not serve the call'];
  return (
    nodeError(messages, place, cause, refusals[0]) ??
    new LedgerError(code, `The peer ${endpoint} ${reason}: ${textOf(cause)}`, { cause, endpoint })
  );
}

/** Creates the error for a stream of blocks that ended: the connection was lost, or the peer refuses access. */
export function lostBlocks(cause: unknown, place: CallPlace): LedgerError {
  const { message } = cause as Error;
  // common.Status.FORBIDDEN, which the library reports only as text.
  if (message.includes('status response: 403')) return faultError('access-denied', place, message, cause);
  const { endpoint } = place;
  const text = `The peer ${endpoint} stopped sending blocks: ${message}`;
  return new LedgerError('LEDGER.UNAVAILABLE', text, { cause, endpoint });
}

/**
 * Returns whether the peer, or a node that it needs, was unreachable, so that another peer may succeed. A peer that shuts
 * down may also cancel its calls.
 */
export function isUnavailable(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === CODE.UNAVAILABLE || error.code === CODE.CANCELLED);
}

/** Returns whether the peer did not respond in time: it may hang. */
export function isTimeout(error: unknown): boolean {
  return error instanceof GatewayError && error.code === CODE.DEADLINE_EXCEEDED;
}

/** A failed attempt to submit a transaction to the orderers. */
export interface OrderingFailure {
  /** Whether it is certain that no orderer received the transaction by this attempt. */
  readonly isCertain: boolean;
  /** Whether the same signed transaction may be submitted again. */
  readonly mayRepeat: boolean;
  /** The error to throw if every attempt was certain. */
  readonly error: Error;
}

/** Classifies why a transaction was not submitted to the orderers, or may not have been. */
export function orderingFailure(cause: unknown, place: CallPlace): OrderingFailure {
  const error = uncommittedError(cause, place);
  if (!(cause instanceof GatewayError)) return { isCertain: true, mayRepeat: false, error };
  const faults = messagesOf(cause, place).map(({ text }) => peerFault(text));
  switch (cause.code) {
    case CODE.UNAVAILABLE: {
      const isCertain = !isQuorumMissing(cause.message) && faults.every((fault) => fault === 'not-reached');
      const text = `No orderer accepted the transaction: ${textOf(cause)}`;
      return { isCertain, mayRepeat: true, error: new LedgerError('LEDGER.UNAVAILABLE', text, { cause }) };
    }
    case CODE.UNKNOWN: {
      // The peer's limit of concurrent calls applies before the transaction is processed.
      const isRefused = faults.includes('too-many-calls');
      return { isCertain: isRefused, mayRepeat: isRefused, error };
    }
    case CODE.CANCELLED:
      return { isCertain: false, mayRepeat: true, error };
    case CODE.DEADLINE_EXCEEDED:
    case CODE.INTERNAL:
      return { isCertain: false, mayRepeat: false, error };
    default:
      // An orderer or the peer refused the transaction.
      return { isCertain: true, mayRepeat: false, error };
  }
}

/** Returns whether another request for the commit status may succeed. */
export function mayRetryStatus(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  const isAborted = error.code === CODE.ABORTED;
  return isUnavailable(error) || isAborted || peerFault(textOf(error)) === 'too-many-calls';
}

/** Creates the error for a transaction that may still be committed. */
export function uncertainError(cause: unknown, transactionId: string, endpoint: string): LedgerError {
  const reason = cause instanceof GatewayError ? textOf(cause) : (cause as Error).message;
  return outcomeUnknown(transactionId, reason, { endpoint, cause });
}

function messagesOf(error: GatewayError, { endpoint }: CallPlace): readonly NodeMessage[] {
  const details = error.details.map(({ message, address }) => ({ text: message, endpoint: address }));
  return details.length > 0 ? details : [{ text: textOf(error), endpoint }];
}

/** Returns the text without gRPC's code in front of it. */
function textOf({ message, details }: GatewayError): string {
  const reasons = details.map(({ address, message: reason }) => `${address}: ${reason}`);
  // gRPC announces a note about name resolution also when there is none.
  const text = message.replace(/^\d+ [A-Z_]+: /, '').replace(/\.? Resolution note: ?$/, '');
  return [text, ...reasons].join('; ');
}
