import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FabricNetworkError } from './fabric-network.error.js';
import type { FabricRelease } from './find-binaries.js';
import type { NetworkLayout } from './network-layout.js';
import { ORG1, ORG2, commandDirectory, type NetworkPlan, type PeerOrganisation } from './network-plan.js';
import { LOOPBACK, isListening, type PortName } from './network-ports.js';
import { endedEarly, startProcess, type StartedProcess } from './processes.js';
import { waitUntil } from './run-command.js';

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

/** The program of our own chaincode, in the same folder as the bundle of this one. */
const OUR_CHAINCODE = fileURLToPath(new URL('./chaincode.js', import.meta.url));

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

/** What every step works with. */
export interface NetworkContext {
  readonly plan: NetworkPlan;
  readonly layout: NetworkLayout;
  readonly release: FabricRelease;
  /** What programs inherit. Fabric's own variables are not in it: they would override the configuration files. */
  readonly environment: Readonly<Record<string, string>>;
  /** Ends waiting and running commands. */
  readonly signal: AbortSignal;
  /** Reports a step to the user. */
  readonly progress: (text: string) => void;
  /** Remembers a process, so that it is ended by `down` or when a later step fails. */
  readonly keep: (process: StartedProcess) => void;
}

/** A chaincode that npm has to start takes its time. */
const READY_MS = 30_000;

/**
 * Starts the components together and waits until each listens.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.PROCESS_ENDED, FABRIC_NETWORK.NOT_READY
 */
export async function startComponents(
  components: readonly NetworkComponent[],
  context: NetworkContext,
  chaincodeId: string,
): Promise<void> {
  // Started one by one, so that whatever was started is remembered before something can fail.
  const started: StartedProcess[] = [];
  for (const { name } of components) {
    const log = context.layout.log(name);
    const process = await startProcess({ name, ...startCommand(name, context, chaincodeId), log });
    context.keep(process);
    started.push(process);
  }
  await Promise.all(
    components.map(async (component, index) => {
      const process = started[index];
      if (process !== undefined) await waitUntilReady(component, process, context);
    }),
  );
}

async function waitUntilReady(
  { name, ports }: NetworkComponent,
  process: StartedProcess,
  { plan, progress, signal }: NetworkContext,
): Promise<void> {
  for (const port of ports.map((portName) => plan.ports[portName])) {
    const ready = await waitUntil(() => isReady(port, process), { timeoutMs: READY_MS, signal });
    if (ready === undefined) {
      throw new FabricNetworkError(
        'FABRIC_NETWORK.NOT_READY',
        `the ${name} does not listen on ${LOOPBACK}:${port} after ${READY_MS / 1000} s: see ${process.log}`,
      );
    }
  }
  progress(`${name} listens on ${ports.map((portName) => `${LOOPBACK}:${plan.ports[portName]}`).join(' and ')}`);
}

async function isReady(port: number, process: StartedProcess): Promise<true | undefined> {
  const listening = await isListening(port);
  if (process.ending() !== undefined) throw endedEarly(process, `before it listened on ${LOOPBACK}:${port}`);
  return listening || undefined;
}

/**
 * What a chaincode served as a service finds in its environment: the variables that fabric-samples' external chaincode
 * reads.
 */
export function chaincodeEnvironment(
  { ports, chaincode }: NetworkPlan,
  { chaincodeTls: tls }: NetworkLayout,
  id: string,
): Readonly<Record<string, string>> {
  const service = {
    CHAINCODE_ID: id,
    CHAINCODE_SERVER_ADDRESS: `${LOOPBACK}:${ports.chaincode}`,
    // fabric-shim writes a line for each call at its default level, info.
    CORE_CHAINCODE_LOGGING_LEVEL: 'WARNING',
  };
  if (!chaincode.tls) return { ...service, CHAINCODE_TLS_DISABLED: 'true' };
  return {
    ...service,
    CHAINCODE_TLS_DISABLED: 'false',
    CHAINCODE_TLS_KEY: tls.serviceKey,
    CHAINCODE_TLS_CERT: tls.serviceCert,
    CHAINCODE_CLIENT_CA_CERT: tls.root,
  };
}
