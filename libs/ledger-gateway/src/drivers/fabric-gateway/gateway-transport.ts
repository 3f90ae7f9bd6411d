import type { SubmittedTransaction, Transaction } from '@hyperledger/fabric-gateway';
import { LedgerError } from '../../errors/ledger.errors.js';
import type { CallPlace } from '../../fabric-client/call-errors.js';
import type {
  Endorsed,
  FabricCall,
  FabricTransport,
  GivenId,
  RecordedTransaction,
  StageLimits,
  SubmitTerms,
  FabricCallOptions,
} from '../../fabric-client/fabric-transport.js';
import { isTimeout, isUnavailable, lostBlocks, uncommittedError } from './gateway-errors.js';
import { OrdererWatch, probeOrderer } from './orderer-probe.js';
import { grpcOptions } from './peer-pool.js';
import type { PeerPool, PeerSession } from './peer-pool.js';
import { endorsedOf, ownProposalOf, payloadOf, proposalOf, TransactionFlow } from './transaction-flow.js';

/** Calls through the gateway service of the peers, which finds endorsers and orderers. */
export class GatewayTransport implements FabricTransport {
  readonly #pool: PeerPool;
  readonly #limits: StageLimits;
  readonly #orderers = new OrdererWatch();

  constructor(pool: PeerPool, limits: StageLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async evaluate(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    const ask = async (peer: PeerSession): Promise<Uint8Array> => {
      return proposalOf(peer, call).evaluate(grpcOptions(options, this.#limits.evaluate));
    };
    return (await this.#callFirst(call, options, ask)).answer;
  }

  async submit(
    call: FabricCall,
    options: FabricCallOptions,
    { id, accept }: SubmitTerms = {},
  ): Promise<RecordedTransaction> {
    const { answer: transaction, peer } = await this.#endorsed(call, options, id);
    accept?.(endorsedOf(transaction, call.chaincode));
    const place = placeOf(call, peer);
    const flow = new TransactionFlow({ transaction, peer, pool: this.#pool, place, limits: this.#limits, options });
    const status = await flow.commitStatus(await this.#order(flow));
    return {
      transactionId: status.transactionId,
      blockNumber: Number(status.blockNumber),
      validationCode: status.code,
      result: transaction.getResult(),
    };
  }

  async endorse(call: FabricCall, options: FabricCallOptions): Promise<Endorsed> {
    const { answer: transaction } = await this.#endorsed(call, options);
    return endorsedOf(transaction, call.chaincode);
  }

  async attest(call: FabricCall, options: FabricCallOptions): Promise<Uint8Array> {
    const endorse = async (peer: PeerSession): Promise<Transaction> => {
      return ownProposalOf(peer, call).endorse(grpcOptions(options, this.#limits.endorse));
    };
    return payloadOf((await this.#callFirst(call, options, endorse)).answer);
  }

  /** Does not detect an orderer that responds but has no quorum. */
  async ordering(channel: string, options: FabricCallOptions): Promise<void> {
    await this.#orderers.require(async () => {
      const [peer] = await this.#pool.sessions(undefined);
      await probeOrderer(peer, channel, grpcOptions(options, this.#limits.submit));
    });
  }

  async *blocks(channel: string, startBlock: number, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const [peer] = await this.#pool.sessions(undefined);
    let close: (() => void) | undefined;
    const onAbort = (): void => {
      close?.();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const events = await peer.gateway.getNetwork(channel).getBlockEvents({ startBlock: BigInt(startBlock) });
      close = () => {
        events.close();
      };
      if (signal.aborted) return;
      for await (const block of events) yield block.serializeBinary();
    } catch (error) {
      if (signal.aborted) return;
      this.#pool.demote(peer);
      throw lostBlocks(error, { channel, chaincode: '', endpoint: peer.endpoint, identity: peer.identity.description });
    } finally {
      signal.removeEventListener('abort', onAbort);
      close?.();
    }
  }

  close(): Promise<void> {
    this.#pool.close();
    return Promise.resolve();
  }

  #endorsed(
    call: FabricCall,
    options: FabricCallOptions,
    id?: GivenId,
  ): Promise<{ readonly answer: Transaction; readonly peer: PeerSession }> {
    const endorse = async (peer: PeerSession): Promise<Transaction> => {
      return proposalOf(peer, call, id).endorse(grpcOptions(options, this.#limits.endorse));
    };
    return this.#callFirst(call, options, endorse);
  }

  async #order(flow: TransactionFlow): Promise<SubmittedTransaction> {
    try {
      const submitted = await flow.order();
      this.#orderers.answered();
      return submitted;
    } catch (error) {
      this.#orderers.failed();
      throw error;
    }
  }

  /** Calls the peers in turn until one is reachable. None of them writes anything. */
  async #callFirst<T>(
    call: FabricCall,
    { caller, signal }: FabricCallOptions,
    ask: (peer: PeerSession) => Promise<T>,
  ): Promise<{ readonly answer: T; readonly peer: PeerSession }> {
    const peers = await this.#pool.sessions(caller);
    let failure: Error | undefined;
    for (const peer of peers) {
      try {
        return { answer: await ask(peer), peer };
      } catch (error) {
        if (signal?.aborted === true)
          throw new LedgerError('LEDGER.TIMEOUT', 'The call was aborted before the peer responded.');
        failure = uncommittedError(error, placeOf(call, peer));
        if (isUnavailable(error) || isTimeout(error)) this.#pool.demote(peer);
        if (!isUnavailable(error)) break;
      }
    }
    throw failure ?? new LedgerError('LEDGER.UNAVAILABLE', 'No peer is configured.');
  }
}

function placeOf({ channel, chaincode }: FabricCall, { endpoint, identity }: PeerSession): CallPlace {
  return { channel, chaincode, endpoint, identity: identity.description };
}
