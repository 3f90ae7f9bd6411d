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
import { writeOf } from '../../../chain-pages/asset-changes.js';
import { contractRefusal, LedgerError } from '../../../errors/ledger.errors.js';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope, type DecodedEnvelope } from '../../../fabric-blocks/decode/decode-envelope.js';
import type { KeyWrite } from '../../../fabric-blocks/encode/read-write-set.js';
import type { LedgerCall } from '../../../ports/ledger.port.js';
import type { NamespaceReader, StoredVersion } from './namespace-reader.js';
import { requireBlock, type StoreReader } from './store-reader.js';
import { toolCommand } from '../../../files/installation.js';

/** The committed state of a chaincode, on which calls are evaluated without being recorded. */
export class CommittedState implements StateReader {
  readonly #reader: StoreReader;
  readonly #state: NamespaceReader;

  constructor(reader: StoreReader, state: NamespaceReader) {
    this.#reader = reader;
    this.#state = state;
  }

  /**
   * Returns the response payload of a call. Its writes are dropped, as on a peer.
   * @throws a refusal of the contract, and what the store throws
   */
  evaluate(call: LedgerCall): Uint8Array {
    try {
      return decideOn(this, prepare(call.function, call.arguments)).payload;
    } catch (error) {
      throw error instanceof ContractError ? contractRefusal(error) : error;
    }
  }

  value(key: string): StoredValue {
    return this.#state.state(key)?.value ?? undefined;
  }

  range({ start, end, limit }: RangeQuery): readonly StateEntry[] {
    return this.#state.range(start, end, limit);
  }

  *history(key: string): Generator<HistoryEntry> {
    for (const { envelope, write } of committedWrites(this.#reader, this.#state, key, this.#state.history(key))) {
      yield { transactionId: envelope.transactionId, timestamp: envelope.timestamp, value: write.value };
    }
  }
}

/** A write of a key with the transaction that made it. */
export interface CommittedWrite extends StoredVersion {
  readonly envelope: DecodedEnvelope;
  readonly write: KeyWrite;
}

/** Returns the writes of a key at the given versions. As on a peer, the history names the places and the blocks the values. */
export function* committedWrites(
  reader: StoreReader,
  { namespace }: NamespaceReader,
  key: string,
  versions: Iterable<StoredVersion>,
): Generator<CommittedWrite> {
  let block: { readonly number: number; readonly decoded: DecodedBlock } | undefined;
  for (const version of versions) {
    if (block?.number !== version.block) {
      block = { number: version.block, decoded: decodeBlock(requireBlock(reader, version.block).bytes) };
    }
    const bytes = block.decoded.envelopes[version.position];
    const envelope = bytes && decodeEnvelope(bytes);
    const write = envelope && writeOf(envelope, key, namespace);
    if (envelope === undefined || write === undefined) throw missingWrite(key, version);
    yield { block: version.block, position: version.position, envelope, write };
  }
}

function missingWrite(key: string, { block, position }: StoredVersion): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `The history of ${JSON.stringify(key)} names transaction ${position} of block ${block}, which does not write it: ` +
      `run "${toolCommand('ledger')} rebuild".`,
  );
}
