import type { ChainReader } from '#chain-pages';
import { decodeBlock, findTransaction, hex } from '#fabric-codec';
import { BlockchainInfo, decodeMessage, decoding, ProcessedTransaction, stringField } from '#fabric-codec/messages';
import {
  type ChainInfo,
  isLedgerError,
  isRefusal,
  type LedgerBlock,
  type LedgerCall,
  LedgerError,
  type LedgerTransaction,
} from '#ledger-gateway';
import type { RecordedAttempt } from '#ledger-gateway/driver';
import { isFault, isNotRecorded, peerFault } from './call-errors.js';
import { jittered, pause } from './waiting.js';

/** Evaluates a call of a chaincode of the channel. */
export type EvaluateAs = (chaincode: string, call: LedgerCall, caller: string | undefined) => Promise<Uint8Array>;

/** The peers' system chaincode for queries. */
export const QUERY_CHAINCODE = 'qscc';
/** Blocks that are read concurrently, to hide the latency of a peer. */
const BLOCKS_AT_ONCE = 8;
const TRANSACTION_ID = /^[0-9a-f]{64}$/;

/**
 * Queries of the chain through the peers' system chaincode for queries, which every member of the channel may call. Without a
 * caller the service's identity signs.
 */
export class ChainQueries {
  readonly #channel: string;
  readonly #ask: EvaluateAs;

  constructor(channel: string, ask: EvaluateAs) {
    this.#channel = channel;
    this.#ask = ask;
  }

  async chainInfo(caller?: string): Promise<ChainInfo> {
    const bytes = await this.#query('GetChainInfo', [], caller);
    const info = decoding('chain info', () => decodeMessage(BlockchainInfo, bytes));
    return {
      channel: this.#channel,
      height: info.height,
      currentBlockHash: hex(info.currentBlockHash),
      previousBlockHash: hex(info.previousBlockHash),
    };
  }

  async blockByNumber(number: number, caller?: string): Promise<LedgerBlock | undefined> {
    if (!Number.isSafeInteger(number) || number < 0) return undefined;
    const bytes = await this.#find('GetBlockByNumber', String(number), caller);
    return bytes && ledgerBlock(bytes);
  }

  /** Returns a reader for pages, which end where the peer has no older blocks. */
  reader(caller?: string): ChainReader {
    return {
      ahead: BLOCKS_AT_ONCE,
      height: async () => (await this.chainInfo(caller)).height,
      block: async (number) => {
        try {
          return await this.blockByNumber(number, caller);
        } catch (error) {
          if (isPruned(error)) return undefined;
          throw error;
        }
      },
    };
  }

  /** Reads the whole block: the transaction alone lacks the number and hash of its block. */
  async transactionById(transactionId: string, caller?: string): Promise<LedgerTransaction | undefined> {
    const bytes = await this.blockOfTransaction(transactionId, caller);
    return bytes && findTransaction(bytes, transactionId);
  }

  /** Reads the serialized block that contains a transaction. */
  async blockOfTransaction(transactionId: string, caller?: string): Promise<Uint8Array | undefined> {
    return TRANSACTION_ID.test(transactionId) ? this.#find('GetBlockByTxID', transactionId, caller) : undefined;
  }

  /**
   * Reads a transaction without its position in the chain: the response is small, while its block may be large.
   * @throws `LEDGER.OUTCOME_PRUNED` when it is recorded in a block that the peer does not have
   */
  async recordedTransaction(transactionId: string, caller?: string): Promise<RecordedAttempt | undefined> {
    try {
      const bytes = await this.#find('GetTransactionByID', transactionId, caller);
      if (bytes === undefined) return undefined;
      const found = decoding('recorded transaction', () => decodeMessage(ProcessedTransaction, bytes));
      return { transactionId, validationCode: found.validationCode, envelope: found.transactionEnvelope };
    } catch (cause) {
      if (!isPruned(cause)) throw cause;
      const text = `Transaction ${transactionId} is in a block that the peer lacks, because it was started from a snapshot.`;
      throw new LedgerError('LEDGER.OUTCOME_PRUNED', text, { transactionId, cause });
    }
  }

  /**
   * Returns whether a chaincode is committed on the channel.
   * @returns undefined when the peer does not answer
   */
  async isDefined(chaincode: string, caller: string | undefined): Promise<boolean | undefined> {
    // Message lifecycle.QueryChaincodeDefinitionArgs. It is valid text: names of chaincode are ASCII (core/common/ccprovider).
    const argument = stringField(1, chaincode).toString();
    try {
      await this.#ask('_lifecycle', { function: 'QueryChaincodeDefinition', arguments: [argument] }, caller);
      return true;
    } catch (error) {
      return hasFault(error, 'chaincode-unknown') ? false : undefined;
    }
  }

  async #find(name: string, argument: string, caller: string | undefined): Promise<Uint8Array | undefined> {
    try {
      return await this.#query(name, [argument], caller);
    } catch (error) {
      if (isRefusal(error) && isNotRecorded(error.message)) return undefined;
      throw error;
    }
  }

  #query(name: string, args: readonly string[], caller: string | undefined): Promise<Uint8Array> {
    return this.#ask(QUERY_CHAINCODE, { function: name, arguments: [this.#channel, ...args] }, caller);
  }
}

function isPruned(error: unknown): boolean {
  return hasFault(error, 'pruned');
}

/** Returns whether a system chaincode refused a query for a known reason, or a peer reported it. */
function hasFault(error: unknown, fault: 'pruned' | 'chaincode-unknown'): boolean {
  return isFault(error, fault) || peerFault((error as Error).message) === fault;
}

/** Returns a serialized `common.Block` as a block of the port. */
function ledgerBlock(bytes: Uint8Array): LedgerBlock {
  const { header, hash } = decodeBlock(bytes);
  return { number: header.number, hash: hex(hash), bytes };
}

const DELAY = { base: 100, most: 2000 };

/**
 * Yields blocks from `startBlock` on, in order and each once, until the signal. When the connection is lost, it requests the
 * blocks from the first missing one on.
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
