import { StandInChain } from './stand-in-chain.js';
import { ourChaincode, type StandInChaincode } from './stand-in-chaincode.js';
import { createOrganisation, type StandInOrganisation } from './stand-in-identities.js';
import type { StandInNetwork } from './stand-in-network.js';
import { StandInNode } from './stand-in-node.js';
import { StandInOrdererNode } from './stand-in-orderer.js';
import { StandInPeer } from './stand-in-peer.js';
import type { Transport } from './stand-in-server.js';

export interface FabricStandInOptions {
  readonly channel?: string;
  /** Other channels, with the same chaincode and orderer. */
  readonly otherChannels?: readonly string[];
  readonly chaincodeName?: string;
  readonly chaincode?: StandInChaincode;
  /** Number of peers, all of one organization. */
  readonly peers?: number;
  readonly transport?: Transport;
  /** The test starts the peers. */
  readonly isDown?: boolean;
}

/**
 * A Fabric network of one organization in this process, on real gRPC servers on loopback: peers with the services Gateway,
 * Endorser, Deliver and Discovery, and an orderer with AtomicBroadcast. It executes the contract, signs, validates and
 * creates genuine blocks. It has no policies except membership, no private data and no consensus.
 */
export class FabricStandIn implements StandInNetwork {
  /** Shared by all networks of a process: no test changes it, and its certificates take 0.15 s of CPU to create. */
  static #organisation: Promise<StandInOrganisation> | undefined;

  readonly organisation: StandInOrganisation;
  /** The chain of the first channel. */
  readonly chain: StandInChain;
  /** By the names of the channels that the peers have joined. */
  readonly chains: Map<string, StandInChain>;
  /** The channels whose calls fail, while those of the others succeed. */
  readonly downChannels = new Set<string>();
  readonly chaincodeName: string;
  readonly peers: readonly StandInNode[];
  readonly orderer: StandInOrdererNode;
  /** The chaincode; undefined while its process is down. */
  chaincode: StandInChaincode | undefined;
  /** A false response of the peers to queries of the chain. */
  chainAnswer: Uint8Array | undefined;
  /** Returns the text with which peers refuse a query of the chain, or undefined if they answer. */
  chainRefusal: (name: string) => string | undefined = () => undefined;

  /** Returns the text with which peers do not execute a transaction of that id, or undefined if they do. */
  simulationRefusal: (transactionId: string) => string | undefined = () => undefined;

  private constructor(organisation: StandInOrganisation, options: FabricStandInOptions) {
    const { channel = 'mychannel', chaincodeName = 'basic', peers = 1, transport = 'clear' } = options;
    this.organisation = organisation;
    this.chaincodeName = chaincodeName;
    this.chaincode = options.chaincode ?? ourChaincode;
    this.chain = new StandInChain(channel, organisation);
    const others = (options.otherChannels ?? []).map((name) => new StandInChain(name, organisation));
    this.chains = new Map([this.chain, ...others].map((chain) => [chain.channel, chain]));
    const { chains, downChannels } = this;
    this.orderer = new StandInOrdererNode({ chains, organisation, transport });
    const chaincode = (): StandInChaincode | undefined => this.chaincode;
    const chainAnswer = (): Uint8Array | undefined => this.chainAnswer;
    const chainRefusal = (name: string): string | undefined => this.chainRefusal(name);
    const simulationRefusal = (id: string): string | undefined => this.simulationRefusal(id);
    const endorser = new StandInPeer({
      chains,
      downChannels,
      organisation,
      chaincodeName,
      chaincode,
      chainAnswer,
      chainRefusal,
      simulationRefusal,
    });
    this.peers = Array.from({ length: peers }, () => new StandInNode(this, endorser, transport));
  }

  static async start(options: FabricStandInOptions = {}): Promise<FabricStandIn> {
    FabricStandIn.#organisation ??= createOrganisation();
    const network = new FabricStandIn(await FabricStandIn.#organisation, options);
    await network.orderer.start();
    for (const peer of network.peers) {
      // Starting assigns the port.
      await peer.start();
      if (options.isDown === true) peer.stop();
    }
    return network;
  }

  stop(): void {
    for (const peer of this.peers) peer.stop();
    this.orderer.stop();
  }
}
