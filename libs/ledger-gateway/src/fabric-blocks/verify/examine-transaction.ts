import { Buffer } from 'node:buffer';
import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import transactionMessages from '@hyperledger/fabric-protos/lib/peer/transaction_pb.js';
import { decodeActions, decodeEnvelope, type DecodedAction, type DecodedEnvelope } from '../decode/decode-envelope.js';
import { attempt } from '../decode/read-message.js';
import { decodeReadWriteSets, type NamespaceSets } from '../decode/decode-read-write-sets.js';
import { proposalHashOf, transactionIdOf } from '../encode/hashes.js';
import { bytesToEndorse } from '../encode/transaction-encoder.js';
import { scanMessage } from './canonical-form.js';
import { ConfigEnvelope, Envelope, Payload, Transaction } from './fabric-messages.js';
import type { Fault } from './findings.js';
import type { IdentitySignatures, SignedBy } from './identity-signatures.js';
import type { KeptBytes } from './kept-bytes.js';

/** What one transaction says by itself. */
export interface ExaminedTransaction {
  /** Its recorded `TxValidationCode`. */
  readonly code: number;
  /** What is wrong with the form of the envelope and its payload. */
  readonly faults: readonly Fault[];
  /** Undefined when the envelope cannot be decoded. */
  readonly transactionId: string | undefined;
  /** What it configures; undefined when it is of another type. */
  readonly configuration: ExaminedConfiguration | undefined;
  /** Undefined when it cannot be decoded, and of a transaction that was refused, which may be anything. */
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
  /** Of an endorser transaction. */
  readonly call: ExaminedCall | undefined;
}

/** The call of a chaincode in an endorser transaction. */
export interface ExaminedCall {
  /** What is wrong with its form, and where it contradicts itself. */
  readonly faults: readonly Fault[];
  /** Undefined when it is not one call. */
  readonly content: CallContent | undefined;
}

