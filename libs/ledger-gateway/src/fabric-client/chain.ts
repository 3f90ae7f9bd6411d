import lifecycle from '@hyperledger/fabric-protos/lib/peer/lifecycle/lifecycle_pb.js';
import { LedgerError, isLedgerError, isRefusal } from '../errors/ledger.errors.js';
import type { ChainReader } from '../chain-pages/chain-transactions.js';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { findTransaction } from '../fabric-blocks/decode/find-transaction.js';
import { decodeMessage, decoding } from '../fabric-blocks/messages/decode-message.js';
import { BlockchainInfo, ProcessedTransaction } from '../fabric-blocks/messages/fabric-messages.js';
import type { Decoded } from '../fabric-blocks/messages/schema.js';
import { hex } from '../fabric-blocks/messages/text.js';
import type { ChainInfo, LedgerBlock, LedgerCall, LedgerTransaction } from '../ports/ledger.port.js';
import type { FabricCallOptions } from './fabric-transport.js';
import type { RecordedAttempt } from '../idempotency/recorded-write.js';
import { isFault, isNotRecorded, peerFault } from './call-errors.js';
import { jittered, pause } from './waiting.js';

/** Evaluates a call of a chaincode of the channel. */
export type Ask = (chaincode: string, call: LedgerCall, options: FabricCallOptions) => Promise<Uint8Array>;

/** The peers' system chaincode for queries. */
export const QUERY_CHAINCODE = 'qscc';
/** Blocks that are read concurrently, to hide the latency of a peer. */
const BLOCKS_AT_ONCE = 8;
const TRANSACTION_ID = /^[0-9a-f]{64}$/;

/** Queries of the chain through the peers' system chaincode for queries, which every member of the channel may call. */
export class ChainQueries {
  readonly #channel: string;
  readonly #ask: Ask;

  constructor(channel: string, ask: Ask) {
    this.#channel = channel;
    this.#ask = ask;
  }

  async chainInfo(options: FabricCallOptions): Promise<ChainInfo> {
    const info = chainInfoIn(await this.#query('GetChainInfo', [], options));
    return {
      channel: this.#channel,
      height: info.height,
      currentBlockHash: hex(info.currentBlockHash),
      previousBlockHash: hex(info.previousBlockHash),
    };
  }

  async blockByNumber(number: number, options: FabricCallOptions): Promise<LedgerBlock | undefined> {
    if (!Number.isSafeInteger(number) || number < 0) return undefined;
    const bytes = await this.#find('GetBlockByNumber', String(number), options);
    return bytes && ledgerBlock(bytes);
  }

  /** Returns a reader for pages, which end where the peer has no older blocks. */
  reader(options: FabricCallOptions): ChainReader {
    return {
      ahead: BLOCKS_AT_ONCE,
      height: async () => (await this.chainInfo(options)).height,
      block: async (number) => {
        try {
          return await this.blockByNumber(number, options);
        } catch (error) {
          if (isPruned(error)) return undefined;
          throw error;
        }
      },
    };
  }

  /** Reads the whole block: the transaction alone lacks the number and hash of its block. */
  async transactionById(transactionId: string, options: FabricCallOptions): Promise<LedgerTransaction | undefined> {
    const bytes = await this.blockOfTransaction(transactionId, options);
    return bytes && findTransaction(bytes, transactionId);
  }

  /** Reads the serialized block that contains a transaction. */
  async blockOfTransaction(transactionId: string, options: FabricCallOptions): Promise<Uint8Array | undefined> {
    return TRANSACTION_ID.test(transactionId) ? this.#find('GetBlockByTxID', transactionId, options) : undefined;
  }

  /**
   * Reads a transaction without its position in the chain: the response is small, while its block may be large.
   * @throws `LEDGER.OUTCOME_PRUNED` when it is recorded in a block that the peer does not have
   */
  async recordedTransaction(transactionId: string, options: FabricCallOptions): Promise<RecordedAttempt | undefined> {
    try {
      const bytes = await this.#find('GetTransactionByID', transactionId, options);
      return bytes && recordedAttempt(bytes, transactionId);
    } catch (error) {
      if (!isPruned(error)) throw error;
      const text = `Transaction ${transactionId} is recorded in a block that the peer has not: it was made from a snapshot.`;
      throw new LedgerError('LEDGER.OUTCOME_PRUNED', text, { transactionId, cause: error });
    }
  }

  /**
   * Returns whether a chaincode is committed on the channel.
   * @returns undefined when the peer does not answer
   */
  async isDefined(chaincode: string, options: FabricCallOptions): Promise<boolean | undefined> {
    const query = new lifecycle.QueryChaincodeDefinitionArgs();
    query.setName(chaincode);
    // Names of chaincode are ASCII (Fabric's core/common/ccprovider), so the message is valid text.
    const argument = Buffer.from(query.serializeBinary()).toString();
    const call = { function: 'QueryChaincodeDefinition', arguments: [argument] };
    try {
      await this.#ask('_lifecycle', call, options);
      return true;
    } catch (error) {
      const isMissing =
        isFault(error, 'chaincode-unknown') || peerFault((error as Error).message) === 'chaincode-unknown';
      return isMissing ? false : undefined;
    }
  }

  async #find(name: string, argument: string, options: FabricCallOptions): Promise<Uint8Array | undefined> {
    try {
      return await this.#query(name, [argument], options);
    } catch (error) {
      if (isRefusal(error) && isNotRecorded(error.message)) return undefined;
      throw error;
    }
  }

