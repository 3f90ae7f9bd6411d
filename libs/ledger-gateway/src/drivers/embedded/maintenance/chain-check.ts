import { ChainVerifier, type VerifiedHead } from '../../../fabric-blocks/verify/chain-verifier.js';
import type { BlockContent } from '../../../fabric-blocks/verify/examine-block.js';
import type { ExaminedTransaction } from '../../../fabric-blocks/verify/examine-transaction.js';
import { TxValidationCode } from '../../../fabric-blocks/messages/fabric-messages.js';
import type { ReplayState } from '../../../fabric-blocks/verify/replay/block-replay.js';
import { ChannelTrust } from '../../../fabric-blocks/verify/trust/channel-trust.js';
import { LedgerError } from '../../../errors/ledger.errors.js';
import type { LedgerNames } from '../store/directory/data-directory.js';
import type { RecordedWrites } from '../store/derive-records.js';
import type { ChainPins } from './chain-pins.js';
import { PartsCounter, type CheckedParts } from './checked-parts.js';
import type { DerivedState } from './derived-state.js';
import type { ExaminedSource } from './examine-chain.js';
import type { FindingList } from './finding-list.js';

/** What a {@link ChainCheck} goes by. */
export interface ChainCheckOptions {
  readonly pins: ChainPins;
  readonly findings: FindingList;
  /** Where the replayed state is kept. */
  readonly state: ReplayState;
  /** What the chain of an embedded ledger should be of, and the tables that follow from it. */
  readonly ledger?: { readonly names: LedgerNames; readonly tables: DerivedState };
}

/** Verifies a chain block by block; of an embedded ledger it also writes what follows from it into tables. */
export class ChainCheck {
  readonly #verifier: ChainVerifier;
  readonly #ledger: ChainCheckOptions['ledger'];
  readonly #pins: ChainPins;
  readonly #findings: FindingList;
  readonly #parts = new PartsCounter();
  #transactions = 0;

  constructor({ pins, findings, state, ledger }: ChainCheckOptions) {
    this.#ledger = ledger;
    this.#pins = pins;
    this.#findings = findings;
    this.#verifier = new ChainVerifier({
      state,
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

  /** What was looked at. */
  get checked(): CheckedParts {
    return this.#parts.parts((chaincode) => this.#verifier.policyOf(chaincode));
  }

  /**
   * Takes the next block.
   * @returns false when it cannot be read: nothing behind it can be judged then
   */
  add(examined: ExaminedSource): boolean {
    const number = this.#verifier.head.height;
    if ('damage' in examined) {
      this.#findings.add(`block ${number}`, { check: 'RECORD', what: examined.damage });
      return false;
    }
    for (const { check, transaction, what } of this.#verifier.add(examined.block)) {
      this.#findings.add(
        transaction === undefined ? `block ${number}` : `block ${number}, transaction ${transaction}`,
        {
          check,
          what,
        },
      );
    }
    const isRead = this.#findings.attempt(`block ${number}`, () => {
      const { content } = examined.block;
      if (content === undefined)
        throw new LedgerError('LEDGER.DAMAGED', 'The bytes are not a block of Hyperledger Fabric.');
      if (this.#ledger !== undefined) {
        if (number === 0) this.#checkNames(content, this.#ledger.names);
        this.#ledger.tables.write(number, content.transactions.map(recordedWrites));
      }
      this.#parts.add(content);
      this.#transactions += content.transactions.length;
      this.#checkPin();
      return true;
    });
    const { hash } = this.head;
    if (isRead === true && (examined.storedHash ?? hash) !== hash) {
      this.#findings.add(`block ${number}`, {
        check: 'RECORD',
        what: `it is stored under the hash ${examined.storedHash}`,
      });
    }
    return isRead === true;
  }

  /** Call it behind the last block: whether the chain is as long as the caller knows. */
  end(): void {
    const { expect } = this.#pins;
    const { height } = this.head;
    if (expect === undefined || height >= expect.height) return;
    this.#findings.add('the chain', { check: 'PIN', what: `it has ${height} blocks; ${expect.height} were expected` });
  }

  #checkNames({ transactions: [first] }: BlockContent, { channel, mspId }: LedgerNames): void {
    const trust = ChannelTrust.fromEnvelope(first?.configuration?.envelope ?? new Uint8Array());
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

/** @throws `LEDGER.DAMAGED` when it cannot be decoded so far that its records follow */
function recordedWrites({ code, transactionId, envelope }: ExaminedTransaction): RecordedWrites {
  if (transactionId === undefined)
    throw new LedgerError('LEDGER.DAMAGED', 'The bytes are not a transaction envelope of Hyperledger Fabric.');
  const call = code === TxValidationCode.VALID ? envelope?.call : undefined;
  if (call === undefined) return { transactionId, namespaces: [] };
  if (call.content === undefined)
    throw new LedgerError('LEDGER.DAMAGED', 'The bytes are not a call of a chaincode of Hyperledger Fabric.');
  return { transactionId, namespaces: call.content.namespaces };
}
