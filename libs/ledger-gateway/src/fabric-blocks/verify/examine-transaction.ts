import { Buffer } from 'node:buffer';
import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { decodeReadWriteSets, type NamespaceSets } from '../decode/decode-read-write-sets.js';
import { proposalHashOf, transactionIdOf } from '../encode/hashes.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { scanMessage } from '../messages/canonical-form.js';
import { attempt } from '../messages/decode-message.js';
import {
  ConfigEnvelope,
  Envelope,
  HeaderType,
  Payload,
  Transaction,
  TxValidationCode,
} from '../messages/fabric-messages.js';
import type { Fault } from './findings.js';
import type { IdentitySignatures, SignedBy } from './identity-signatures.js';

/** The results of all checks on one transaction that need nothing else. */
export interface ExaminedTransaction {
  /** Its recorded `TxValidationCode`. */
  readonly code: number;
  /** The errors in the form of the envelope and its payload. */
  readonly faults: readonly Fault[];
  /** Undefined when the envelope cannot be decoded. */
  readonly transactionId: string | undefined;
  /** Undefined when it is of another type. */
  readonly configuration: ExaminedConfiguration | undefined;
  /** Undefined when it cannot be decoded, and for a transaction that the peers refused, which may be anything. */
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
  /** Set for an endorser transaction. */
  readonly call: ExaminedCall | undefined;
}

/** The call of a chaincode in an endorser transaction. */
export interface ExaminedCall {
  /** The errors in its form, and its contradictions. */
  readonly faults: readonly Fault[];
  /** Undefined when it is not one call. */
  readonly content: CallContent | undefined;
}

/** A call that could be decoded. */
export interface CallContent {
  /** The chaincode that answered. */
  readonly chaincode: string;
  /** One per endorsement. */
  readonly endorsers: readonly SignedBy[];
  readonly namespaces: readonly NamespaceSets[];
}

/** The configuration in an envelope. */
export interface ExaminedConfiguration {
  /** Why it is not in its canonical form. */
  readonly fault: string | undefined;
  /** The serialized `common.Envelope`. */
  readonly envelope: Uint8Array;
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
  identities: IdentitySignatures,
  arena: ByteArena,
): ExaminedTransaction {
  const envelope = attempt(() => decodeEnvelope(bytes));
  const known = {
    code,
    transactionId: envelope?.transactionId,
    configuration: envelope?.type === HeaderType.CONFIG ? examineConfiguration(bytes, envelope, arena) : undefined,
  };
  // A transaction that the peers refused may be anything.
  if (!isPassed(code)) return { ...known, faults: [], envelope: undefined };
  return {
    ...known,
    faults: formFaults(bytes, envelope),
    envelope: envelope && examineEnvelope(envelope, identities, arena),
  };
}

function formFaults(bytes: Uint8Array, envelope: DecodedEnvelope | undefined): Fault[] {
  const faults: Fault[] = [];
  const fault = scanMessage(bytes, Envelope, { allowDefaults: false });
  if (fault !== undefined) faults.push(formFault(`the envelope is not in its canonical form: ${fault}`));
  if (envelope === undefined) return [...faults, formFault('the envelope cannot be decoded')];
  const inner = scanMessage(envelope.payload, Payload, { allowDefaults: true });
  if (inner !== undefined) faults.push(formFault(`the payload is not in its canonical form: ${inner}`));
  return faults;
}

function examineConfiguration(bytes: Uint8Array, { data }: DecodedEnvelope, arena: ByteArena): ExaminedConfiguration {
  return { fault: scanMessage(data, ConfigEnvelope, { allowDefaults: true }), envelope: arena.copy(bytes) };
}

function examineEnvelope(
  envelope: DecodedEnvelope,
  identities: IdentitySignatures,
  arena: ByteArena,
): ExaminedEnvelope {
  const { type, channelId, transactionId, nonce, creatorBytes, payload, signature } = envelope;
  return {
    type,
    channelId,
    isIdRight:
      transactionIdOf(nonce, creatorBytes) === transactionId || (type === HeaderType.CONFIG && transactionId === ''),
    creator: identities.check(creatorBytes, payload, signature),
    isUnsigned: signature.length === 0,
    call: type === HeaderType.ENDORSER_TRANSACTION ? examineCall(envelope, identities, arena) : undefined,
  };
}

