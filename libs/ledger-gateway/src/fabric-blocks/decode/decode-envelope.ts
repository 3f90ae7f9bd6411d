import { decodeMessage, decoding } from '../messages/decode-message.js';
import {
  ChaincodeAction,
  ChaincodeActionPayload,
  ChaincodeInvocationSpec,
  ChaincodeProposalPayload,
  ChannelHeader,
  Envelope,
  Payload,
  ProposalResponsePayload,
  SerializedIdentity,
  SignatureHeader,
  Transaction,
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
export interface DecodedEnvelope {
  /** The bytes that the signature covers. */
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  /** `common.HeaderType`: 1 is a configuration, 3 an endorser transaction. */
  readonly type: number;
  readonly channelId: string;
  readonly transactionId: string;
  /** ISO 8601 in UTC, by the submitter's clock; empty when there is none or it is out of range. */
  readonly timestamp: string;
  readonly creator: DecodedIdentity;
  readonly nonce: Uint8Array;
  /** The serialized `common.ChannelHeader`. */
  readonly channelHeader: Uint8Array;
  /** The serialized `common.SignatureHeader`. */
  readonly signatureHeader: Uint8Array;
  /** The serialized creator, of which the transaction id is computed together with the nonce. */
  readonly creatorBytes: Uint8Array;
  /** The content, whose form depends on the type; see {@link decodeActions} for an endorser transaction. */
  readonly data: Uint8Array;
}

/**
 * Decodes a serialized `common.Envelope` of any type.
 * @throws `LEDGER.DAMAGED` when the bytes are not an envelope with its headers
 */
export function decodeEnvelope(bytes: Uint8Array): DecodedEnvelope {
  return decoding('transaction envelope', () => {
    const { payload, signature } = decodeMessage(Envelope, bytes);
    const { header, data } = decodeMessage(Payload, payload);
    if (header === undefined) throw new RangeError('no header');
    const { type, channelId, txId, timestamp } = decodeMessage(ChannelHeader, header.channelHeader);
    const { creator, nonce } = decodeMessage(SignatureHeader, header.signatureHeader);
    return {
      payload,
      signature,
      type,
      channelId,
      transactionId: txId,
      timestamp: timestampText(timestamp),
      creator: decodeIdentity(creator),
      nonce,
      channelHeader: header.channelHeader,
      signatureHeader: header.signatureHeader,
      creatorBytes: creator,
      data,
    };
  });
}

/**
 * Decodes a `msp.SerializedIdentity`.
 * @throws RangeError when the bytes are not one
 */
export function decodeIdentity(bytes: Uint8Array): DecodedIdentity {
  const { mspid, idBytes } = decodeMessage(SerializedIdentity, bytes);
  return { mspId: mspid, idBytes };
}

/** An endorser's signature over the response payload and its own identity. */
export interface DecodedEndorsement {
  readonly endorser: DecodedIdentity;
  /** The serialized `msp.SerializedIdentity`. */
  readonly endorserBytes: Uint8Array;
  readonly signature: Uint8Array;
}

/** A call of a chaincode in an endorser transaction. */
export interface DecodedAction {
  /** The serialized `common.SignatureHeader`; the same as that of the envelope. */
  readonly signatureHeader: Uint8Array;
  /** The serialized `protos.ChaincodeProposalPayload`, which the proposal's hash covers in addition to the headers. */
  readonly chaincodePayload: Uint8Array;
  readonly invocation: Decoded<typeof ChaincodeInvocationSpec>;
  /** The serialized `protos.ProposalResponsePayload`, which the endorsers sign. */
  readonly responsePayload: Uint8Array;
  readonly proposalHash: Uint8Array;
  readonly result: Decoded<typeof ChaincodeAction>;
  readonly endorsements: readonly DecodedEndorsement[];
}

/**
 * Decodes the data of an endorser transaction.
 * @throws `LEDGER.DAMAGED` when the bytes are not such data
 */
export function decodeActions(data: Uint8Array): readonly DecodedAction[] {
  return decoding('endorser transaction', () =>
    decodeMessage(Transaction, data).actions.map(({ header, payload }) => decodeAction(header, payload)),
  );
}

function decodeAction(signatureHeader: Uint8Array, bytes: Uint8Array): DecodedAction {
  const { chaincodeProposalPayload, action } = decodeMessage(ChaincodeActionPayload, bytes);
  const { input } = decodeMessage(ChaincodeProposalPayload, chaincodeProposalPayload);
  const responsePayload = action?.proposalResponsePayload ?? new Uint8Array();
  const { proposalHash, extension } = decodeMessage(ProposalResponsePayload, responsePayload);
  return {
    signatureHeader,
    chaincodePayload: chaincodeProposalPayload,
    invocation: decodeMessage(ChaincodeInvocationSpec, input),
    responsePayload,
    proposalHash,
    result: decodeMessage(ChaincodeAction, extension),
    endorsements: (action?.endorsements ?? []).map(({ endorser, signature }) => ({
      endorser: decodeIdentity(endorser),
      endorserBytes: endorser,
      signature,
    })),
  };
}

/** Returns the function's name and the arguments of a call. */
export function argumentsOf({ invocation }: DecodedAction): readonly Uint8Array[] {
  return invocation.chaincodeSpec?.input?.args ?? [];
}
