import { LedgerError, outcomeUnknown } from '../../errors/ledger.errors.js';
import { faultError, type CallPlace } from '../../fabric-client/call-errors.js';
import { chaincodeRefusal, peerFault } from '../../fabric-client/peer-texts.js';

/** What the SDK's errors carry, each some of it. */
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

/** Chaincode answers with statuses below this when it agrees. */
const FIRST_REFUSAL = 400;

/** The SDK has no codes for these. */
const TIMEOUT = /REQUEST TIMEOUT|SYSTEM TIMEOUT|Timed out waiting/;
const REFUSED_BY_ORDERER = /status:\s*(BAD_REQUEST|FORBIDDEN|NOT_FOUND|REQUEST_ENTITY_TOO_LARGE)/;

/** The error for a call that can have written nothing: evaluated, or not endorsed. */
export function uncommittedError(error: unknown, place: CallPlace): Error {
  if (error instanceof LedgerError || !(error instanceof Error)) return error as Error;
  const responses = responsesOf(error);
  // Before all else, since what one peer says of it must not stand in any error, nor in the cause of one.
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

/** Whether every orderer that was asked looked at the transaction and refused it. */
export function isRefusedByOrderer(error: unknown): boolean {
  return error instanceof Error && REFUSED_BY_ORDERER.test(error.message);
}

/** Creates the error for a transaction that may still be committed. */
export function uncertainError(cause: unknown, transactionId: string): LedgerError {
  const reason = cause instanceof Error ? cause.message : 'no peer reported it in time';
  return outcomeUnknown(transactionId, reason, { cause });
}

/** What the function returned, from the endorsements that the SDK puts into an error of a later stage. */
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

/** What is left is a refusal of the chaincode in words of its own, or nobody who could answer. */
function fromResponses(error: SdkError, [refusal]: readonly string[], { endpoint }: CallPlace): LedgerError {
  if (refusal !== undefined) return chaincodeRefusal(refusal, { cause: error });
  return new LedgerError('LEDGER.UNAVAILABLE', `${endpoint} could not serve the call: ${textsOf(error).join('; ')}`, {
    cause: error,
    endpoint,
  });
}

/**
 * What peers answered that refused: texts of the chaincode, or of the peer that could not run it. Beside a peer that is
 * gone there may be one that endorsed, which is no refusal.
 */
function responsesOf(error: SdkError): readonly string[] {
  if (error.status !== undefined) return [error.message];
  const nested = [...(error.errors ?? []), error].flatMap(({ endorsements = [] }) => endorsements);
  const answers = [...(error.responses ?? []), ...nested].flatMap((it) => ('response' in it ? [it.response] : []));
  return answers.filter(({ status }) => status >= FIRST_REFUSAL).map(({ message }) => message);
}

/** What failed, from the innermost error outwards. */
function textsOf(error: SdkError): readonly string[] {
  const nested = [...(error.errors ?? []), error]
    .flatMap(({ endorsements = [] }) => endorsements)
    .flatMap((it) => ('response' in it ? [] : [it.message]));
  return [...nested, ...(error.errors ?? []).map(({ message }) => message), error.message];
}
