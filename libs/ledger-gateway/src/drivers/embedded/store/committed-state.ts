import {
  ContractError,
  decideOn,
  prepare,
  type HistoryEntry,
  type RangeQuery,
  type StateEntry,
  type StateReader,
  type StoredValue,
} from '#asset-contract';
import { contractRefusal, LedgerError } from '../../../errors/ledger.errors.js';
import { writeOf } from '../../../chain-pages/asset-changes.js';
import { decodeEnvelope, type DecodedEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import type { KeyWrite } from '../../../fabric-blocks/encode/read-write-set.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import { requireBlock, type StoredVersion, type StoreReader } from './store-reader.js';

/** The committed state, on which calls are evaluated and not recorded. */
export class CommittedState implements StateReader {
  readonly #reader: StoreReader;
  readonly #chaincode: string;

  constructor(reader: StoreReader, chaincode: string) {
    this.#reader = reader;
    this.#chaincode = chaincode;
  }

  /**
   * Gives the response payload of a call. As on a peer, what it would write is dropped.
   * @throws a refusal of the contract; what the store throws passes through
   */
  evaluate(call: LedgerCall): Uint8Array {
    try {
      return decideOn(this, prepare(call.function, call.arguments)).payload;
    } catch (error) {
      throw error instanceof ContractError ? contractRefusal(error) : error;
    }
  }

  value(key: string): StoredValue {
    return this.#reader.state(key)?.value ?? undefined;
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
    return this.#reader.range(start, end, limit);
  }

  *history(key: string): Generator<HistoryEntry> {
    for (const { envelope, write } of committedWrites(this.#reader, key, this.#reader.history(key), this.#chaincode)) {
      yield { transactionId: envelope.transactionId, timestamp: envelope.timestamp, value: write.value };
    }
  }
}

/** A write of a key with the transaction that made it. */
export interface CommittedWrite extends StoredVersion {
  readonly envelope: DecodedEnvelope;
  readonly write: KeyWrite;
}

/** The writes of a key at the places that its history names. As on a peer, the store knows where; the blocks know what. */
export function* committedWrites(
  reader: StoreReader,
  key: string,
  versions: Iterable<StoredVersion>,
  chaincode: string,
): Generator<CommittedWrite> {
  let block: { readonly number: number; readonly decoded: DecodedBlock } | undefined;
  for (const version of versions) {
    if (block?.number !== version.block) {
      block = { number: version.block, decoded: decodeBlock(requireBlock(reader, version.block).bytes) };
    }
    const bytes = block.decoded.envelopes[version.position];
    const envelope = bytes && decodeEnvelope(bytes);
    const write = envelope && writeOf(envelope, key, chaincode);
    if (envelope === undefined || write === undefined) throw notThere(key, version.block, version.position);
    yield { block: version.block, position: version.position, envelope, write };
  }
}

function notThere(key: string, block: number, position: number): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The history of ${JSON.stringify(key)} names transaction ${position} of block ${block}, which does not write it: ` +
      'run "npm run ledger -- rebuild".',
  );
}
