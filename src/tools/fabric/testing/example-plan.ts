import { portsFrom } from '../network-ports.js';
import type { NetworkPlan } from '../network-plan.js';

/** The plan that the defaults make, with what a test changes of it. */
export function examplePlan(changes: Partial<NetworkPlan> = {}): NetworkPlan {
  return {
    directory: '/net',
    ports: portsFrom(7050),
    channel: 'mychannel',
    chaincode: { name: 'basic', version: '1.0', tls: false, probe: 'AssetExists probe' },
    batchTimeout: '200ms',
    batchSize: 100,
    ca: true,
    ...changes,
  };
}
