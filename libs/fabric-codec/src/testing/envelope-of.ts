import common from '@hyperledger/fabric-protos/lib/common/common_pb.js';
import { describeTransaction, type TransactionDescription } from '../describe/describe-transaction.js';
import { encodeEnvelope } from '../encode/transaction-encoder.js';

/** Describes an envelope as if it were in block 7. */
export function describeIt(envelope: Uint8Array, validationCode = 0): TransactionDescription {
  const block = { blockNumber: 7, blockHash: 'ab'.repeat(32), blockSignatures: new Uint8Array() };
  return describeTransaction({ envelope, validationCode, ...block });
}

/** Creates an unsigned envelope of a type with these data. */
export function envelopeOf(
  type: number,
  data: Uint8Array,
  edit: (header: common.ChannelHeader) => void = () => undefined,
): Uint8Array {
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(type);
  channelHeader.setChannelId('ch');
  channelHeader.setTxId('id');
  edit(channelHeader);
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  const payload = new common.Payload();
  payload.setHeader(header);
  payload.setData(data);
  return encodeEnvelope(payload.serializeBinary(), new Uint8Array());
}

/** The decoded data of an envelope of that type. */
export function dataOf(type: number, data: Uint8Array): unknown {
  const { payload } = describeIt(envelopeOf(type, data)).rawTransaction;
  return (payload as { readonly data?: unknown }).data;
}