/** Checks the form of a call, and that the endorsers answered this very proposal. */
function examineCall(envelope: DecodedEnvelope, identities: IdentitySignatures, arena: ByteArena): ExaminedCall {
  const faults: Fault[] = [];
  const fault = scanMessage(envelope.data, Transaction, { allowDefaults: true });
  if (fault !== undefined) faults.push(formFault(`the transaction is not in its canonical form: ${fault}`));
  const call = attempt(() => decodeCall(envelope));
  if (call === undefined) {
    faults.push(formFault('the transaction is not one call of a chaincode'));
    return { faults, content: undefined };
  }
  const { action, namespaces } = call;
  faults.push(...proposalFaults(envelope, action));
  return {
    faults,
    content: {
      chaincode: action.result.chaincodeId?.name ?? '',
      endorsers: action.endorsements.map(({ endorserBytes, signature }) =>
        identities.check(endorserBytes, bytesToEndorse(action.responsePayload, endorserBytes), signature),
      ),
      namespaces: namespaces.map((sets) => copySets(sets, arena)),
    },
  };
}

function decodeCall({
  data,
}: DecodedEnvelope): { readonly action: DecodedAction; readonly namespaces: readonly NamespaceSets[] } | undefined {
  const [action, ...more] = decodeActions(data);
  if (action === undefined || more.length > 0) return undefined;
  return { action, namespaces: decodeReadWriteSets(action.result.results) };
}

/** The action must repeat the envelope's header, and the endorsers must have answered the call that it contains. */
function proposalFaults(envelope: DecodedEnvelope, action: DecodedAction): Fault[] {
  const faults: Fault[] = [];
  if (Buffer.compare(action.signatureHeader, envelope.signatureHeader) !== 0) {
    faults.push(formFault('the action has another signature header than the envelope'));
  }
  const hash = proposalHashOf({
    channelHeader: envelope.channelHeader,
    signatureHeader: action.signatureHeader,
    chaincodePayload: action.chaincodePayload,
  });
  if (Buffer.compare(hash, action.proposalHash) !== 0) {
    faults.push({ check: 'ENDORSEMENT', what: 'the endorsers answered another proposal' });
  }
  if (action.invocation.chaincodeSpec?.chaincodeId?.name !== action.result.chaincodeId?.name) {
    faults.push(formFault('another chaincode answered than was called'));
  }
  return faults;
}

/** Copies read and write sets out of the block, so that they do not keep it in memory. */
function copySets(sets: NamespaceSets, arena: ByteArena): NamespaceSets {
  const copy = (bytes: Uint8Array): Uint8Array => arena.copy(bytes);
  const copyPresent = (bytes: Uint8Array | undefined): Uint8Array | undefined => bytes && copy(bytes);
  return {
    ...sets,
    rangeReads: sets.rangeReads.map((range) => {
      const { reads } = range;
      return 'hashes' in reads ? { ...range, reads: { ...reads, hashes: reads.hashes.map(copy) } } : range;
    }),
    writes: sets.writes.map(({ key, value }) => ({ key, value: copyPresent(value) })),
    collections: sets.collections.map(({ collection, reads, writes, metadataWrites }) => ({
      collection,
      reads: reads.map(({ keyHash, version }) => ({ keyHash: copy(keyHash), version })),
      writes: writes.map(({ keyHash, valueHash }) => ({ keyHash: copy(keyHash), valueHash: copyPresent(valueHash) })),
      metadataWrites: metadataWrites.map(copy),
    })),
  };
}

function formFault(what: string): Fault {
  return { check: 'TRANSACTION_FORMAT', what };
}

const CHUNK_BYTES = 64 * 1024;

/**
 * Copies byte strings into a few large buffers. The copies keep nothing else in memory, and move to another thread with those
 * buffers instead of one by one.
 */
export class ByteArena {
  readonly buffers: ArrayBuffer[] = [];
  #free = new Uint8Array();

  copy(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (length > this.#free.length) {
      const buffer = new ArrayBuffer(Math.max(CHUNK_BYTES, length));
      this.buffers.push(buffer);
      this.#free = new Uint8Array(buffer);
    }
    const copy = this.#free.subarray(0, length);
    copy.set(bytes);
    this.#free = this.#free.subarray(length);
    return copy;
  }
}
