import type { KeyWrite } from '../encode/read-write-set.js';
import { attempt, decodeMessage, decoding } from '../messages/decode-message.js';
import { HeaderType } from '../messages/enums.js';
import {
  ChaincodeAction,
  ChaincodeActionPayload,
  ChaincodeEvent,
  ChaincodeInvocationSpec,
  ChaincodeProposalPayload,
  ChannelHeader,
  Envelope,
  HashedRWSet,
  KVRWSet,
  Payload,
  ProposalResponsePayload,
  SerializedIdentity,
  SignatureHeader,
  Transaction,
  TxReadWriteSet,
} from '../messages/fabric-messages.js';
import type { Decoded } from '../messages/schema.js';
import { timestampText } from '../messages/text.js';

/** A member of an organization. Both fields are empty where there is no signer. */
export interface DecodedIdentity {
  readonly mspId: string;
  /** A certificate as PEM, for every kind of organization except Idemix. */
  readonly idBytes: Uint8Array;
}

/** An envelope, decoded except for its data. */
export type DecodedEnvelope = Readonly<ReturnType<typeof readEnvelope>>;

/**
 * Decodes a serialized `common.Envelope` of any type.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function decodeEnvelope(bytes: Uint8Array): DecodedEnvelope {
  return decoding('transaction envelope', () => readEnvelope(bytes));
}

function readEnvelope(bytes: Uint8Array) {
  const { payload, signature } = decodeMessage(Envelope, bytes);
  const { header, data } = decodeMessage(Payload, payload);
  if (header === undefined) throw new RangeError('no header');
  const { type, channelId, txId, timestamp } = decodeMessage(ChannelHeader, header.channelHeader);
  const { creator, nonce } = decodeMessage(SignatureHeader, header.signatureHeader);
  return {
    /** The bytes that the signature covers. */
    payload,
    signature,
    /** `common.HeaderType`: 1 is a configuration, 3 an endorser transaction. */
    type,
    channelId,
    transactionId: txId,
    /** ISO 8601 in UTC, by the submitter's clock; empty when there is none or it is out of range. */
    timestamp: timestampText(timestamp),
    creator: decodeIdentity(creator),
    nonce,
    /** The serialized `common.ChannelHeader`. */
    channelHeader: header.channelHeader,
    /** The serialized `common.SignatureHeader`. */
    signatureHeader: header.signatureHeader,
    /** The serialized creator, of which the transaction id is computed together with the nonce. */
    creatorBytes: creator,
    /** The content, whose form depends on the type; see {@link decodeActions} for an endorser transaction. */
    data,
  };
}

/**
 * Decodes a `msp.SerializedIdentity`.
 * @throws RangeError when the bytes are not one
 */
export function decodeIdentity(bytes: Uint8Array): DecodedIdentity {
  const { mspid: mspId, idBytes } = decodeMessage(SerializedIdentity, bytes);
  return { mspId, idBytes };
}

/** A call of a chaincode in an endorser transaction. */
export type DecodedAction = Readonly<ReturnType<typeof decodeAction>>;

/**
 * Decodes the data of an endorser transaction. A transaction of Fabric has one action.
 * @throws `LEDGER.DAMAGED` when the bytes are not such data
 */
export function decodeActions(data: Uint8Array): readonly DecodedAction[] {
  return decoding('endorser transaction', () => decodeMessage(Transaction, data).actions.map(decodeAction));
}

/** The parts of an action that describe a call. */
export interface DecodedCall extends Pick<DecodedAction, 'arguments' | 'response' | 'endorsements'> {
  /** The chaincode that answered or, when none did, the one that was called. */
  readonly answeredBy: string;
}

const NO_CALL: DecodedCall = { answeredBy: '', arguments: [], response: undefined, endorsements: [] };

/** Returns the call in an envelope: an empty one for other types, and where a peer recorded garbage. */
export function decodeCall({ type, data }: Pick<DecodedEnvelope, 'type' | 'data'>): DecodedCall {
  const actions = type === HeaderType.ENDORSER_TRANSACTION ? attempt(() => decodeActions(data)) : undefined;
  const [action] = actions ?? [];
  return action === undefined ? NO_CALL : { ...action, answeredBy: action.chaincode ?? action.called ?? '' };
}

