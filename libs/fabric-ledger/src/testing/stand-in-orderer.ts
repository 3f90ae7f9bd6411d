import type { ServerDuplexStream, UntypedServiceImplementation } from '@grpc/grpc-js';
import { common, orderer } from '@hyperledger/fabric-protos';
import { channelIn, typeIn, type StandInChain } from './stand-in-chain.js';
import { GrpcFailure, StandInFaults } from './stand-in-faults.js';
import type { StandInOrganisation } from './stand-in-identities.js';
import type { NetworkNode } from './stand-in-network.js';
import { StandInServer, type Transport } from './stand-in-server.js';

export interface StandInOrdererOptions {
  readonly chains: ReadonlyMap<string, StandInChain>;
  readonly organisation: StandInOrganisation;
  readonly transport: Transport;
}

/** The orderer of the network. */
export class StandInOrdererNode implements NetworkNode {
  readonly faults = new StandInFaults();
  /** Channels that it no longer serves. */
  readonly removedChannels = new Set<string>();
  readonly #orderers: ReadonlyMap<string, StandInOrderer>;
  readonly #server: StandInServer;

  constructor({ chains, organisation, transport }: StandInOrdererOptions) {
    this.#orderers = new Map([...chains].map(([channel, chain]) => [channel, new StandInOrderer(chain)]));
    const broadcast = broadcastService(this.faults, this);
    this.#server = new StandInServer({
      organisation,
      transport,
      services: [[orderer.AtomicBroadcastService, broadcast]],
    });
  }

  get endpoint(): string {
    return this.#server.endpoint;
  }

  get isServing(): boolean {
    return this.#server.isServing;
  }

  /** Returns why an envelope is refused, with Fabric's texts. */
  refusalOf(envelope: Uint8Array): string | undefined {
    if (this.removedChannels.has(channelIn(envelope))) return 'channel does not exist';
    const isConfig = typeIn(envelope) === common.HeaderType.CONFIG;
    return isConfig ? 'message is of type that cannot be processed directly' : undefined;
  }

  order(envelope: Uint8Array): void {
    this.#orderers.get(channelIn(envelope))?.order(envelope);
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  stop(): void {
    this.#server.stop();
  }
}

const MOST_IN_A_BLOCK = 10;
/** An orderer's BatchTimeout, in milliseconds. Conflicts need two transactions in one block. */
const BATCH_MS = 5;

/** An ordering service, which batches envelopes into blocks. */
class StandInOrderer {
  readonly #chain: StandInChain;
  #pending: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(chain: StandInChain) {
    this.#chain = chain;
  }

  order(envelope: Uint8Array): void {
    this.#pending.push(envelope);
    if (this.#pending.length >= MOST_IN_A_BLOCK) this.#cut();
    else
      this.#timer ??= setTimeout(() => {
        this.#cut();
      }, BATCH_MS);
  }

  #cut(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const envelopes = this.#pending;
    this.#pending = [];
    this.#chain.append(envelopes);
  }
}

type BroadcastStream = ServerDuplexStream<common.Envelope, orderer.BroadcastResponse>;

/** `orderer.AtomicBroadcast`: to which fabric-network sends transactions. Only peers use its Deliver. */
function broadcastService(
  faults: StandInFaults,
  node: Pick<StandInOrdererNode, 'order' | 'refusalOf'>,
): UntypedServiceImplementation {
  return {
    broadcast: (stream: BroadcastStream) => {
      stream.on('data', (envelope: common.Envelope) => {
        const info = node.refusalOf(envelope.serializeBinary());
        if (info !== undefined) {
          stream.write(answer(common.Status.BAD_REQUEST, info));
          return;
        }
        const fault = faults.take('broadcast');
        if (fault?.kind === 'hang') return;
        if (fault?.kind !== 'fail') node.order(envelope.serializeBinary());
        if (fault === undefined) stream.write(answer(common.Status.SUCCESS));
        else stream.destroy(new GrpcFailure(fault.with));
      });
      stream.on('end', () => {
        stream.end();
      });
    },
    deliver: (stream: BroadcastStream) => {
      stream.end();
    },
  };
}

function answer(status: common.StatusMap[keyof common.StatusMap], info = ''): orderer.BroadcastResponse {
  const response = new orderer.BroadcastResponse();
  response.setStatus(status);
  response.setInfo(info);
  return response;
}