  #query(name: string, args: readonly string[], options: FabricCallOptions): Promise<Uint8Array> {
    return this.#ask(QUERY_CHAINCODE, { function: name, arguments: [this.#channel, ...args] }, options);
  }
}

/**
 * Returns the number of blocks in a response of GetChainInfo.
 * @throws `LEDGER.DAMAGED` when it is none
 */
export function heightIn(chainInfo: Uint8Array): number {
  return chainInfoIn(chainInfo).height;
}

/** Peers are other people's programs: what they send is read as carefully as any other input. */
function chainInfoIn(bytes: Uint8Array): Decoded<typeof BlockchainInfo> {
  return decoding('chain info', () => decodeMessage(BlockchainInfo, bytes));
}

function isPruned(error: unknown): boolean {
  if (isFault(error, 'pruned')) return true;
  return isRefusal(error) && peerFault(error.message) === 'pruned';
}

/** A serialized `protos.ProcessedTransaction`. */
function recordedAttempt(bytes: Uint8Array, transactionId: string): RecordedAttempt {
  const processed = decoding('recorded transaction', () => decodeMessage(ProcessedTransaction, bytes));
  const { validationCode, transactionEnvelope: envelope } = processed;
  return { transactionId, validationCode, envelope };
}

/** A serialized `common.Block` as the port gives it. */
export function ledgerBlock(bytes: Uint8Array): LedgerBlock {
  const { header, hash } = decodeBlock(bytes);
  return { number: header.number, hash: hex(hash), bytes };
}

const DELAY = { base: 100, most: 2000 };

/**
 * Blocks from `startBlock` on, in order and each once, whatever becomes of the connection: when it is lost, the blocks
 * are asked for again from the first one that was not given. Ends with the signal.
 */
export async function* followBlocks(
  open: (startBlock: number) => AsyncIterable<Uint8Array>,
  startBlock: number,
  signal: AbortSignal,
): AsyncGenerator<LedgerBlock, void, undefined> {
  let next = Math.max(0, Math.trunc(startBlock));
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const bytes of open(next)) {
        const block = ledgerBlock(bytes);
        if (block.number !== next) continue;
        next++;
        failures = 0;
        yield block;
      }
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.UNAVAILABLE')) throw error;
    }
    if (!(await pause(jittered(failures++, DELAY), { signal }))) return;
  }
}
