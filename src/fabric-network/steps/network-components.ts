import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chaincodeEnvironment } from '../files/chaincode-environment.js';
import { commandDirectory, ORG1, ORG2, type NetworkPlan, type PeerOrganisation } from '../plan/network-plan.js';
import type { PortName } from '../plan/network-ports.js';
import type { NetworkContext } from './network-context.js';

export type ComponentName = 'orderer' | 'peer-org1' | 'peer-org2' | 'ca' | 'chaincode';

/** One running part of a network, and the ports that it listens on once it is ready. */
export interface NetworkComponent {
  readonly name: ComponentName;
  readonly ports: readonly PortName[];
}

/** How a component is started. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Our chaincode's program, built beside this one. */
const OUR_CHAINCODE = fileURLToPath(new URL('../../../libs/asset-contract/src/chaincode/main.js', import.meta.url));

/** The parts of a network in the order in which they are started; they are ended the other way round. */
export function componentsOf(plan: NetworkPlan): readonly NetworkComponent[] {
  return [
    { name: 'orderer', ports: ['orderer', 'ordererAdmin'] },
    { name: 'peer-org1', ports: ['peerOrg1'] },
    { name: 'peer-org2', ports: ['peerOrg2'] },
    ...(plan.ca ? [{ name: 'ca' as const, ports: ['ca' as const] }] : []),
    { name: 'chaincode', ports: ['chaincode'] },
  ];
}

/** The command that starts a component of a network whose files are all there. */
export function startCommand(name: ComponentName, context: NetworkContext, chaincodeId: string): StartCommand {
  const { layout, release, environment } = context;
  switch (name) {
    case 'orderer':
      return {
        command: release.binaries.orderer,
        args: [],
        env: { ...environment, FABRIC_CFG_PATH: layout.orderer },
        cwd: layout.orderer,
      };
    case 'peer-org1':
      return peerCommand(ORG1, context);
    case 'peer-org2':
      return peerCommand(ORG2, context);
    case 'ca':
      return {
        command: release.binaries.ca ?? 'fabric-ca-server',
        args: ['start', '--home', layout.ca, '--config', join(layout.ca, 'fabric-ca-server-config.yaml')],
        env: environment,
        cwd: layout.ca,
      };
    case 'chaincode':
      return chaincodeCommand(context, chaincodeId);
  }
}

function peerCommand(organisation: PeerOrganisation, { layout, release, environment }: NetworkContext): StartCommand {
  const cwd = layout.peer(organisation);
  return {
    command: release.binaries.peer,
    args: ['node', 'start'],
    env: { ...environment, FABRIC_CFG_PATH: cwd },
    cwd,
  };
}

function chaincodeCommand({ plan, layout, environment }: NetworkContext, id: string): StartCommand {
  const env = { ...environment, ...chaincodeEnvironment(plan, layout, id) };
  const { command } = plan.chaincode;
  if (command !== undefined) return { command: '/bin/sh', args: ['-c', command], env, cwd: commandDirectory(plan) };
  // grpc-js warns of calls that fabric-shim still makes.
  return { command: process.execPath, args: ['--no-deprecation', OUR_CHAINCODE, 'serve'], env, cwd: layout.directory };
}