/** A call that could be decoded. */
export interface CallContent {
  /** The chaincode that answered. */
  readonly chaincode: string;
  /** One an endorsement. */
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

const Code = transactionMessages.TxValidationCode;
/** A peer looks at reads and writes last: these codes say that all the rest was good. */
const PASSED = new Set<number>([Code.VALID, Code.MVCC_READ_CONFLICT, Code.PHANTOM_READ_CONFLICT]);

/** Whether a transaction with that `TxValidationCode` was good, whatever it read had become. */
export function isPassed(code: number): boolean {
  return PASSED.has(code);
}

/**
 * Examines a serialized `common.Envelope` and checks its form: the envelope itself strictly, as Fabric does since
 * CVE-2023-46132, and what the client wrote into it apart from default values, which some client libraries write out.
 * @param code - undefined when the block has none for it
 */
export function examineTransaction(
  bytes: Uint8Array,
  code: number = Code.NOT_VALIDATED,
  signatures: IdentitySignatures,
  kept: KeptBytes,
): ExaminedTransaction {
  const envelope = attempt(() => decodeEnvelope(bytes));
  const known = {
    code,
    transactionId: envelope?.transactionId,
    configuration:
      envelope?.type === common.HeaderType.CONFIG ? examineConfiguration(bytes, envelope, kept) : undefined,
  };
  // What a peer refused may be anything.
  if (!isPassed(code)) return { ...known, faults: [], envelope: undefined };
  return {
    ...known,
    faults: formFaults(bytes, envelope),
    envelope: envelope && examineEnvelope(envelope, signatures, kept),
  };
}

function formFaults(bytes: Uint8Array, envelope: DecodedEnvelope | undefined): Fault[] {
  const faults: Fault[] = [];
  const fault = scanMessage(bytes, Envelope, { allowDefaults: false });
  if (fault !== undefined) faults.push(inForm(`the envelope is not in its canonical form: ${fault}`));
  if (envelope === undefined) return [...faults, inForm('the envelope cannot be decoded')];
  const inner = scanMessage(envelope.payload, Payload, { allowDefaults: true });
  if (inner !== undefined) faults.push(inForm(`the payload is not in its canonical form: ${inner}`));
  return faults;
}

function examineConfiguration(bytes: Uint8Array, { data }: DecodedEnvelope, kept: KeptBytes): ExaminedConfiguration {
  return { fault: scanMessage(data, ConfigEnvelope, { allowDefaults: true }), envelope: kept.keep(bytes) };
}

function examineEnvelope(envelope: DecodedEnvelope, signatures: IdentitySignatures, kept: KeptBytes): ExaminedEnvelope {
  const { type, channelId, transactionId, nonce, creatorBytes, payload, signature } = envelope;
  return {
    type,
    channelId,
    isIdRight:
      transactionIdOf(nonce, creatorBytes) === transactionId ||
      (type === common.HeaderType.CONFIG && transactionId === ''),
    creator: signatures.check(creatorBytes, payload, signature),
    isUnsigned: signature.length === 0,
    call: type === common.HeaderType.ENDORSER_TRANSACTION ? examineCall(envelope, signatures, kept) : undefined,
  };
}

/** Looks at a call: its form, and that the endorsers answered this very proposal. */
function examineCall(envelope: DecodedEnvelope, signatures: IdentitySignatures, kept: KeptBytes): ExaminedCall {
  const faults: Fault[] = [];
  const fault = scanMessage(envelope.data, Transaction, { allowDefaults: true });
  if (fault !== undefined) faults.push(inForm(`the transaction is not in its canonical form: ${fault}`));
  const call = attempt(() => readCall(envelope));
  if (call === undefined) {
    faults.push(inForm('the transaction is not one call of a chaincode'));
    return { faults, content: undefined };
  }
  const { action, namespaces } = call;
  faults.push(...proposalFaults(envelope, action));
  return {
    faults,
    content: {
      chaincode: action.result.getChaincodeId()?.getName() ?? '',
      endorsers: action.endorsements.map(({ endorserBytes, signature }) =>
        signatures.check(endorserBytes, bytesToEndorse(action.responsePayload, endorserBytes), signature),
      ),
      namespaces: namespaces.map((sets) => keepSets(sets, kept)),
    },
  };
}

function readCall({
  data,
}: DecodedEnvelope): { readonly action: DecodedAction; readonly namespaces: readonly NamespaceSets[] } | undefined {
  const [action, ...more] = decodeActions(data);
  if (action === undefined || more.length > 0) return undefined;
  return { action, namespaces: decodeReadWriteSets(action.result.getResults_asU8()) };
}

/** The action must repeat the envelope's header, and the endorsers must have answered the call that it shows. */
function proposalFaults(envelope: DecodedEnvelope, action: DecodedAction): Fault[] {
  const faults: Fault[] = [];
  if (Buffer.compare(action.signatureHeader, envelope.signatureHeader) !== 0) {
    faults.push(inForm('the action has another signature header than the envelope'));
  }
  const hash = proposalHashOf({
    channelHeader: envelope.channelHeader,
    signatureHeader: action.signatureHeader,
    chaincodePayload: action.chaincodePayload,
  });
  if (Buffer.compare(hash, action.proposalHash) !== 0) {
    faults.push({ check: 'ENDORSEMENT', what: 'the endorsers answered another proposal' });
  }
  const called = action.invocation.getChaincodeSpec()?.getChaincodeId()?.getName();
  if (called !== action.result.getChaincodeId()?.getName()) {
    faults.push(inForm('another chaincode answered than was called'));
  }
  return faults;
}

/** The same sets without the bytes of the block around them. */
function keepSets(sets: NamespaceSets, kept: KeptBytes): NamespaceSets {
  const keep = (bytes: Uint8Array): Uint8Array => kept.keep(bytes);
  const keepPresent = (bytes: Uint8Array | undefined): Uint8Array | undefined => bytes && keep(bytes);
  return {
    ...sets,
    rangeReads: sets.rangeReads.map((range) => {
      const { reads } = range;
      return 'hashes' in reads ? { ...range, reads: { ...reads, hashes: reads.hashes.map(keep) } } : range;
    }),
    writes: sets.writes.map(({ key, value }) => ({ key, value: keepPresent(value) })),
    collections: sets.collections.map(({ collection, reads, writes, metadataWrites }) => ({
      collection,
      reads: reads.map(({ keyHash, version }) => ({ keyHash: keep(keyHash), version })),
      writes: writes.map(({ keyHash, valueHash }) => ({ keyHash: keep(keyHash), valueHash: keepPresent(valueHash) })),
      metadataWrites: metadataWrites.map(keep),
    })),
  };
}

function inForm(what: string): Fault {
  return { check: 'TRANSACTION_FORMAT', what };
}
