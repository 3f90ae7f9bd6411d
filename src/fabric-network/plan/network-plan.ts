import { resolve } from 'node:path';
import type { NetworkPorts } from './network-ports.js';

/** All that decides how a network looks; it is kept with the network, so that it can be started again as it was. */
export interface NetworkPlan {
  /** Absolute path that everything is kept under. */
  readonly directory: string;
  readonly ports: NetworkPorts;
  readonly channel: string;
  readonly chaincode: ChaincodePlan;
  /** How long the orderer waits for more transactions before it cuts a block; a Go duration, such as 200ms. */
  readonly batchTimeout: string;
  /** Most transactions in a block. */
  readonly batchSize: number;
  /** Whether Org1 has a Fabric CA. */
  readonly ca: boolean;
}

/** The chaincode of the channel, which runs as a service. */
export interface ChaincodePlan {
  readonly name: string;
  readonly version: string;
  /** TLS between the peers and the chaincode, both ways. */
  readonly tls: boolean;
  /**
   * A shell command that serves another chaincode than ours; it finds its id and address in CHAINCODE_ID and
   * CHAINCODE_SERVER_ADDRESS.
   */
  readonly command?: string;
  /** Working directory of the command. */
  readonly workingDirectory?: string;
  /** A read-only function with its arguments, parted by spaces, that tells whether the chaincode answers; empty: not asked. */
  readonly probe: string;
}

/** One of the two organisations that run peers. */
export interface PeerOrganisation {
  readonly name: 'Org1' | 'Org2';
  readonly mspId: string;
  readonly domain: string;
  readonly peerHost: string;
  readonly port: 'peerOrg1' | 'peerOrg2';
}

export const ORG1: PeerOrganisation = organisation('Org1', 'peerOrg1');
export const ORG2: PeerOrganisation = organisation('Org2', 'peerOrg2');
export const PEER_ORGANISATIONS: readonly PeerOrganisation[] = [ORG1, ORG2];

export const ORDERER = { mspId: 'OrdererMSP', domain: 'example.com', host: 'orderer.example.com' } as const;

/** TLS identities of the chaincode and of the peers that connect to it come from an organisation of their own. */
export const CHAINCODE_TLS = { domain: 'chaincode.example.com', host: 'service.chaincode.example.com' } as const;

/** The CA's name in the profile, and the one it calls itself. */
export const CA = { host: 'ca.org1.example.com', registrar: 'admin' } as const;

/** Host that every certificate is also good for, and that peers and orderer advertise. */
export const ADVERTISED_HOST = 'localhost';

function organisation(name: 'Org1' | 'Org2', port: PeerOrganisation['port']): PeerOrganisation {
  const domain = `${name.toLowerCase()}.example.com`;
  return { name, mspId: `${name}MSP`, domain, peerHost: `peer0.${domain}`, port };
}

/** Label of the chaincode's package, which its id begins with. */
export function chaincodeLabel({ name, version }: ChaincodePlan): string {
  return `${name}_${version}`;
}

/** Where a plan's chaincode command runs. */
export function commandDirectory(plan: NetworkPlan): string {
  return resolve(plan.chaincode.workingDirectory ?? '.');
}