function decodeAction({ header, payload }: Decoded<typeof Transaction>['actions'][number]) {
  const { chaincodeProposalPayload, action } = decodeMessage(ChaincodeActionPayload, payload);
  const { input } = decodeMessage(ChaincodeProposalPayload, chaincodeProposalPayload);
  const { chaincodeSpec } = decodeMessage(ChaincodeInvocationSpec, input);
  const answer = action ?? { proposalResponsePayload: new Uint8Array(), endorsements: [] };
  const { proposalResponsePayload: responsePayload, endorsements } = answer;
  const { proposalHash, extension } = decodeMessage(ProposalResponsePayload, responsePayload);
  const { chaincodeId, response, results, events } = decodeMessage(ChaincodeAction, extension);
  return {
    /** The serialized `common.SignatureHeader`; the same as that of the envelope. */
    signatureHeader: header,
    /** The serialized `protos.ChaincodeProposalPayload`, which the proposal's hash covers in addition to the headers. */
    chaincodePayload: chaincodeProposalPayload,
    /** The name of the chaincode that was called. */
    called: chaincodeSpec?.chaincodeId?.name,
    /** The function's name and the arguments. */
    arguments: chaincodeSpec?.input?.args ?? [],
    /** The serialized `protos.ProposalResponsePayload`, which the endorsers sign. */
    responsePayload,
    proposalHash,
    /** The name of the chaincode that answered. */
    chaincode: chaincodeId?.name,
    response,
    /** The serialized `rwset.TxReadWriteSet`; see {@link decodeReadWriteSets}. */
    results,
    /** The serialized `protos.ChaincodeEvent`, empty when the chaincode set none; see {@link decodeEvent}. */
    events,
    /** The endorsers' signatures, each over the response payload and the endorser. */
    endorsements: endorsements.map(({ endorser, signature }) => ({
      endorser: decodeIdentity(endorser),
      /** The serialized `msp.SerializedIdentity`. */
      endorserBytes: endorser,
      signature,
    })),
  };
}

/** An event that a chaincode set in a transaction, which has at most one. */
export interface DecodedEvent {
  /** The chaincode that was called. */
  readonly chaincode: string;
  readonly name: string;
  readonly payload: Uint8Array;
}

/**
 * Decodes the `events` of an action.
 * @returns undefined when the chaincode set none
 * @throws `LEDGER.DAMAGED` when the bytes are not an event
 */
export function decodeEvent(events: Uint8Array): DecodedEvent | undefined {
  if (events.length === 0) return undefined;
  const { chaincodeId, eventName, payload } = decoding('event', () => decodeMessage(ChaincodeEvent, events));
  return { chaincode: chaincodeId, name: eventName, payload };
}

/**
 * The reads and writes of a transaction in the namespace of one chaincode. Metadata writes give keys an endorsement policy of
 * their own.
 */
export type NamespaceSets = Readonly<ReturnType<typeof namespaceSets>>;

/** The reads and writes of a transaction in one private collection, whose keys are known by their hashes only. */
export type CollectionSets = Readonly<ReturnType<typeof collectionSets>>;

/**
 * Decodes the `results` of an action, a `rwset.TxReadWriteSet`.
 * @throws `LEDGER.DAMAGED` when the bytes are not one
 */
export function decodeReadWriteSets(results: Uint8Array): readonly NamespaceSets[] {
  return decoding('read and write set', () => decodeMessage(TxReadWriteSet, results).nsRwset.map(namespaceSets));
}

type EncodedSets = Decoded<typeof TxReadWriteSet>['nsRwset'][number];
type EncodedCollectionSets = EncodedSets['collectionHashedRwset'][number];

function namespaceSets({ namespace, rwset, collectionHashedRwset }: EncodedSets) {
  const { writes, ...sets } = decodeMessage(KVRWSet, rwset);
  return {
    ...sets,
    namespace,
    writes: writes.map(({ key, isDelete, value }): KeyWrite => ({ key, value: writtenValue(isDelete, value) })),
    collections: collectionHashedRwset.map(collectionSets),
  };
}

/** A write of private data, known by its hashes only. */
export interface HashedWrite {
  readonly keyHash: Uint8Array;
  /** Undefined when the key is deleted. */
  readonly valueHash: Uint8Array | undefined;
  /** Whether the deletion also erases earlier values. */
  readonly isPurge?: boolean;
}

function collectionSets({ collectionName: collection, hashedRwset, pvtRwsetHash }: EncodedCollectionSets) {
  const { hashedWrites, ...sets } = decodeMessage(HashedRWSet, hashedRwset);
  return {
    ...sets,
    collection,
    hashedWrites: hashedWrites.map(({ keyHash, isDelete, valueHash, isPurge }): HashedWrite => {
      return { keyHash, valueHash: writtenValue(isDelete, valueHash), isPurge };
    }),
    /** The hash of the writes with their plain keys and values; empty without any. */
    privateHash: pvtRwsetHash,
  };
}

/** Fabric treats a write of nothing as a deletion (rwsetutil.IsKVWriteDelete). */
function writtenValue(isDelete: boolean, value: Uint8Array): Uint8Array | undefined {
  return isDelete || value.length === 0 ? undefined : value;
}
