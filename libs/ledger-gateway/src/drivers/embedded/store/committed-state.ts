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
import { contractRefusal, DamagedError } from '../../../errors/ledger.errors.js';
import { decodeActions, decodeEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeReadWriteSets } from '../../../fabric-blocks/decode/decode-read-write-sets.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import { requireBlock, type StoredVersion, type StoreReader } from './store-reader.js';

/** The committed state, on which calls are evaluated and not recorded. */
export class CommittedState implements StateReader {
  readonly #reader: StoreReader;

  constructor(reader: StoreReader) {
    this.#reader = reader;
  }

  /**
   * Gives the response payload of a call. As on a peer, what it would write is dropped.
   * @throws {@link ContractRefusalError}; what the store throws passes through
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

  history(key: string): readonly HistoryEntry[] {
    return committedHistory(this.#reader, key);
  }
}

/** Every committed change of a key, newest first. As on a peer, the store knows where; the blocks know what. */
export function committedHistory(reader: StoreReader, key: string): HistoryEntry[] {
  let block: { readonly number: number; readonly decoded: DecodedBlock } | undefined;
  return Array.from(reader.history(key), (version) => {
    if (block?.number !== version.block) block = { number: version.block, decoded: readBlock(reader, version.block) };
    return entryIn(block.decoded, version, key);
  });
}

function readBlock(reader: StoreReader, number: number): DecodedBlock {
  return decodeBlock(requireBlock(reader, number).bytes);
}

function entryIn({ envelopes }: DecodedBlock, { block, position }: StoredVersion, key: string): HistoryEntry {
  const bytes = envelopes[position];
  if (bytes === undefined) throw notThere(key, block, position);
  const envelope = decodeEnvelope(bytes);
  const writes = decodeActions(envelope.data)
    .flatMap(({ result }) => decodeReadWriteSets(result.getResults_asU8()))
    .flatMap((set) => set.writes);
  const write = writes.findLast((candidate) => candidate.key === key);
  if (write === undefined) throw notThere(key, block, position);
  return { transactionId: envelope.transactionId, timestamp: envelope.timestamp, value: write.value };
}

function notThere(key: string, block: number, position: number): DamagedError {
  return new DamagedError(
    `The history of ${JSON.stringify(key)} names transaction ${position} of block ${block}, which does not write it: ` +
      'run "npm run ledger -- rebuild".',
  );
}
