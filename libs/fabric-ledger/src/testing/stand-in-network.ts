import type { StandInChain } from './stand-in-chain.js';
import type { StandInFaults } from './stand-in-faults.js';
import type { StandInOrganisation } from './stand-in-identities.js';
import type { StandInPeer } from './stand-in-peer.js';

/** The public view of a server in the network. */
export interface NetworkNode {
  /** `host:port`. */
  readonly endpoint: string;
  readonly isServing: boolean;
}

/** The view of a peer for its services. */
export interface PeerNode extends NetworkNode {
  readonly network: StandInNetwork;
  readonly peer: StandInPeer;
  readonly faults: StandInFaults;
}

/** The state that the services of all nodes share. */
export interface StandInNetwork {
  readonly organisation: StandInOrganisation;
  /** By the names of the channels that the peers have joined. */
  readonly chains: ReadonlyMap<string, StandInChain>;
  readonly chaincodeName: string;
  readonly peers: readonly NetworkNode[];
  readonly orderer: NetworkNode & {
    order(envelope: Uint8Array): void;
    /** Returns why the orderer refuses an envelope, if it does. */
    refusalOf(envelope: Uint8Array): string | undefined;
  };
}
