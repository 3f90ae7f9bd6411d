import { Buffer } from 'node:buffer';
import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { decodeReadWriteSets, type NamespaceSets } from '../decode/decode-read-write-sets.js';
import { proposalHashOf, transactionIdOf } from '../encode/hashes.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { attempt, canonicalFault } from '../messages/decode-message.js';
import {
  ConfigEnvelope,
  Envelope,
  HeaderType,
  Payload,
  Transaction,
  TxValidationCode,
} from '../messages/fabric-messages.js';
import type { MessageSchema } from '../messages/schema.js';
import type { Fault } from './findings.js';
import type { IdentitySignatures, SignedBy } from './identity-signatures.js';

/** The results of all checks on one transaction that need nothing else. */
export interface ExaminedTransaction {
  /** Its recorded `TxValidationCode`. */
  readonly code: number;
  /** The errors in its form, and its contradictions; empty for a transaction that the peers refused, which may be anything. */
  readonly faults: readonly Fault[];
  /** Undefined when the envelope cannot be decoded. */
  readonly transactionId: string | undefined;
  /** The serialized `common.Envelope` of a configuration; undefined for another type. */
  readonly configuration: Uint8Array | undefined;
  /** Undefined when it cannot be decoded, and for a transaction that the peers refused. */
  readonly envelope: ExaminedEnvelope | undefined;
}

/** The envelope of a transaction that was not refused. */
export interface ExaminedEnvelope {
  /** `common.HeaderType` */
  readonly type: number;
  readonly channelId: string;
  /** Whether the id is the hash of nonce and creator, or the empty id of a configuration that an orderer made. */
  readonly isIdRight: boolean;
  readonly creator: SignedBy;
  /** Whether there is no signature at all. */
  readonly isUnsigned: boolean;
  /** The call of a chaincode; undefined for another type, or when it is not one call. */
  readonly call: ExaminedCall | undefined;
}

/** The call of a chaincode in an endorser transaction. */
export interface ExaminedCall {
  /** The chaincode that answered. */
  readonly chaincode: string;
  /** One per endorsement. */
  readonly endorsers: readonly SignedBy[];
  readonly namespaces: readonly NamespaceSets[];
}

const { VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT, NOT_VALIDATED } = TxValidationCode;
/** Peers check reads and writes last: with these codes everything else was in order. */
const PASSED = new Set<number>([VALID, MVCC_READ_CONFLICT, PHANTOM_READ_CONFLICT]);

/** Returns whether a transaction with that `TxValidationCode` was in order, even if its reads were outdated. */
export function isPassed(code: number): boolean {
  return PASSED.has(code);
}

/**
 * Examines a serialized `common.Envelope` and checks its form: the envelope strictly, as Fabric does since CVE-2023-46132, and
 * the client's part except for default values, which some client libraries write out.
 * @param code - undefined when the block has none for it
 */
export function examineTransaction(
  bytes: Uint8Array,
  code: number = NOT_VALIDATED,
  signatures: IdentitySignatures,
): ExaminedTransaction {
  const decoded = attempt(() => decodeEnvelope(bytes));
  const configuration = decoded?.type === HeaderType.CONFIG ? bytes : undefined;
  const known = { code, transactionId: decoded?.transactionId, configuration };
  if (!isPassed(code)) return { ...known, faults: [], envelope: undefined };
  const faults = formFaults('envelope', bytes, Envelope, { allowDefaults: false });
  if (decoded === undefined) faults.push(formFault('the envelope cannot be decoded'));
  return { ...known, faults, envelope: decoded && examineEnvelope(decoded, signatures, faults) };
}

/** @param faults - receives the errors in the content of the envelope */
function examineEnvelope(envelope: DecodedEnvelope, signatures: IdentitySignatures, faults: Fault[]): ExaminedEnvelope {
  const { type, channelId, transactionId, nonce, creatorBytes, payload, signature, data } = envelope;
  faults.push(...formFaults('payload', payload, Payload));
  if (type === HeaderType.CONFIG) faults.push(...formFaults('configuration', data, ConfigEnvelope));
  const isCall = type === HeaderType.ENDORSER_TRANSACTION;
  return {
    type,
    channelId,
    isIdRight:
      transactionIdOf(nonce, creatorBytes) === transactionId || (type === HeaderType.CONFIG && transactionId === ''),
    creator: signatures.check(creatorBytes, payload, signature),
    isUnsigned: signature.length === 0,
    call: isCall ? examineCall(envelope, signatures, faults) : undefined,
  };
}

/** Checks the form of a call, and that the endorsers answered this very proposal. */
function examineCall(
  envelope: DecodedEnvelope,
  signatures: IdentitySignatures,
  faults: Fault[],
): ExaminedCall | undefined {
  faults.push(...formFaults('transaction', envelope.data, Transaction));
  const [action, ...more] = attempt(() => decodeActions(envelope.data)) ?? [];
  const namespaces = action && attempt(() => decodeReadWriteSets(action.result.results));
  if (action === undefined || namespaces === undefined || more.length > 0) {
    faults.push(formFault('the transaction is not one call of a chaincode'));
    return undefined;
  }
  faults.push(...proposalFaults(envelope, action));
  return {
    chaincode: action.result.chaincodeId?.name ?? '',
    endorsers: action.endorsements.map(({ endorserBytes, signature }) =>
      signatures.check(endorserBytes, bytesToEndorse(action.responsePayload, endorserBytes), signature),
    ),
    namespaces,
  };
}

/** The action must repeat the envelope's header, and the endorsers must have answered the call that it contains. */
function proposalFaults(envelope: DecodedEnvelope, action: DecodedAction): Fault[] {
  const faults: Fault[] = [];
  if (Buffer.compare(action.signatureHeader, envelope.signatureHeader) !== 0) {
    faults.push(formFault('the action has another signature header than the envelope'));
  }
  if (Buffer.compare(proposalHashOf({ ...action, channelHeader: envelope.channelHeader }), action.proposalHash) !== 0) {
    faults.push({ check: 'ENDORSEMENT', what: 'the endorsers answered another proposal' });
  }
  if (action.invocation.chaincodeSpec?.chaincodeId?.name !== action.result.chaincodeId?.name) {
    faults.push(formFault('another chaincode answered than was called'));
  }
  return faults;
}

/** Returns the error in the canonical form of a part of a transaction, if any. */
function formFaults(part: string, bytes: Uint8Array, schema: MessageSchema, form = { allowDefaults: true }): Fault[] {
  const fault = canonicalFault(bytes, schema, form);
  if (fault === undefined) return [];
  const check = schema === ConfigEnvelope ? 'CONFIGURATION' : 'TRANSACTION_FORMAT';
  return [{ check, what: `the ${part} is not in its canonical form: ${fault}` }];
}

function formFault(what: string): Fault {
  return { check: 'TRANSACTION_FORMAT', what };
}
