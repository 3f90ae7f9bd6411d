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
  readonly chaincodeName?: string;
  readonly chaincode?: StandInChaincode;
  /** How many peers; all of one organisation. */
  readonly peers?: number;
  readonly transport?: Transport;
  /** The peers are started by the test. */
  readonly isDown?: boolean;
}

/**
 * A Fabric network of one organisation in this process, behind real gRPC servers on loopback: peers with the services
 * Gateway, Endorser, Deliver and Discovery, and an orderer with AtomicBroadcast. It runs the contract, signs, validates
 * and makes genuine blocks; it has no policies beyond membership, no private data and no consensus.
 */
export class FabricStandIn implements StandInNetwork {
  /** One for all networks of a process: no test changes it, and making its certificates takes 0.15 s of CPU. */
  static #organisation: Promise<StandInOrganisation> | undefined;

  readonly organisation: StandInOrganisation;
  readonly chain: StandInChain;
  readonly chaincodeName: string;
  readonly peers: readonly StandInNode[];
  readonly orderer: StandInOrdererNode;
  /** What runs as the chaincode; undefined while its process is down. */
  chaincode: StandInChaincode | undefined;
  /** What peers answer to queries of the chain, in place of the truth. */
  chainAnswer: Uint8Array | undefined;
  /** The text with which peers refuse a query of the chain, by its function; undefined where they answer. */
  chainRefusal: (name: string) => string | undefined = () => undefined;

  private constructor(organisation: StandInOrganisation, options: FabricStandInOptions) {
    const { channel = 'mychannel', chaincodeName = 'basic', peers = 1, transport = 'clear' } = options;
    this.organisation = organisation;
    this.chaincodeName = chaincodeName;
    this.chaincode = options.chaincode ?? ourChaincode;
    this.chain = new StandInChain(channel, organisation);
    this.orderer = new StandInOrdererNode({ chain: this.chain, organisation, transport });
    const { chain } = this;
    const chaincode = (): StandInChaincode | undefined => this.chaincode;
    const chainAnswer = (): Uint8Array | undefined => this.chainAnswer;
    const chainRefusal = (name: string): string | undefined => this.chainRefusal(name);
    const endorser = new StandInPeer({ chain, organisation, chaincodeName, chaincode, chainAnswer, chainRefusal });
    this.peers = Array.from({ length: peers }, () => new StandInNode(this, endorser, transport));
  }

  static async start(options: FabricStandInOptions = {}): Promise<FabricStandIn> {
    FabricStandIn.#organisation ??= createOrganisation();
    const network = new FabricStandIn(await FabricStandIn.#organisation, options);
    await network.orderer.start();
    for (const peer of network.peers) {
      // Started in any case, which gives it its port.
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
