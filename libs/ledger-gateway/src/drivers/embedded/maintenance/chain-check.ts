import type { DatabaseSync } from 'node:sqlite';
import { decodeBlock, type DecodedBlock } from '../../../fabric-blocks/decode/decode-block.js';
import { ChainVerifier, type VerifiedHead } from '../../../fabric-blocks/verify/chain-verifier.js';
import { ChannelTrust } from '../../../fabric-blocks/verify/trust/channel-trust.js';
import type { LedgerNames } from '../directory/data-directory.js';
import { deriveRecords, type EntryNumbers } from '../store/derive-records.js';
import { DerivedWriter } from '../store/derived-writer.js';
import { StoreReader } from '../store/store-reader.js';
import type { ChainPins } from './chain-pins.js';
import type { FindingList } from './finding-list.js';
import { StoreReplayState } from './store-replay-state.js';

/** What a {@link ChainCheck} goes by. */
export interface ChainCheckOptions {
  /** What the chain should be of. */
  readonly names: LedgerNames;
  readonly pins: ChainPins;
  readonly findings: FindingList;
}

/**
 * Verifies a chain block by block and writes what follows from it into tables, which a store's own can be compared with.
 */
export class ChainCheck {
  readonly #verifier: ChainVerifier;
  readonly #state: StoreReplayState;
  readonly #derived: DerivedWriter;
  readonly #entries: EntryNumbers;
  readonly #names: LedgerNames;
  readonly #pins: ChainPins;
  readonly #findings: FindingList;
  #transactions = 0;

  /** @param db - holds the derived tables, empty at first */
  constructor(db: DatabaseSync, options: ChainCheckOptions) {
    const { names, pins, findings } = options;
    const reader = new StoreReader(db);
    let entry = 0;
    this.#names = names;
    this.#pins = pins;
    this.#findings = findings;
    this.#derived = new DerivedWriter(db);
    this.#state = new StoreReplayState(reader, names.chaincode);
    this.#entries = { previous: (key) => reader.state(key)?.entry ?? 0, next: () => ++entry };
    this.#verifier = new ChainVerifier({
      state: this.#state,
      ...(pins.genesis === undefined ? {} : { genesisHash: pins.genesis }),
    });
  }

  get head(): VerifiedHead {
    return this.#verifier.head;
  }

  /** How many transactions were verified, configurations included. */
  get transactions(): number {
    return this.#transactions;
  }

  /**
   * Takes the next block.
   * @returns the block, or undefined when it cannot be read: nothing behind it can be judged then
   */
  add(bytes: Uint8Array): DecodedBlock | undefined {
    const number = this.#verifier.head.height;
    for (const { check, transaction, what } of this.#verifier.add(bytes)) {
      this.#findings.add(
        transaction === undefined ? `block ${number}` : `block ${number}, transaction ${transaction}`,
        {
          check,
          what,
        },
      );
    }
    return this.#findings.attempt(`block ${number}`, () => {
      const block = decodeBlock(bytes);
      if (number === 0) this.#checkNames(block);
      this.#derived.write(deriveRecords(block, this.#names.chaincode, this.#entries));
      this.#state.blockIsWritten();
      this.#transactions += block.envelopes.length;
      this.#checkPin();
      return block;
    });
  }

  /** Call it behind the last block: whether the chain is as long as the caller knows. */
  end(): void {
    const { expect } = this.#pins;
    const { height } = this.head;
    if (expect === undefined || height >= expect.height) return;
    this.#findings.add('the chain', { check: 'PIN', what: `it has ${height} blocks; ${expect.height} were expected` });
  }

  #checkNames({ envelopes }: DecodedBlock): void {
    const { channel, mspId } = this.#names;
    const trust = ChannelTrust.fromEnvelope(envelopes[0] ?? new Uint8Array());
    const add = (what: string): void => {
      this.#findings.add('the manifest', { check: 'MANIFEST', what });
    };
    if (trust.channelId !== channel) add(`it names the channel "${channel}"; block 0 is of "${trust.channelId}"`);
    if (trust.applicationGroup(mspId) === undefined)
      add(`it names the MSP "${mspId}", which the channel does not know`);
  }

  #checkPin(): void {
    const { expect } = this.#pins;
    const { height, hash } = this.head;
    if (height !== expect?.height || hash === expect.hash) return;
    this.#findings.add(`block ${height - 1}`, {
      check: 'PIN',
      what: `its hash is ${hash}; ${expect.hash} was expected`,
    });
  }
}
