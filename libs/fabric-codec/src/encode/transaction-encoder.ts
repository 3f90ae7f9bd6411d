import type { Buffer } from 'node:buffer';
import { proposalHashOf, transactionIdOf, type ProposalParts } from './hashes.js';
import {
  bytesField,
  elementField,
  integerField,
  join,
  messageField,
  messageParts,
  stringField,
} from '../messages/proto-fields.js';
import { encodeReadWriteSets, type ReadWriteSets } from './read-write-sets.js';

/** The parts that all transactions of one creator share. */
export interface TransactionEncoderOptions {
  readonly channel: string;
  readonly chaincode: { readonly name: string; readonly version: string };
  /** The submitter's `msp.SerializedIdentity`, see {@link serializeIdentity}. */
  readonly creator: Uint8Array;
}

/** The call in a transaction. */
export interface ProposalInput {
  /** Bytes that one creator never uses twice, usually 24 random ones. The transaction's id is the hash of them and the creator. */
  readonly nonce: Uint8Array;
  /** The id that follows from nonce and creator, where it was computed already. */
  readonly transactionId?: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly function: string;
  /** Text is encoded in UTF-8. */
  readonly arguments: readonly (string | Uint8Array)[];
}

/** A call in Fabric's form. */
export interface Proposal extends ProposalParts {
  /** 64 hexadecimal characters. */
  readonly transactionId: string;
}

/** The result of running the call. */
export interface ProposalOutcome {
  readonly readWriteSets: ReadWriteSets;
  readonly response: { readonly status: number; readonly message?: string; readonly payload: Uint8Array };
  /** The event that the chaincode set. */
  readonly event?: { readonly name: string; readonly payload: Uint8Array } | undefined;
}

/** An endorser's signature over {@link bytesToEndorse}. */
export interface Endorsement {
  /** The serialized `msp.SerializedIdentity`. */
  readonly endorser: Uint8Array;
  /** DER with low S. */
  readonly signature: Uint8Array;
}

const HEADER_TYPE_ENDORSER_TRANSACTION = 3;
const CHAINCODE_TYPE_NODE = 2;

/**
 * Encodes endorser transactions step by step, so that the signatures between the steps can be made elsewhere:
 * {@link propose} → run the call → {@link respond} → endorser signs {@link bytesToEndorse} → {@link encodePayload} → creator
 * signs it → {@link encodeEnvelope}. Parts that all transactions share are encoded once.
 */
export class TransactionEncoder {
  readonly #options: TransactionEncoderOptions;
  readonly #headerType = integerField(1, HEADER_TYPE_ENDORSER_TRANSACTION);
  readonly #channelField: Buffer;
  readonly #extensionField: Buffer;
  readonly #creatorField: Buffer;
  readonly #specStart: Buffer;
  readonly #chaincodeIdField: Buffer;

  constructor(options: TransactionEncoderOptions) {
    const { channel, chaincode, creator } = options;
    const unversioned = messageField(2, stringField(2, chaincode.name));
    this.#options = options;
    this.#channelField = stringField(4, channel);
    this.#extensionField = messageField(7, unversioned);
    this.#creatorField = bytesField(1, creator);
    this.#specStart = join([integerField(1, CHAINCODE_TYPE_NODE), unversioned]);
    this.#chaincodeIdField = messageField(4, stringField(2, chaincode.name), stringField(3, chaincode.version));
  }

