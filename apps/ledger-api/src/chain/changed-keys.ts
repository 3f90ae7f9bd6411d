import { setImmediate } from 'node:timers/promises';
import {
  decodeActions,
  decodeBlock,
  decodeEnvelope,
  decodeReadWriteSets,
  encodedText,
  validationCodeName,
  type DecodedBlock,
} from '#fabric-codec';
import type { LedgerChannel } from '#ledger-gateway';
import type { TransactionSummary } from './chain.dto.js';

/** A key that a transaction changed, as columns of a table; without a key the transaction changed none. */
interface ChangedKey {
  readonly namespace?: string;
  readonly key?: string;
  /** `unknown`: the ledger no longer has the block, so that the keys are not known. */
  readonly change?: 'written' | 'deleted' | 'unknown';
  readonly value?: string;
  readonly valueEncoding?: 'utf8' | 'base64';
}

export const CHANGED_KEY_COLUMNS = ['namespace', 'key', 'change', 'value', 'valueEncoding'] as const;

/** `common.HeaderType` of a transaction that calls a chaincode. */
const ENDORSER_TRANSACTION = 'ENDORSER_TRANSACTION';
const VALID = 'VALID';

/**
 * Yields a row for each key that transactions changed, one transaction at a time, and one row without a key for a transaction
 * that changed none, such as an invalid one. A block is read once for all of its transactions that are adjacent in the list.
 */
export async function* changedKeys(
  ledger: Pick<LedgerChannel, 'blockByNumber'>,
  transactions: readonly TransactionSummary[],
): AsyncGenerator<readonly (TransactionSummary & ChangedKey)[]> {
  let block: BlockChanges | undefined;
  for (const transaction of transactions) {
    if (transaction.validationCode !== VALID || transaction.type !== ENDORSER_TRANSACTION) {
      yield [transaction];
      continue;
    }
    if (block?.number !== transaction.blockNumber) block = await BlockChanges.read(ledger, transaction.blockNumber);
    // Decoding thousands of transactions at once would delay other requests.
    await setImmediate();
    yield block.of(transaction.transactionId).map((change) => Object.assign({}, transaction, change));
  }
}

/** The changes of a block's transactions. */
class BlockChanges {
  readonly number: number;
  /** The positions of the VALID transactions by their ids; undefined if the ledger does not have the block. */
  readonly #positions: ReadonlyMap<string, number> | undefined;
  readonly #envelopes: DecodedBlock['envelopes'];

  private constructor(number: number, block: DecodedBlock | undefined) {
    this.number = number;
    this.#envelopes = block?.envelopes ?? [];
    this.#positions = block && new Map(validPositions(block));
  }

  static async read(ledger: Pick<LedgerChannel, 'blockByNumber'>, number: number): Promise<BlockChanges> {
    const block = await ledger.blockByNumber(number);
    return new BlockChanges(number, block && decodeBlock(block.bytes));
  }

  /** Returns the changes of a transaction, in the order of its write sets; an empty one if there are none. */
  of(transactionId: string): readonly ChangedKey[] {
    const position = this.#positions?.get(transactionId);
    const envelope = position === undefined ? undefined : this.#envelopes[position];
    if (envelope === undefined) return [{ change: 'unknown' }];
    const changes = decodeActions(decodeEnvelope(envelope).data)
      .flatMap(({ results }) => decodeReadWriteSets(results))
      .flatMap(({ namespace, writes }) => writes.map(({ key, value }) => changeOf(namespace, key, value)));
    return changes.length === 0 ? [{}] : changes;
  }
}

function* validPositions({ envelopes, validationCodes }: DecodedBlock): Generator<[string, number]> {
  for (const [position, envelope] of envelopes.entries()) {
    if (validationCodeName(validationCodes[position] ?? -1) !== VALID) continue;
    yield [decodeEnvelope(envelope).transactionId, position];
  }
}

function changeOf(namespace: string, key: string, value: Uint8Array | undefined): ChangedKey {
  if (value === undefined) return { namespace, key, change: 'deleted' };
  const { text, encoding } = encodedText(value);
  return { namespace, key, change: 'written', value: text, valueEncoding: encoding };
}
