import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { LedgerError, type LedgerErrorCode, type LedgerErrorFacts } from '../errors/ledger.errors.js';
import { transactionIdOf } from '../fabric-blocks/encode/hashes.js';
import { isConflict } from '../idempotency/recorded-write.js';
import type { GivenId } from './fabric-transport.js';
import type { PeerFault } from './peer-texts.js';

/** A fault that a peer reports, or the replacement of the identity that signs. */
export type CallFault = PeerFault | 'signer-replaced';

/** A ledger error that keeps which fault caused it, for the places that handle that fault. */
class FaultError extends LedgerError {
  readonly fault: CallFault;

  constructor(fault: CallFault, code: LedgerErrorCode, message: string, facts?: LedgerErrorFacts) {
    super(code, message, facts);
    this.fault = fault;
  }
}

/** Returns whether a thrown value was caused by that fault. */
export function isFault(error: unknown, fault: CallFault): error is LedgerError {
  return error instanceof FaultError && error.fault === fault;
}

/** Returns whether the network did not accept the identity that signed: it is revoked, expired, or not a member. */
export function isIdentityRefused(error: unknown): error is LedgerError {
  return isFault(error, 'identity-expired') || isFault(error, 'access-denied');
}

/** @throws `LEDGER.CONFLICT` with the fault `signer-replaced` when an id was made for another creator than the one who signs */
export function requireSigner(creator: Uint8Array, { nonce, transactionId }: GivenId): void {
  if (transactionIdOf(nonce, creator) === transactionId) return;
  throw new FaultError('signer-replaced', 'LEDGER.CONFLICT', 'The identity that signs was replaced a moment ago.');
}

/** Where a call was going and on whose behalf, for texts that say what to do. */
export interface CallPlace {
  readonly channel: string;
  readonly chaincode: string;
  /** The peer that was asked. */
  readonly endpoint: string;
  /** The identity that signed, as {@link describeIdentity} gives it. */
  readonly identity: string;
}

type FaultText = (place: CallPlace, text: string) => readonly [LedgerErrorCode, string];

const TEXTS: Readonly<Record<PeerFault, FaultText>> = {
  duplicate: ({ endpoint }) => ['LEDGER.CONFLICT', `The peer ${endpoint} has a transaction of this id already.`],
  'too-many-calls': ({ endpoint }) => [
    'LEDGER.OVERLOADED',
    `The peer ${endpoint} has more calls under way than it takes: raise peer.limits.concurrency there, or send fewer.`,
  ],
  'identity-expired': ({ identity }) => [
    'LEDGER.MISCONFIGURED',
    `The certificate of ${identity} has expired: re-enroll the identity.`,
  ],
  'access-denied': ({ channel, endpoint, identity }) => [
    'LEDGER.MISCONFIGURED',
    `The peer ${endpoint} denies ${identity} access to channel ${channel}: check that the certificate, its key and the MSP ` +
      'belong together and to this network (one that was made anew has new certificates), and that the channel exists.',
  ],
  pruned: ({ endpoint }) => [
    'LEDGER.MISCONFIGURED',
    `The peer ${endpoint} was started from a snapshot and has no older blocks: ask a peer that has the whole chain.`,
  ],
  'channel-unknown': ({ channel, endpoint }) => [
    'LEDGER.MISCONFIGURED',
    `The peer ${endpoint} has no channel ${channel}: check the name, and that the peer has joined.`,
  ],
  'chaincode-unknown': ({ channel, chaincode, endpoint }) => [
    'LEDGER.MISCONFIGURED',
    `Chaincode ${chaincode} is not committed on channel ${channel}, or not installed on ${endpoint}: check LEDGER_CHAINCODE.`,
  ],
  'chaincode-down': ({ chaincode, endpoint }) => [
    'LEDGER.UNAVAILABLE',
    `Chaincode ${chaincode} does not answer the peer ${endpoint}: start it.`,
  ],
  'endorsers-missing': ({ channel, chaincode, endpoint }) => [
    'LEDGER.UNAVAILABLE',
    `The peer ${endpoint} knows no peers that can endorse chaincode ${chaincode} on channel ${channel}: they are down or ` +
      'have just started.',
  ],
  'answers-differ': ({ chaincode }) => [
    'LEDGER.CONFLICT',
    `The peers endorsed different results of ${chaincode}: one of them is behind, or the chaincode is not deterministic.`,
  ],
  'not-reached': ({ endpoint }, text) => ['LEDGER.UNAVAILABLE', `${endpoint} cannot be reached: ${text}`],
};

/** The error for a known fault; its text names the place and the likely fix. */
export function faultError(
  fault: PeerFault,
  place: CallPlace,
  text: string,
  facts: LedgerErrorFacts = {},
): LedgerError {
  const [code, message] = TEXTS[fault](place, text);
  // Peers name the creator of a duplicate by 1.6 KB of its certificate, which belongs into no log.
  const cause = fault === 'duplicate' ? undefined : facts.cause;
  return new FaultError(fault, code, message, { endpoint: place.endpoint, ...facts, cause });
}

const { TxValidationCode } = transactionMessages;

/** The code of a second copy of a transaction. */
export const DUPLICATE_TRANSACTION = TxValidationCode.DUPLICATE_TXID;

const CODES: Readonly<Record<string, number>> = { ...TxValidationCode };

/** The code of that name. */
export function validationCode(name: string): number {
  return CODES[name] ?? TxValidationCode.INVALID_OTHER_REASON;
}

/** The error for a transaction that stands in the chain as invalid: nothing of it was written. */
export function validationError(code: number, transactionId: string): LedgerError {
  const text = `Transaction ${transactionId} was not committed: ${nameOf(code)}.`;
  if (isConflict(code)) {
    return new LedgerError('LEDGER.CONFLICT', `${text} Others changed meanwhile what it had read.`, { transactionId });
  }
  return new LedgerError(
    'LEDGER.MISCONFIGURED',
    `${text} Check the channel's policies and the identities against the endorsements.`,
    {
      transactionId,
    },
  );
}

function nameOf(code: number): string {
  return Object.keys(CODES).find((name) => CODES[name] === code) ?? `UNKNOWN_${code}`;
}
