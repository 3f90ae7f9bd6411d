import { isLedgerError, LedgerError } from '#ledger-gateway';
import {
  type CallPlace,
  type ChaincodeReply,
  chaincodeRefusal,
  isChaincodesOwn,
  isSuccessful,
  nodeError,
} from '../driver/call-errors.js';

/** Properties of the SDK's errors; each error has some of them. */
interface SdkError extends Error {
  /** Of an evaluated call that a peer or the chaincode refused. */
  readonly status?: number;
  /** Of a proposal that was not endorsed. */
  readonly responses?: readonly SdkResponse[];
  readonly errors?: readonly SdkError[];
  readonly endorsements?: readonly (SdkError | SdkResponse)[];
}

interface SdkResponse {
  readonly response: { readonly status: number; readonly message: string; readonly payload?: Uint8Array };
  readonly endorsement?: unknown;
}

/** The SDK has no codes for these. */
const TIMEOUT = /REQUEST TIMEOUT|SYSTEM TIMEOUT|Timed out waiting/;
const REFUSED_BY_ORDERER = /status:\s*(BAD_REQUEST|FORBIDDEN|NOT_FOUND|REQUEST_ENTITY_TOO_LARGE)/;

/** What the SDK makes of a response with status 0, whose message it drops. */
const NO_STATUS = 'failed to get a proper response from the peer';
const STATUS_0: ChaincodeReply = { text: 'it responded with status 0; the SDK drops its message', status: 0 };

/** Creates the error for a call that wrote nothing: it was evaluated, or not endorsed. */
export function uncommittedError(error: unknown, place: CallPlace): Error {
  if (isLedgerError(error) || !(error instanceof Error)) return error as Error;
  const replies = refusalsIn(error);
  const refusals = replies.map((reply) => chaincodeRefusal(reply, { cause: error }));
  const texts = textsOf(error);
  const messages = [...refusals.map(({ message }) => message), ...texts];
  const known = nodeError(
    messages.map((text) => ({ text, endpoint: place.endpoint })),
    place,
    error,
    refusals.find(({ code }, index) => code !== 'LEDGER.REFUSED' || isChaincodesOwn(place, replies[index]?.text ?? '')),
  );
  return known ?? fromSdk(error, messages, place) ?? refusals[0] ?? unavailable(error, texts, place);
}

/** Returns whether every orderer refused the transaction. */
export function isRefusedByOrderer(error: unknown): boolean {
  return error instanceof Error && REFUSED_BY_ORDERER.test(error.message);
}

/** Returns the function's result from the endorsements in an error of a later stage. */
export function endorsedResult(error: unknown): Uint8Array {
  const endorsed = (error as SdkError).responses?.find(({ endorsement }) => endorsement !== undefined);
  return endorsed?.response.payload ?? new Uint8Array();
}

function fromSdk(
  cause: SdkError,
  messages: readonly string[],
  { identity, channel }: CallPlace,
): LedgerError | undefined {
  if (isRefusedByOrderer(cause)) {
    const text = `The orderers refuse transactions of ${identity} on channel ${channel}: ${cause.message}`;
    return new LedgerError('LEDGER.MISCONFIGURED', text, { cause });
  }
  if (!messages.some((text) => TIMEOUT.test(text))) return undefined;
  return new LedgerError('LEDGER.TIMEOUT', `The peers did not respond in time: ${messages.join('; ')}`, { cause });
}

function unavailable(cause: SdkError, texts: readonly string[], { endpoint }: CallPlace): LedgerError {
  const text = `${endpoint} could not serve the call: ${texts.join('; ')}`;
  return new LedgerError('LEDGER.UNAVAILABLE', text, { cause, endpoint });
}

/**
 * Returns the messages of peers that refused: of the chaincode, or of a peer that could not run it. When one peer is
 * unreachable, another may have endorsed, which is no refusal.
 */
function refusalsIn(error: SdkError): readonly ChaincodeReply[] {
  if (error.status !== undefined) return [{ text: error.message, status: error.status }];
  const nested = endorsementsIn(error).flatMap((it) => ('response' in it ? [it] : []));
  const responses = [...(error.responses ?? []), ...nested].map(({ response }) => response);
  const refusals = responses
    .filter(({ status }) => !isSuccessful(status))
    .map(({ message, status }) => ({ text: message, status }));
  return [
    ...refusals,
    ...textsOf(error)
      .filter((text) => text.includes(NO_STATUS))
      .map(() => STATUS_0),
  ];
}

/** Returns the messages of nested errors, the innermost first. */
function textsOf(error: SdkError): readonly string[] {
  const nested = endorsementsIn(error).flatMap((it) => ('response' in it ? [] : [it.message]));
  return [...nested, ...(error.errors ?? []).map(({ message }) => message), error.message];
}

function endorsementsIn(error: SdkError): readonly (SdkError | SdkResponse)[] {
  return [...(error.errors ?? []), error].flatMap(({ endorsements = [] }) => endorsements);
}
