import { LedgerError, outcomeUnknown } from '../../errors/ledger.errors.js';
import { type CallPlace, chaincodeRefusal, faultError, peerFault } from '../../fabric-client/call-errors.js';

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

/** Responses of chaincode with a status below this are successful. */
const FIRST_REFUSAL = 400;

/** The SDK has no codes for these. */
const TIMEOUT = /REQUEST TIMEOUT|SYSTEM TIMEOUT|Timed out waiting/;
const REFUSED_BY_ORDERER = /status:\s*(BAD_REQUEST|FORBIDDEN|NOT_FOUND|REQUEST_ENTITY_TOO_LARGE)/;

/** Creates the error for a call that wrote nothing: it was evaluated, or not endorsed. */
export function uncommittedError(error: unknown, place: CallPlace): Error {
  if (error instanceof LedgerError || !(error instanceof Error)) return error as Error;
  const responses = responsesOf(error);
  // Checked first: the peer's message contains the creator's certificate, which must not appear in an error or its cause.
  if ([...responses, ...textsOf(error)].some((text) => peerFault(text) === 'duplicate')) {
    return faultError('duplicate', place, '');
  }
  const refusal = responses
    .map((text) => chaincodeRefusal(text, { cause: error }))
    .find(({ code }) => code !== 'LEDGER.REFUSED');
  return (
    refusal ?? fromTexts(error, [...responses, ...textsOf(error)], place) ?? fromResponses(error, responses, place)
  );
}

/** Returns whether every orderer refused the transaction. */
export function isRefusedByOrderer(error: unknown): boolean {
  return error instanceof Error && REFUSED_BY_ORDERER.test(error.message);
}

/** Creates the error for a transaction that may still be committed. */
export function uncertainError(cause: unknown, transactionId: string): LedgerError {
  const reason = cause instanceof Error ? cause.message : 'no peer reported it in time';
  return outcomeUnknown(transactionId, reason, { cause });
}

/** Returns the function's result from the endorsements in an error of a later stage. */
export function endorsedResult(error: unknown): Uint8Array {
  const endorsed = (error as SdkError).responses?.find(({ endorsement }) => endorsement !== undefined);
  return endorsed?.response.payload ?? new Uint8Array();
}

function fromTexts(error: SdkError, texts: readonly string[], place: CallPlace): LedgerError | undefined {
  for (const text of texts) {
    const fault = peerFault(text);
    if (fault !== undefined) return faultError(fault, place, text, { cause: error });
  }
  if (isRefusedByOrderer(error)) {
    return new LedgerError(
      'LEDGER.MISCONFIGURED',
      `The orderers refuse transactions of ${place.identity} on channel ${place.channel}: ${error.message}`,
      { cause: error },
    );
  }
  if (!texts.some((text) => TIMEOUT.test(text))) return undefined;
  return new LedgerError('LEDGER.TIMEOUT', `The peers did not answer in time: ${texts.join('; ')}`, { cause: error });
}

/** Creates the error when no text is known: a refusal with the chaincode's own text, or a failure of the peers. */
function fromResponses(error: SdkError, [refusal]: readonly string[], { endpoint }: CallPlace): LedgerError {
  if (refusal !== undefined) return chaincodeRefusal(refusal, { cause: error });
  return new LedgerError('LEDGER.UNAVAILABLE', `${endpoint} could not serve the call: ${textsOf(error).join('; ')}`, {
    cause: error,
    endpoint,
  });
}

/**
 * Returns the messages of peers that refused: of the chaincode, or of a peer that could not run it. When one peer is
 * unreachable, another may have endorsed, which is no refusal.
 */
function responsesOf(error: SdkError): readonly string[] {
  if (error.status !== undefined) return [error.message];
  const nested = [...(error.errors ?? []), error].flatMap(({ endorsements = [] }) => endorsements);
  const answers = [...(error.responses ?? []), ...nested].flatMap((it) => ('response' in it ? [it.response] : []));
  return answers.filter(({ status }) => status >= FIRST_REFUSAL).map(({ message }) => message);
}

/** Returns the messages of nested errors, the innermost first. */
function textsOf(error: SdkError): readonly string[] {
  const nested = [...(error.errors ?? []), error]
    .flatMap(({ endorsements = [] }) => endorsements)
    .flatMap((it) => ('response' in it ? [] : [it.message]));
  return [...nested, ...(error.errors ?? []).map(({ message }) => message), error.message];
}
