import { orderer } from '@hyperledger/fabric-protos';
import { broadcastService } from './broadcast-service.js';
import type { StandInChain } from './stand-in-chain.js';
import { StandInFaults } from './stand-in-faults.js';
import type { StandInOrganisation } from './stand-in-identities.js';
import type { NetworkNode } from './stand-in-network.js';
import { StandInOrderer } from './stand-in-orderer.js';
import { StandInServer, type Transport } from './stand-in-server.js';

export interface StandInOrdererOptions {
  readonly chain: StandInChain;
  readonly organisation: StandInOrganisation;
  readonly transport: Transport;
}

/** The orderer of the network. */
export class StandInOrdererNode implements NetworkNode {
  readonly faults = new StandInFaults();
  readonly #orderer: StandInOrderer;
  readonly #server: StandInServer;

  constructor({ chain, organisation, transport }: StandInOrdererOptions) {
    this.#orderer = new StandInOrderer(chain);
    const broadcast = broadcastService(this.faults, (envelope) => {
      this.order(envelope);
    });
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

  order(envelope: Uint8Array): void {
    this.#orderer.order(envelope);
  }

  start(): Promise<void> {
    return this.#server.start();
  }

  stop(): void {
    this.#server.stop();
  }
}
