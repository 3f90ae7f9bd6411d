import { canonicalAsset } from '#asset-contract';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeActions, type DecodedEnvelope, decodeReadWriteSets } from '../fabric-blocks/decode/decode-envelope.js';
import { calledFunction } from '../fabric-blocks/describe/describe-transaction.js';
import type { KeyWrite } from '../fabric-blocks/encode/read-write-set.js';
import { certificateName, headerTypeName, validationCodeName } from '../fabric-blocks/messages/text.js';
import type {
  AssetChange,
  BlockSummary,
  ChainPosition,
  LedgerBlock,
  TransactionCreator,
  TransactionSummary,
} from '../ports/ledger.port.js';

/** A transaction in its block. */
export interface ChainTransaction extends ChainPosition {
  /** Undefined if the block contains bytes that are not a transaction. */
  readonly envelope: DecodedEnvelope | undefined;
  /** Fabric's `TxValidationCode`. */
  readonly validationCode: number;
}

/** A cache of creators' names: few create most transactions, and parsing a certificate is expensive. */
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

/** The summary of bytes in a block that are not a transaction. */
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

/** Returns a transaction as lists show it. */
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

/** Returns a block as lists show it. */
export function summarizeBlock(
  { number, hash, bytes }: LedgerBlock,
  transactions: readonly TransactionSummary[],
): BlockSummary {
  const { header } = decodeBlock(bytes);
  return {
    number,
    hash,
    previousHash: Buffer.from(header.previousHash).toString('hex'),
    dataHash: Buffer.from(header.dataHash).toString('hex'),
    timestamp: transactions.findLast(({ timestamp }) => timestamp !== '')?.timestamp ?? '',
    transactions,
  };
}

/**
 * Returns what an endorser transaction writes under a key of a chaincode; of several writes the last one, which is the one
 * that counts.
 * @throws `LEDGER.DAMAGED` when it cannot be decoded
 */
export function writeOf({ data }: DecodedEnvelope, key: string, chaincode: string): KeyWrite | undefined {
  return decodeActions(data)
    .flatMap(({ results }) => decodeReadWriteSets(results))
    .filter(({ namespace }) => namespace === chaincode)
    .flatMap(({ writes }) => writes)
    .findLast((write) => write.key === key);
}

/** Returns a write as an asset's history shows it. */
export function assetChange(
  envelope: DecodedEnvelope,
  blockNumber: number,
  { value }: KeyWrite,
  creators: CreatorNames,
): AssetChange {
  const { transactionId, timestamp } = envelope;
  const asset = value && canonicalAsset(value);
  return {
    transactionId,
    blockNumber,
    timestamp,
    ...creators.of(envelope),
    isDelete: value === undefined,
    asset: asset && Buffer.from(asset).toString(),
  };
}
