import type { StandInChain } from './stand-in-chain.js';
import type { StandInFaults } from './stand-in-faults.js';
import type { StandInOrganisation } from './stand-in-identities.js';
import type { StandInPeer } from './stand-in-peer.js';

/** A server of the network, as the others see it. */
export interface NetworkNode {
  /** `host:port`. */
  readonly endpoint: string;
  readonly isServing: boolean;
}

/** A peer as its services see it. */
export interface PeerNode extends NetworkNode {
  readonly network: StandInNetwork;
  readonly peer: StandInPeer;
  readonly faults: StandInFaults;
}

/** What the services of all nodes share. */
export interface StandInNetwork {
  readonly organisation: StandInOrganisation;
  readonly chain: StandInChain;
  readonly chaincodeName: string;
  readonly peers: readonly NetworkNode[];
  readonly orderer: NetworkNode & { order(envelope: Uint8Array): void };
}
