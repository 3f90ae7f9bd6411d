import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import type { DecodedEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { certificateName, headerTypeName, validationCodeName } from '../fabric-blocks/messages/text.js';
import { calledFunction } from '../fabric-blocks/describe/describe-transaction.js';
import type { LedgerBlock } from '../ports/ledger.port.js';
import type { BlockSummary, TransactionCreator, TransactionSummary } from '../ports/pages.js';
import { transactionsOf, type ChainTransaction } from './chain-transactions.js';

/** Names of those who made transactions: few make most, and reading a certificate is dear. They are kept as long as this is. */
export class CreatorNames {
  readonly #names = new Map<string, string>();

  get size(): number {
    return this.#names.size;
  }

  of({ creator: { mspId, idBytes } }: Pick<DecodedEnvelope, 'creator'>): TransactionCreator {
    const certificate = Buffer.from(idBytes).toString('latin1');
    let name = this.#names.get(certificate);
    if (name === undefined) {
      name = idBytes.length === 0 ? '' : certificateName(idBytes);
      this.#names.set(certificate, name);
    }
    return { creatorId: name, creatorMspId: mspId };
  }
}

/** What is said of bytes in a block that are no transaction. */
const NO_TRANSACTION = {
  transactionId: '',
  timestamp: '',
  type: '',
  creatorId: '',
  creatorMspId: '',
  chaincodeId: '',
  function: '',
  firstArgument: '',
};

/** What a list shows of a transaction. */
export function summarizeTransaction(transaction: ChainTransaction, creators: CreatorNames): TransactionSummary {
  const { envelope, block: blockNumber, validationCode: code } = transaction;
  const validationCode = validationCodeName(code);
  if (envelope === undefined) return { ...NO_TRANSACTION, blockNumber, validationCode };
  const { transactionId, timestamp, type } = envelope;
  return {
    transactionId,
    blockNumber,
    timestamp,
    type: headerTypeName(type),
    ...creators.of(envelope),
    ...calledFunction(envelope),
    validationCode,
  };
}

/** What a list shows of a block. */
export async function summarizeBlock(
  block: LedgerBlock,
  creators: CreatorNames,
  pause?: () => Promise<void>,
): Promise<BlockSummary> {
  const { header } = decodeBlock(block.bytes);
  const transactions: TransactionSummary[] = [];
  for await (const it of transactionsOf(block, pause)) transactions.push(summarizeTransaction(it, creators));
  transactions.reverse();
  return {
    number: block.number,
    hash: block.hash,
    previousHash: Buffer.from(header.previousHash).toString('hex'),
    dataHash: Buffer.from(header.dataHash).toString('hex'),
    timestamp: transactions.findLast(({ timestamp }) => timestamp !== '')?.timestamp ?? '',
    transactions,
  };
}
