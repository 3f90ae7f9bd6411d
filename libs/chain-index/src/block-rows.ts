import { isUtf8 } from 'node:buffer';
import { readAsset } from '#asset-contract';
import {
  calledFunction,
  decodeActions,
  decodeBlock,
  decodeEnvelope,
  decodeReadWriteSets,
  DecodingError,
  type DecodedEnvelope,
} from '#fabric-codec';
import { createdAssets, type CreatorNames } from '#chain-pages';

// What a block contains, as the rows of the index.

/** A transaction of a block. */
export interface TransactionRow {
  readonly id: string;
  /** As in the block; empty for bytes that are not a transaction. */
  readonly time: string;
  /** `common.HeaderType`, or {@link NO_TYPE}. */
  readonly type: number;
  readonly creator: string;
  readonly msp: string;
  readonly chaincode: string;
  readonly function: string;
  readonly argument: string;
  /** JSON of `CreatedAssets`; null for calls that are not CreateAssets. */
  readonly created: string | null;
  readonly code: number;
  /** Empty unless it is VALID. */
  readonly writes: readonly WriteRow[];
}

/** A write of a VALID transaction. */
export interface WriteRow {
  readonly namespace: string;
  readonly key: string | Uint8Array;
  /** Null for a deletion. */
  readonly value: string | Uint8Array | null;
  /** The owner, if the value is an asset. */
  readonly owner: string | null;
}

/** A block with its transactions. */
export interface BlockRow {
  readonly number: number;
  readonly hash: Uint8Array;
  readonly previousHash: Uint8Array;
  readonly dataHash: Uint8Array;
  readonly transactions: readonly TransactionRow[];
}

/** The type of bytes that are not a transaction. */
export const NO_TYPE = -1;
const ENDORSER_TRANSACTION = 3;
const VALID = 0;
const NOT_VALIDATED = 254;
/** The longest value that is examined for an owner. */
const MAX_ASSET_BYTES = 65_536;
const NO_TRANSACTION = {
  id: '',
  time: '',
  type: NO_TYPE,
  creator: '',
  msp: '',
  chaincode: '',
  function: '',
  argument: '',
  created: null,
  writes: [],
};

/**
 * Decodes a serialized `common.Block`.
 * @throws `DecodingError` when it is not a block, or a VALID transaction in it cannot be decoded
 */
export function blockRow(bytes: Uint8Array, creators: CreatorNames): BlockRow {
  const { header, hash, envelopes, validationCodes } = decodeBlock(bytes);
  const { number, previousHash, dataHash } = header;
  const transactions = envelopes.map((envelope, position) =>
    transactionRow(envelope, validationCodes[position] ?? NOT_VALIDATED, creators),
  );
  return { number, hash, previousHash, dataHash, transactions };
}

function transactionRow(bytes: Uint8Array, code: number, creators: CreatorNames): TransactionRow {
  const envelope = envelopeIn(bytes);
  if (envelope === undefined) return { ...NO_TRANSACTION, code };
  const { creatorId: creator, creatorMspId: msp } = creators.of(envelope);
  const { chaincodeId: chaincode, function: name, firstArgument: argument } = calledFunction(envelope);
  const { transactionId: id, timestamp: time, type } = envelope;
  const writes = code === VALID && type === ENDORSER_TRANSACTION ? writesOf(envelope) : [];
  const assets = createdAssets(envelope, name);
  const created = assets === undefined ? null : JSON.stringify(assets);
  return { id, time, type, creator, msp, chaincode, function: name, argument, created, code, writes };
}

function envelopeIn(bytes: Uint8Array): DecodedEnvelope | undefined {
  try {
    return decodeEnvelope(bytes);
  } catch (error) {
    if (error instanceof DecodingError) return undefined;
    throw error;
  }
}

function writesOf({ data }: DecodedEnvelope): WriteRow[] {
  return decodeActions(data)
    .flatMap(({ results }) => decodeReadWriteSets(results))
    .flatMap(({ namespace, writes }) =>
      writes.map(({ key, value }): WriteRow => {
        if (value === undefined) return { namespace, key: keyValue(key), value: null, owner: null };
        const owner = value.length > MAX_ASSET_BYTES ? undefined : readAsset(value)?.owner;
        return { namespace, key: keyValue(key), value: columnValue(value), owner: owner ?? null };
      }),
    );
}

/** Returns a key as its column contains it: SQLite's functions end a text at a NUL, which composite keys contain. */
export function keyValue(key: string): string | Uint8Array {
  return key.includes('\u0000') ? Buffer.from(key) : key;
}

/** Returns a value as its column contains it: text where it is UTF-8 without NUL, so that SQL can read it. */
function columnValue(value: Uint8Array): string | Uint8Array {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString() : bytes;
}

/** Returns the bytes of a value in its column; undefined for a deletion. */
export function valueBytes(value: string | Uint8Array | null): Uint8Array | undefined {
  return typeof value === 'string' ? Buffer.from(value) : (value ?? undefined);
}
