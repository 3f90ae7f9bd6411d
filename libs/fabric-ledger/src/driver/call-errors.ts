import { ASSET_ERROR_CODES } from '#asset-contract';
import { parseContractError } from '#contract-kit';
import { validationCodeName } from '#fabric-codec';
import { transactionIdOf } from '#fabric-codec/encode';
import { TxValidationCode } from '#fabric-codec/messages';
import { contractRefusal, LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { type LedgerErrorFacts, type RefusalCode, isConflict } from '#ledger-gateway/driver';
import type { GivenId } from './fabric-transport.js';
import { RECORD_FAULTS } from './record-texts.js';

/*
 * The only place that interprets error texts of peers, orderers and chaincode, for which Fabric has no codes.
 * Texts of Fabric 2.5 and 3.1 (internal/pkg/gateway, core/endorser, core/chaincode, core/scc/qscc, discovery) and of the
 * Node SDK 2.2.
 */

/** The target and the identity of a call, for error messages. */
export interface CallPlace {
  readonly channel: string;
  readonly chaincode: string;
  /** The peer that was called. */
  readonly endpoint: string;
  /** Description of the identity that signed. */
  readonly identity: string;
}

/** A fault that a text reports, its code of the port, and a message with the likely fix. */
interface FaultRow {
  /** Any of them: short patterns are quick to check for linear time. */
  readonly patterns: readonly RegExp[];
  readonly code: LedgerErrorCode;
  readonly message: (place: CallPlace, text: string) => string;
}

/** The order matters: the text of an unreachable chaincode also mentions a refused connection. */
const FAULTS = {
  // First: this text ends with the creator's certificate in hexadecimal, which may match other patterns.
  duplicate: {
    // The second is of a peer that is still executing another copy (core/chaincode).
    patterns: [/duplicate transaction found/, /error sending: txid: [0-9a-f]+\([^()]*\) exists/],
    code: 'LEDGER.CONFLICT',
    message: ({ endpoint }) => `The peer ${endpoint} has a transaction of this id already.`,
  },
  'too-many-calls': {
    patterns: [/too many requests for /],
    code: 'LEDGER.OVERLOADED',
    message: ({ endpoint }) =>
      `The peer ${endpoint} has too many concurrent calls: raise peer.limits.concurrency there, or send fewer.`,
  },
  'identity-expired': {
    patterns: [/identity expired/],
    code: 'LEDGER.MISCONFIGURED',
    message: ({ identity }) => `The certificate of ${identity} has expired: re-enroll the identity.`,
  },
  'access-denied': {
    patterns: [
      /access denied/i,
      /creator org unknown/i,
      /policy evaluation failed/i,
      /failed evaluating policy/i,
      /not satisf\w+ policy/i,
    ],
    code: 'LEDGER.MISCONFIGURED',
    message: ({ channel, endpoint, identity }) =>
      `The peer ${endpoint} denies ${identity} access to channel ${channel}: check that the certificate, its key and the ` +
      'MSP belong together and to this network (a re-created network has new certificates), and that the channel exists.',
  },
  pruned: {
    patterns: [/bootstrapped from a snapshot/],
    code: 'LEDGER.MISCONFIGURED',
    message: ({ endpoint }) =>
      `The peer ${endpoint} was started from a snapshot and has no older blocks: ask a peer that has the whole chain.`,
  },
  'channel-unknown': {
    patterns: [/channel '[^']*' not found/, /Invalid chain ID/, /failed to get config for channel/],
    code: 'LEDGER.MISCONFIGURED',
    message: ({ channel, endpoint }) =>
      `The peer ${endpoint} has no channel ${channel}: check the name, and that the peer has joined.`,
  },
  // An orderer of Fabric 2.5 and one of 3.1 that was removed from the channel.
  'channel-unserved': {
    patterns: [/the orderer system channel is not defined/, /info=channel does not exist/, /^channel does not exist/],
    code: 'LEDGER.UNAVAILABLE',
    message: ({ channel }, text) => `No orderer serves the channel ${channel}: ${text}`,
  },
  'chaincode-down': {
    patterns: [
      /could not launch chaincode/,
      /chaincode stream terminated/,
      /timeout expired while (starting|executing)/,
    ],
    code: 'LEDGER.UNAVAILABLE',
    message: ({ chaincode, endpoint }) => `Chaincode ${chaincode} does not respond to the peer ${endpoint}: start it.`,
  },
  'chaincode-unknown': {
    patterns: [
      /is not running chaincode/,
      /has been successfully defined on channel/,
      /namespace \S+ is not defined/,
      /chaincode is not installed/,
    ],
    code: 'LEDGER.MISCONFIGURED',
    message: ({ channel, chaincode, endpoint }) =>
      `Chaincode ${chaincode} is not committed on channel ${channel}, or not installed on ${endpoint}: check LEDGER_CHAINCODE.`,
  },
  'endorsers-missing': {
    patterns: [
      /no (peer |endorsement )?combination/,
      /failed to select a set of endorsers/,
      /failed to find any endorsing peers/,
      /did not find any peers active/,
      /no peers available to evaluate/,
      /failed constructing descriptor/,
    ],
    code: 'LEDGER.UNAVAILABLE',
    message: ({ channel, chaincode, endpoint }) =>
      `The peer ${endpoint} finds no peers that can endorse chaincode ${chaincode} on channel ${channel}: they are down or ` +
      'have just started.',
  },
  'answers-differ': {
    patterns: [/(Payloads|responses|endorsements) do not match/i],
    code: 'LEDGER.NOT_DETERMINISTIC',
    message: ({ chaincode }) =>
      `The peers endorsed different results of ${chaincode}: one of them is behind, or the chaincode is not deterministic.`,
  },
  'not-reached': {
    patterns: [
      /connection refused/i,
      /ECONNREFUSED/i,
      /ENOTFOUND/i,
      /error while dialing/i,
      /no such host/i,
      /Name resolution failed/i,
      /No connection established/i,
      /failed to create new connection/i,
    ],
    code: 'LEDGER.UNAVAILABLE',
    message: ({ endpoint }, text) => `${endpoint} cannot be reached: ${text}`,
  },
} as const satisfies Readonly<Record<string, FaultRow>>;

/** The name of a fault that a text reports. */
export type PeerFault = keyof typeof FAULTS;

/** A fault that a peer reports, or the replacement of the identity that signs. */
export type CallFault = PeerFault | 'signer-replaced';

/** Returns the fault that a text reports, or undefined for an unknown text. */
export function peerFault(text: string): PeerFault | undefined {
  return (Object.keys(FAULTS) as PeerFault[]).find((fault) =>
    FAULTS[fault].patterns.some((pattern) => pattern.test(text)),
  );
}

/** A ledger error that records which fault caused it, for the places that handle that fault. */
class FaultError extends LedgerError {
  readonly fault: CallFault;

  constructor(fault: CallFault, code: LedgerErrorCode, message: string, facts?: LedgerErrorFacts) {
    super(code, message, facts);
    this.fault = fault;
  }
}

/** Creates the error for a known fault, with the place and the likely fix. */
export function faultError(fault: PeerFault, place: CallPlace, text: string, cause: unknown): LedgerError {
  const { code, message } = FAULTS[fault];
  return new FaultError(fault, code, message(place, text), { endpoint: place.endpoint, cause });
}

/** A message of a node. */
export interface NodeMessage {
  readonly text: string;
  readonly endpoint: string;
}

/**
 * Creates the error for the messages of nodes; undefined if none is known.
 * @param refusal - of the chaincode, if it responded, which may read like a fault
 */
export function nodeError(
  messages: readonly NodeMessage[],
  place: CallPlace,
  cause: unknown,
  refusal: LedgerError | undefined,
): LedgerError | undefined {
  const faults = messages.map(({ text, endpoint }) => ({ text, endpoint, fault: peerFault(text) }));
  const duplicate = faults.find(({ fault }) => fault === 'duplicate');
  // The peer's message contains the creator's certificate (1.6 KB), which must appear neither in an error nor in its cause.
  if (duplicate !== undefined)
    return faultError('duplicate', { ...place, endpoint: duplicate.endpoint }, '', undefined);
  if (refusal !== undefined) return refusal;
  const [known] = faults.flatMap(({ fault, ...message }) => (fault === undefined ? [] : [{ ...message, fault }]));
  return known && faultError(known.fault, { ...place, endpoint: known.endpoint }, known.text, cause);
}

/** Returns whether a thrown value was caused by that fault. */
export function isFault(error: unknown, fault: CallFault): error is LedgerError {
  return error instanceof FaultError && error.fault === fault;
}

/** Returns whether the network did not accept the identity that signed: it is revoked, expired, or not a member. */
export function isIdentityRefused(error: unknown): error is LedgerError {
  return isFault(error, 'identity-expired') || isFault(error, 'access-denied');
}

/** @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when an id was created for another identity than the one that signs */
export function requireSigner(creator: Uint8Array, { nonce, transactionId }: GivenId): void {
  if (transactionIdOf(nonce, creator) === transactionId) return;
  throw new FaultError('signer-replaced', 'LEDGER.CONFLICT', 'The identity that signs was replaced a moment ago.');
}

/** The code of a second copy of a transaction. */
export const DUPLICATE_TRANSACTION = TxValidationCode.DUPLICATE_TXID;

/** Returns the validation code with a name. */
export function validationCode(name: string): number {
  const codes: Readonly<Record<string, number>> = TxValidationCode;
  return codes[name] ?? TxValidationCode.INVALID_OTHER_REASON;
}

/** Creates the error for a transaction that is recorded as invalid: nothing was written. */
export function validationError(code: number, transactionId: string): LedgerError {
  const text = `Transaction ${transactionId} was not committed: ${validationCodeName(code)}.`;
  if (isConflict(code)) {
    return new LedgerError('LEDGER.CONFLICT', `${text} Other transactions changed the same data.`, { transactionId });
  }
  const remedy = `${text} Check the channel's policies and the identities against the endorsements.`;
  return new LedgerError('LEDGER.INVALID_TRANSACTION', remedy, { transactionId });
}

/** Creates the error for a call whose policies no combination of the channel's peers satisfies. */
export function policyError(
  { channel, chaincode }: Pick<CallPlace, 'channel' | 'chaincode'>,
  cause: unknown,
): LedgerError {
  const text =
    `No combination of the peers of channel ${channel} satisfies all policies of this call of ${chaincode}, such as those of its ` +
    'private data collections. Name the organizations whose peers must endorse it: endorsingOrganizations';
  return new LedgerError('LEDGER.POLICY_UNSATISFIABLE', text, { cause });
}

/**
 * Returns whether a peer of Fabric 3 reports that too few orderers of a BFT channel accepted a transaction. Some may have it:
 * the details list only those that failed.
 */
export function isQuorumMissing(text: string): boolean {
  return text.includes('insufficient number of orderers');
}

/** Returns whether the query chaincode reports that there is no such block or transaction. */
export function isNotRecorded(text: string): boolean {
  return /no such (transaction ID|block number)/.test(text);
}

const CHAINCODE_RESPONSE = /chaincode response (\d+), ([^]*)$/;
/** How a peer passes on a refusal of a chaincode on fabric-shim 2.2, which reports it without a response. */
const CHAINCODE_ERROR = /error in simulation: transaction returned with failure: [^]*$/;
/** How a peer reports a response with a status below 200, which it endorses and then makes no transaction of. */
const LOW_STATUS = /proposal response was not successful, error code (\d+), msg ([^]*)$/;

/** Returns whether a response of chaincode with this status is successful. */
export function isSuccessful(status: number): boolean {
  return status >= 200 && status < 400;
}

/** A refusal of a chaincode. */
export interface ChaincodeReply {
  readonly text: string;
  readonly status?: number;
}

/** Returns the chaincode's refusal in the error of a peer's gateway, if the chaincode responded. */
export function chaincodeReply(message: string): ChaincodeReply | undefined {
  const [, status, text] = CHAINCODE_RESPONSE.exec(message) ?? LOW_STATUS.exec(message) ?? [];
  if (text !== undefined) return { text, status: Number(status) };
  const [error] = CHAINCODE_ERROR.exec(message) ?? [];
  return error === undefined ? undefined : { text: error };
}

/** How the message of a response begins that is the peer's own: the chaincode was not reached, or gave no response. */
const PEERS_OWN =
  /^(error in simulation: (?!transaction returned with failure)|error validating proposal: |make sure the chaincode |endorsing with plugin failed|channel '[^']*' not found$)/;
/** Chaincode of peers, whose refusals are faults of the call or the network. */
const SYSTEM_CHAINCODE = /^(_lifecycle|[cq]scc)$/;

/** Returns whether a response with an error is the answer of a user's chaincode, whose words mean nothing about the network. */
export function isChaincodesOwn({ chaincode }: CallPlace, text: string): boolean {
  return !SYSTEM_CHAINCODE.test(chaincode) && !PEERS_OWN.test(text);
}

/** Messages of fabric-samples' asset-transfer-basic in TypeScript, JavaScript, Go and Java. */
const SAMPLE_TEXTS: readonly (readonly [RefusalCode, RegExp])[] = [
  ['LEDGER.ASSET_NOT_FOUND', /^(the )?asset [^]* does not exist$/i],
  ['LEDGER.ASSET_EXISTS', /^(the )?asset [^]* already exists$/i],
  ['LEDGER.FUNCTION_UNKNOWN', /^You've asked to invoke a function that does not exist/],
  ['LEDGER.FUNCTION_UNKNOWN', /^Function \S+ not found in contract/],
  ['LEDGER.FUNCTION_UNKNOWN', /^Undefined contract method/],
  ['LEDGER.INVALID_ARGUMENT', /^Expected \d+ parameters|^Incorrect number of params/],
];

/** Creates the port's error for a chaincode's refusal, by our contract's code or the meaning of the samples' texts. */
export function chaincodeRefusal({ text, status }: ChaincodeReply, facts: LedgerErrorFacts): LedgerError {
  const all = { ...facts, chaincodeStatus: status };
  const fault = RECORD_FAULTS.find(({ pattern }) => pattern.test(text));
  if (fault !== undefined) return new LedgerError(fault.code, fault.message, all);
  const ours = parseContractError(text, ASSET_ERROR_CODES);
  if (ours !== undefined) return contractRefusal(ours, all);
  const code = SAMPLE_TEXTS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'LEDGER.REFUSED';
  return new LedgerError(code, text, all);
}
