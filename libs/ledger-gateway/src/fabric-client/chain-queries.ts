import ledger from '@hyperledger/fabric-protos/lib/common/ledger_pb.js';
import lifecycle from '@hyperledger/fabric-protos/lib/peer/lifecycle/lifecycle_pb.js';
import { ContractRefusalError } from '../errors/ledger.errors.js';
import { decoding } from '../fabric-blocks/decode/decode-error.js';
import { readMessage } from '../fabric-blocks/decode/read-message.js';
import type { CallOptions, ChainInfo, LedgerBlock, LedgerCall, LedgerTransaction } from '../ports/ledger.port.js';
import { isNotRecorded, peerFault } from './peer-texts.js';
import { ledgerBlock, transactionInBlock } from './recorded-block.js';

/** Asks a chaincode of the channel. */
export type Ask = (chaincode: string, call: LedgerCall, options: CallOptions) => Promise<Uint8Array>;

/** The peers' system chaincode for queries. */
export const QUERY_CHAINCODE = 'qscc';
const TRANSACTION_ID = /^[0-9a-f]{64}$/;

/** What the peers' system chaincode for queries, which any member of the channel may ask, tells of the chain. */
export class ChainQueries {
  readonly #channel: string;
  readonly #ask: Ask;

  constructor(channel: string, ask: Ask) {
    this.#channel = channel;
    this.#ask = ask;
  }

  async chainInfo(options: CallOptions): Promise<ChainInfo> {
    const info = chainInfoIn(await this.#query('GetChainInfo', [], options));
    return {
      channel: this.#channel,
      height: info.getHeight(),
      currentBlockHash: Buffer.from(info.getCurrentblockhash_asU8()).toString('hex'),
      previousBlockHash: Buffer.from(info.getPreviousblockhash_asU8()).toString('hex'),
    };
  }

  async blockByNumber(number: number, options: CallOptions): Promise<LedgerBlock | undefined> {
    if (!Number.isSafeInteger(number) || number < 0) return undefined;
    const bytes = await this.#find('GetBlockByNumber', String(number), options);
    return bytes && ledgerBlock(bytes);
  }

  /** Takes the block that holds it: the transaction alone comes without its block's number and hash. */
  async transactionById(transactionId: string, options: CallOptions): Promise<LedgerTransaction | undefined> {
    if (!TRANSACTION_ID.test(transactionId)) return undefined;
    const bytes = await this.#find('GetBlockByTxID', transactionId, options);
    return bytes && transactionInBlock(bytes, transactionId);
  }

  /**
   * Asks the peer whether a chaincode of that name is committed on the channel, which every member who may write may ask.
   * @returns undefined when the peer does not tell
   */
  async isDefined(chaincode: string, options: CallOptions): Promise<boolean | undefined> {
    const query = new lifecycle.QueryChaincodeDefinitionArgs();
    query.setName(chaincode);
    // Names of chaincode are ASCII (Fabric's core/common/ccprovider): the message is text too.
    const argument = Buffer.from(query.serializeBinary()).toString();
    const call = { function: 'QueryChaincodeDefinition', arguments: [argument] };
    try {
      await this.#ask('_lifecycle', call, options);
      return true;
    } catch (error) {
      return peerFault((error as Error).message) === 'chaincode-unknown' ? false : undefined;
    }
  }

  async #find(name: string, argument: string, options: CallOptions): Promise<Uint8Array | undefined> {
    try {
      return await this.#query(name, [argument], options);
    } catch (error) {
      if (error instanceof ContractRefusalError && isNotRecorded(error.message)) return undefined;
      throw error;
    }
  }

  #query(name: string, args: readonly string[], options: CallOptions): Promise<Uint8Array> {
    return this.#ask(QUERY_CHAINCODE, { function: name, arguments: [this.#channel, ...args] }, options);
  }
}

/**
 * The number of blocks that an answer to GetChainInfo tells.
 * @throws {@link DamagedError} when it is none
 */
export function heightIn(chainInfo: Uint8Array): number {
  return chainInfoIn(chainInfo).getHeight();
}

/** Peers are other people's programs: what they send is read as carefully as any other input. */
function chainInfoIn(bytes: Uint8Array): ledger.BlockchainInfo {
  return decoding('chain info', () => readMessage(ledger.BlockchainInfo, bytes));
}
