import { discovery, gateway, peer } from '@hyperledger/fabric-protos';
import { deliverService } from './deliver-service.js';
import { discoveryService } from './discovery-service.js';
import { endorserService } from './endorser-service.js';
import { gatewayService } from './gateway-service.js';
import { StandInFaults } from './stand-in-faults.js';
import type { PeerNode, StandInNetwork } from './stand-in-network.js';
import type { StandInPeer } from './stand-in-peer.js';
import { StandInServer, type Transport } from './stand-in-server.js';

/** A peer: a server with a peer's services, and its own script of faults. */
export class StandInNode implements PeerNode {
  readonly network: StandInNetwork;
  readonly peer: StandInPeer;
  readonly faults = new StandInFaults();
  readonly #server: StandInServer;

  constructor(network: StandInNetwork, endorser: StandInPeer, transport: Transport) {
    this.network = network;
    this.peer = endorser;
    this.#server = new StandInServer({
      organisation: network.organisation,
      transport,
      services: [
        [gateway.GatewayService, gatewayService(this)],
        [peer.EndorserService, endorserService(this)],
        [peer.DeliverService, deliverService(this)],
        [discovery.DiscoveryService, discoveryService(this)],
      ],
    });
  }

  get endpoint(): string {
    return this.#server.endpoint;
  }

  get isServing(): boolean {
    return this.#server.isServing;
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  stop(): void {
    this.#server.stop();
  }
}
