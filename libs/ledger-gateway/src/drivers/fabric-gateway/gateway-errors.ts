import type { status } from '@grpc/grpc-js';
import { GatewayError } from '@hyperledger/fabric-gateway';
import { LedgerError, outcomeUnknown } from '../../errors/ledger.errors.js';
import {
  type CallPlace,
  chaincodeRefusal,
  chaincodeText,
  faultError,
  isQuorumMissing,
  peerFault,
} from '../../fabric-client/call-errors.js';

/** Status codes of gRPC, which the library's errors contain as numbers. */
const CODE = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const satisfies Partial<Record<keyof typeof status, number>>;

/** A message of a node. */
interface NodeMessage {
  readonly text: string;
  readonly endpoint: string;
}

/** Creates the error for a call that wrote nothing: it was evaluated, or not endorsed. */
export function uncommittedError(error: unknown, place: CallPlace): Error {
  if (!(error instanceof GatewayError)) return error as Error;
  const messages = messagesOf(error, place);
  return (
    fromDuplicate(messages, place) ??
    fromChaincode(error, messages) ??
    fromFault(error, messages, place) ??
    fromCode(error, place)
  );
}

/** Creates the error for a stream of blocks that ended: the connection was lost, or the peer refuses access. */
export function lostBlocks(error: unknown, place: CallPlace): LedgerError {
  const { message } = error as Error;
  // common.Status.FORBIDDEN, which the library reports only as text.
  if (message.includes('status response: 403')) return faultError('access-denied', place, message, { cause: error });
  const text = `The peer ${place.endpoint} stopped sending blocks: ${message}`;
  return new LedgerError('LEDGER.UNAVAILABLE', text, { cause: error, endpoint: place.endpoint });
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
export function orderingFailure(error: unknown, place: CallPlace): OrderingFailure {
  if (!(error instanceof GatewayError)) return { isCertain: true, mayRepeat: false, error: error as Error };
  const faults = messagesOf(error, place).map(({ text }) => peerFault(text));
  switch (error.code) {
    case CODE.UNAVAILABLE:
      return {
        isCertain: !isQuorumMissing(error.message) && faults.every((fault) => fault === 'not-reached'),
        mayRepeat: true,
        error: new LedgerError('LEDGER.UNAVAILABLE', `No orderer took the transaction: ${textOf(error)}`, {
          cause: error,
        }),
      };
    case CODE.UNKNOWN:
      // The peer's limit of concurrent calls applies before the transaction is processed.
      if (faults.includes('too-many-calls')) return refusedOrdering(error, place, true);
      return { isCertain: false, mayRepeat: false, error: uncommittedError(error, place) };
    case CODE.CANCELLED:
      return { isCertain: false, mayRepeat: true, error: uncommittedError(error, place) };
    case CODE.DEADLINE_EXCEEDED:
    case CODE.INTERNAL:
      return { isCertain: false, mayRepeat: false, error: uncommittedError(error, place) };
    default:
      // An orderer or the peer refused the transaction.
      return refusedOrdering(error, place, false);
  }
}

function refusedOrdering(error: GatewayError, place: CallPlace, mayRepeat: boolean): OrderingFailure {
  return { isCertain: true, mayRepeat, error: uncommittedError(error, place) };
}

/** Returns whether another request for the commit status may succeed. */
export function mayRetryStatus(error: unknown): boolean {
  if (!(error instanceof GatewayError)) return false;
  return isUnavailable(error) || error.code === CODE.ABORTED || peerFault(textOf(error)) === 'too-many-calls';
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
  return [message.replace(/^\d+ [A-Z_]+: /, ''), ...reasons].join('; ');
}

/** Checked first: the peer's message contains the creator's certificate, which must not appear in an error or its cause. */
function fromDuplicate(messages: readonly NodeMessage[], place: CallPlace): LedgerError | undefined {
  const duplicate = messages.find(({ text }) => peerFault(text) === 'duplicate');
  return duplicate && faultError('duplicate', { ...place, endpoint: duplicate.endpoint }, '');
}

function fromChaincode(error: GatewayError, messages: readonly NodeMessage[]): LedgerError | undefined {
  for (const { text, endpoint } of messages) {
    const refusal = chaincodeText(text);
    if (refusal !== undefined) return chaincodeRefusal(refusal, { cause: error, endpoint });
  }
  return undefined;
}

function fromFault(error: GatewayError, messages: readonly NodeMessage[], place: CallPlace): LedgerError | undefined {
  for (const { text, endpoint } of messages) {
    const fault = peerFault(text);
    if (fault !== undefined) return faultError(fault, { ...place, endpoint }, text, { cause: error });
  }
  return undefined;
}

function fromCode(error: GatewayError, { endpoint }: CallPlace): LedgerError {
  const facts = { cause: error, endpoint };
  const text = textOf(error);
  switch (error.code) {
    case CODE.DEADLINE_EXCEEDED:
      return new LedgerError('LEDGER.TIMEOUT', `The peer ${endpoint} did not answer in time: ${text}`, facts);
    case CODE.RESOURCE_EXHAUSTED:
      return new LedgerError('LEDGER.OVERLOADED', `The peer ${endpoint} refuses for lack of resources: ${text}`, facts);
    case CODE.UNIMPLEMENTED:
      return new LedgerError(
        'LEDGER.MISCONFIGURED',
        `${endpoint} has no gateway service, which peers have since Fabric 2.4: check the address, or use the driver fabric.`,
        facts,
      );
    case CODE.INVALID_ARGUMENT:
    case CODE.FAILED_PRECONDITION:
    case CODE.PERMISSION_DENIED:
      return new LedgerError('LEDGER.MISCONFIGURED', `The peer ${endpoint} refuses the call: ${text}`, facts);
    default:
      return new LedgerError('LEDGER.UNAVAILABLE', `The peer ${endpoint} could not serve the call: ${text}`, facts);
  }
}
