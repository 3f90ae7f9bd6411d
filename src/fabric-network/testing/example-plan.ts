import type { NetworkPlan } from '../network-plan.js';

/** The plan of the default options, with changes. */
export function examplePlan(changes: Partial<NetworkPlan> = {}): NetworkPlan {
  return {
    directory: '/net',
    ports: {
      orderer: 7050,
      peerOrg1: 7051,
      chaincode: 7052,
      ordererAdmin: 7053,
      ca: 7054,
      peerOrg2: 7055,
      records: 7056,
    },
    channel: 'mychannel',
    chaincode: { name: 'basic', version: '1.0', tls: false, probe: 'AssetExists probe' },
    records: { name: 'records', version: '1.0', tls: false, probe: 'ListTypes 1 ' },
    batchTimeout: '200ms',
    batchSize: 100,
    ca: true,
    ...changes,
  };
}
