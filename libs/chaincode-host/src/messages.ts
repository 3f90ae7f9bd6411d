import type { Buffer } from 'node:buffer';
import {
  booleanField,
  bytes,
  bytesField,
  ChaincodeEvent,
  type Decoded,
  elementField,
  integer,
  integerField,
  join,
  many,
  message,
  messageField,
  one,
  stringField,
  text,
} from '#fabric-codec/messages';
import type { MetadataEntry } from '#fabric-codec/encode';
import type { ChaincodeCall, KeyModification } from './chaincode.port.js';

// The messages of fabric-protos' peer/chaincode_shim.proto: those that a chaincode sends are declared, those that a peer sends are encoded.

/** `protos.ChaincodeMessage.Type`, as far as a peer of Fabric 2.5 handles it. */
export const MessageType = {
  REGISTER: 1,
  REGISTERED: 2,
  READY: 4,
  TRANSACTION: 5,
  COMPLETED: 6,
  ERROR: 7,
  GET_STATE: 8,
  PUT_STATE: 9,
  DEL_STATE: 10,
  INVOKE_CHAINCODE: 11,
  RESPONSE: 13,
  GET_STATE_BY_RANGE: 14,
  GET_QUERY_RESULT: 15,
  QUERY_STATE_NEXT: 16,
  QUERY_STATE_CLOSE: 17,
  KEEPALIVE: 18,
  GET_HISTORY_FOR_KEY: 19,
  GET_STATE_METADATA: 20,
  PUT_STATE_METADATA: 21,
  GET_PRIVATE_DATA_HASH: 22,
  PURGE_PRIVATE_DATA: 23,
} as const;

/** `protos.ChaincodeMessage` as a chaincode sends it. */
export const ChaincodeMessage = message({
  type: integer,
  payload: { ...bytes, number: 3 },
  txid: text,
  chaincodeEvent: { ...one(ChaincodeEvent), number: 6 },
  channelId: text,
});
export type ChaincodeMessage = Decoded<typeof ChaincodeMessage>;

/** `protos.Response` */
export const Response = message({ status: integer, message: text, payload: bytes });

/** `protos.GetState`; `protos.DelState`, `protos.PurgePrivateState` and `protos.GetStateMetadata` have the same fields. */
export const KeyRequest = message({ key: text, collection: text });
export type KeyRequest = Decoded<typeof KeyRequest>;
export const PutState = message({ key: text, value: bytes, collection: text });
const StateMetadata = message({ metakey: text, value: bytes });
export const PutStateMetadata = message({
  key: text,
  collection: { ...text, number: 3 },
  metadata: one(StateMetadata),
});
export const GetStateByRange = message({ startKey: text, endKey: text, collection: text, metadata: bytes });
export const GetQueryResult = message({ query: text, collection: text, metadata: bytes });
export const QueryMetadata = message({ pageSize: integer, bookmark: text });
/** `protos.QueryStateNext` and `protos.QueryStateClose` */
export const IteratorRequest = message({ id: text });

export const ChaincodeID = message({ path: text, name: text, version: text });
const ChaincodeInput = message({ args: many(bytes) });
/** `protos.ChaincodeSpec` of an invocation by a chaincode. */
export const ChaincodeSpec = message({
  chaincodeId: { ...one(ChaincodeID), number: 2 },
  input: one(ChaincodeInput),
});

/** The fields of a message to a chaincode. */
interface OutgoingMessage {
  readonly type: number;
  readonly payload?: Uint8Array;
  /** The call to which it belongs. */
  readonly call?: Pick<ChaincodeCall, 'transactionId' | 'channel'>;
  readonly signedProposal?: Uint8Array;
}

const NOTHING = new Uint8Array();
/** Largest message that is accepted from a chaincode, as on a peer. */
export const MAX_MESSAGE_BYTES = 100 * 1024 * 1024;

/** Encodes a `protos.ChaincodeMessage`. */
export function encodeMessage({ type, payload = NOTHING, call, signedProposal }: OutgoingMessage): Buffer {
  return join([
    integerField(1, type),
    bytesField(3, payload),
    stringField(4, call?.transactionId ?? ''),
    bytesField(5, signedProposal ?? NOTHING),
    stringField(7, call?.channel ?? ''),
  ]);
}

/** Encodes the message that starts a call. */
export function encodeTransaction(call: ChaincodeCall): Buffer {
  const payload = join(call.arguments.map((argument) => elementField(1, argument)));
  return encodeMessage({ type: MessageType.TRANSACTION, payload, call, signedProposal: call.signedProposal });
}

/** Encodes a `protos.Response`. */
export function encodeResponse(status: number, text: string, payload: Uint8Array): Buffer {
  return join([integerField(1, status), stringField(2, text), bytesField(3, payload)]);
}

/** A batch of the results of an iterator. */
interface QueryResponse {
  readonly id: string;
  readonly results: readonly Uint8Array[];
  readonly hasMore: boolean;
  /** Of a page. */
  readonly page?: { readonly count: number; readonly bookmark: string };
}

/** Encodes a `protos.QueryResponse`. */
export function encodeQueryResponse({ id, results, hasMore, page }: QueryResponse): Buffer {
  const metadata = page && join([integerField(1, page.count), stringField(2, page.bookmark)]);
  return join([
    ...results.map((result) => messageField(1, bytesField(1, result))),
    booleanField(2, hasMore),
    stringField(3, id),
    bytesField(4, metadata ?? NOTHING),
  ]);
}

/** Encodes a `protos.StateMetadataResult`. */
export function encodeStateMetadata(entries: readonly MetadataEntry[]): Buffer {
  return join(entries.map(({ name, value }) => messageField(1, stringField(1, name), bytesField(2, value))));
}

/** Encodes a `queryresult.KV`. */
export function encodeKeyValue(namespace: string, key: string, value: Uint8Array): Buffer {
  return join([stringField(1, namespace), stringField(2, key), bytesField(3, value)]);
}

/** Encodes a `queryresult.KeyModification`. */
export function encodeKeyModification({ transactionId, value, timestamp }: KeyModification): Buffer {
  const fraction = /\.(\d{1,9})/.exec(timestamp)?.[1] ?? '';
  const time = [
    integerField(1, Math.floor(Date.parse(timestamp) / 1000)),
    integerField(2, Number(fraction.padEnd(9, '0'))),
  ];
  return join([
    stringField(1, transactionId),
    bytesField(2, value ?? NOTHING),
    messageField(3, ...time),
    booleanField(4, value === undefined),
  ]);
}