  /** Encodes the headers and the invocation, and computes the transaction's id. */
  propose(input: ProposalInput): Proposal {
    const transactionId = input.transactionId ?? transactionIdOf(input.nonce, this.#options.creator);
    const channelHeader = join([
      this.#headerType,
      timestampField(input.timestamp),
      this.#channelField,
      stringField(5, transactionId),
      this.#extensionField,
    ]);
    const signatureHeader = join([this.#creatorField, bytesField(2, input.nonce)]);
    const args = [elementField(1, input.function), ...input.arguments.map((argument) => elementField(1, argument))];
    const spec = messageField(1, this.#specStart, messageField(3, ...args));
    return { transactionId, channelHeader, signatureHeader, chaincodePayload: bytesField(1, spec) };
  }

  /** Encodes a `protos.ProposalResponsePayload`: the proposal's hash, the read and write sets, the event and the response. */
  respond(proposal: Proposal, outcome: ProposalOutcome): Buffer {
    const { status, message = '', payload } = outcome.response;
    const { name } = this.#options.chaincode;
    const action = [
      bytesField(1, encodeReadWriteSets(outcome.readWriteSets)),
      ...(outcome.event === undefined ? [] : [eventField(name, proposal.transactionId, outcome.event)]),
      messageField(3, integerField(1, status), stringField(2, message), bytesField(3, payload)),
      this.#chaincodeIdField,
    ];
    return join([bytesField(1, proposalHashOf(proposal)), messageField(2, ...action)]);
  }
}

/**
 * Encodes a `protos.Proposal`, which the creator signs for an endorser.
 * @param transient - data that the chaincode receives and the transaction does not contain
 */
export function encodeProposal(
  { channelHeader, signatureHeader, chaincodePayload }: ProposalParts,
  transient: ReadonlyMap<string, Uint8Array>,
): Buffer {
  const header = [...messageParts(1, channelHeader), ...messageParts(2, signatureHeader)];
  const entries = Array.from(transient, ([key, value]) => messageField(2, stringField(1, key), bytesField(2, value)));
  return join([...messageParts(1, ...header), ...messageParts(2, chaincodePayload, ...entries)]);
}

/** Encodes a `protos.SignedProposal`: a proposal with its creator's signature. */
export function encodeSignedProposal(proposal: Uint8Array, signature: Uint8Array): Buffer {
  return join([...messageParts(1, proposal), ...messageParts(2, signature)]);
}

/** Encodes a `common.Payload`, which the creator signs and the envelope contains. */
export function encodePayload(
  proposal: ProposalParts,
  responsePayload: Uint8Array,
  endorsements: readonly Endorsement[],
): Buffer {
  const signed = endorsements.flatMap(({ endorser, signature }) =>
    messageParts(2, ...messageParts(1, endorser), ...messageParts(2, signature)),
  );
  const endorsed = messageParts(2, ...messageParts(1, responsePayload), ...signed);
  const call = messageParts(2, ...messageParts(1, proposal.chaincodePayload), ...endorsed);
  const action = messageParts(1, ...messageParts(1, proposal.signatureHeader), ...call);
  const headers = [...messageParts(1, proposal.channelHeader), ...messageParts(2, proposal.signatureHeader)];
  return join([...messageParts(1, ...headers), ...messageParts(2, ...action)]);
}

/** Returns the bytes that an endorser signs: the response payload, then its own serialized identity. */
export function bytesToEndorse(responsePayload: Uint8Array, endorser: Uint8Array): Buffer {
  return join([responsePayload, endorser]);
}

/** Encodes a `common.Envelope`: a payload with its creator's signature (none on a configuration block). */
export function encodeEnvelope(payload: Uint8Array, signature: Uint8Array): Buffer {
  return join([...messageParts(1, payload), ...(signature.length === 0 ? [] : messageParts(2, signature))]);
}

/** Encodes the `protos.ChaincodeEvent` of an action. */
function eventField(
  chaincode: string,
  transactionId: string,
  { name, payload }: NonNullable<ProposalOutcome['event']>,
): Buffer {
  return messageField(
    2,
    stringField(1, chaincode),
    stringField(2, transactionId),
    stringField(3, name),
    bytesField(4, payload),
  );
}

/** Encodes the `google.protobuf.Timestamp` of a channel header. */
function timestampField(milliseconds: number): Buffer {
  const seconds = Math.floor(milliseconds / 1000);
  return messageField(3, integerField(1, seconds), integerField(2, (milliseconds - seconds * 1000) * 1_000_000));
}

/** Encodes a `msp.SerializedIdentity`, which names the signer in headers and endorsements. */
export function serializeIdentity(mspId: string, certificatePem: Uint8Array): Buffer {
  return join([stringField(1, mspId), bytesField(2, certificatePem)]);
}
