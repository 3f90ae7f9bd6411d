import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import identities from '@hyperledger/fabric-protos/lib/msp/identities_pb.js';
import { decoding } from './decode-error.js';
import { timestampText } from './timestamp-text.js';
import { readMessage } from './read-message.js';

/** Who signed: an organisation's member. All empty where nobody did. */
export interface DecodedIdentity {
  readonly mspId: string;
  /** A certificate as PEM, in every kind of organisation but those of Idemix. */
  readonly idBytes: Uint8Array;
}

/** An envelope, taken apart as far as its data. */
export interface DecodedEnvelope {
  /** What the signature covers. */
  readonly payload: Uint8Array;
  readonly signature: Uint8Array;
  /** `common.HeaderType`: 1 is a configuration, 3 an endorser transaction. */
  readonly type: number;
  readonly channelId: string;
  readonly transactionId: string;
  /** ISO 8601 in UTC, as the submitter claims it; empty when there is none or no calendar holds it. */
  readonly timestamp: string;
  readonly creator: DecodedIdentity;
  readonly nonce: Uint8Array;
  /** Message `common.ChannelHeader` as it stands in the payload. */
  readonly channelHeader: Uint8Array;
  /** Message `common.SignatureHeader` as it stands in the payload. */
  readonly signatureHeader: Uint8Array;
  /** The serialized creator: with the nonce it makes the transaction's id. */
  readonly creatorBytes: Uint8Array;
  /** What the type says it is; see {@link decodeActions} for an endorser transaction. */
  readonly data: Uint8Array;
}

/**
 * Takes a serialized `common.Envelope` apart, of whatever type.
 * @throws {@link DamagedError} when the bytes are not an envelope with its headers
 */
export function decodeEnvelope(bytes: Uint8Array): DecodedEnvelope {
  return decoding('transaction envelope', () => {
    const envelope = readMessage(common.Envelope, bytes);
    const payload = readMessage(common.Payload, envelope.getPayload_asU8());
    const header = payload.getHeader();
    if (header === undefined) throw new RangeError('no header');
    const channel = readMessage(common.ChannelHeader, header.getChannelHeader_asU8());
    const signature = readMessage(common.SignatureHeader, header.getSignatureHeader_asU8());
    return {
      payload: envelope.getPayload_asU8(),
      signature: envelope.getSignature_asU8(),
      type: channel.getType(),
      channelId: channel.getChannelId(),
      transactionId: channel.getTxId(),
      timestamp: timestampText(channel.getTimestamp()),
      creator: readIdentity(signature.getCreator_asU8()),
      nonce: signature.getNonce_asU8(),
      channelHeader: header.getChannelHeader_asU8(),
      signatureHeader: header.getSignatureHeader_asU8(),
      creatorBytes: signature.getCreator_asU8(),
      data: payload.getData_asU8(),
    };
  });
}

/** Reads a `msp.SerializedIdentity`; throws what the decoder throws when the bytes are none. */
export function readIdentity(bytes: Uint8Array): DecodedIdentity {
  const identity = readMessage(identities.SerializedIdentity, bytes);
  return { mspId: identity.getMspid(), idBytes: identity.getIdBytes_asU8() };
}
