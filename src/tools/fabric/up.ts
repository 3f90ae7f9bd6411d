import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { write, writeClientFiles } from './client-files.js';
import { chaincodePackage, deployChaincode, joinChannel, run, waitForOrderer, type NetworkContext } from './deploy.js';
import { waitForEndorsement } from './endorsement-probe.js';
import { FabricNetworkError } from './fabric-network.error.js';
import { parseVersion } from './find-binaries.js';
import { layoutOf, type NetworkLayout } from './network-layout.js';
import {
  ADVERTISED_HOST,
  CA,
  LOOPBACK,
  ORG1,
  ORG2,
  PEER_ORGANIZATIONS,
  requireFreePorts,
  type NetworkPlan,
} from './network-plan.js';
import {
  COMPONENT_PORTS,
  componentsOf,
  isListening,
  readRecord,
  requireIdle,
  writeRecord,
  type ComponentName,
  type NetworkRecord,
  type RecordedProcess,
} from './network-record.js';
import { CHANNEL_PROFILE, channelConfig, cryptoConfig, ordererConfig, peerConfig } from './node-configs.js';
import {
  endedEarly,
  identify,
  isAlive,
  startProcess,
  stopProcess,
  type ProcessIdentity,
  type ProcessToStart,
  type StartedProcess,
} from './processes.js';
import { runCommand, waitUntil } from './run-command.js';

/**
 * Makes a network by its plan, or starts the parts of an existing one that do not run. After a failure, everything that
 * this call started is stopped again.
 * @throws {@link FabricNetworkError}
 */
export async function up(plan: NetworkPlan, options: Omit<NetworkContext, 'plan' | 'layout'>): Promise<NetworkRecord> {
  const layout = layoutOf(plan.directory);
  const context = { plan, layout, ...options };
  const existing = requireOwnDirectory(layout);
  const fabricVersion = await versionOf(context);
  const running = (existing?.processes ?? []).filter(isAlive);
  const missing = componentsOf(plan).filter((name) => !running.some((process) => process.name === name));
  await requireFreePorts(
    missing.flatMap((name) => COMPONENT_PORTS[name]),
    plan.ports,
  );

  if (existing?.state === 'making') rmSync(layout.directory, { recursive: true });
  // The record comes before everything else, so that `down` finds the processes of an `up` that was killed.
  const started: RecordedProcess[] = [];
  const save = (state: NetworkRecord['state'], startedBy?: ProcessIdentity): NetworkRecord => {
    const record = { format: 1, state, plan, fabricVersion, processes: [...running, ...started], startedBy } as const;
    writeRecord(layout.record, record);
    return record;
  };
  const state = existing?.state ?? 'making';
  const self = identify(process.pid);
  save(state, self);
  const start = (chaincodeId: string): Promise<void> =>
    startComponents({ ...context, chaincodeId }, missing, ({ name, pid, started: at, log }) => {
      started.push({ name, pid, started: at, log });
      save(state, self);
    });
  try {
    if (state === 'making') await make(context, start);
    else if (missing.length === 0) options.progress('everything runs already');
    else await startAgain(context, start);
    return save('ready');
  } catch (error) {
    await Promise.all(started.splice(0).map(stopProcess));
    save(state);
    throw error;
  }
}

type Start = (chaincodeId: string) => Promise<void>;

async function make(context: NetworkContext, start: Start): Promise<void> {
  const { plan, layout, release, progress } = context;
  const { cryptogen, configtxgen } = release.binaries;
  write(layout.cryptoConfig, cryptoConfig());
  await run(context, cryptogen, ['generate', `--config=${layout.cryptoConfig}`, `--output=${layout.organizations}`]);
  progress('identities made: orderer, two peer organisations with Admin and User1, chaincode TLS');
  write(layout.channelConfig, channelConfig(plan, layout));
  await run(context, configtxgen, [
    ...['-profile', CHANNEL_PROFILE, '-channelID', plan.channel],
    ...['-outputBlock', layout.genesisBlock, '-configPath', dirname(layout.channelConfig)],
  ]);
  progress(`first block of ${plan.channel} made: Raft, blocks after ${plan.batchTimeout}, endorsed by both`);
  write(join(layout.orderer, 'orderer.yaml'), ordererConfig(plan, layout, release.ordererYaml));
  for (const organization of PEER_ORGANIZATIONS) {
    write(join(layout.peer(organization), 'core.yaml'), peerConfig(plan, layout, organization, release));
  }
  if (plan.ca) write(layout.registrarSecret, randomBytes(18).toString('base64url'));
  const { id, archive } = chaincodePackage(plan, layout);
  write(layout.chaincodePackage, archive);
  writeClientFiles(context);
  await start(id);
  await joinChannel(context);
  await waitForOrderer(context);
  await deployChaincode(context, id);
  await waitForEndorsement(context);
}

async function startAgain(context: NetworkContext, start: Start): Promise<void> {
  await start(chaincodePackage(context.plan, context.layout).id);
  await waitForOrderer(context);
  await waitForEndorsement(context);
}

/**
 * Returns the record of the network in the directory; changes nothing.
 * @throws {@link FabricNetworkError} DIRECTORY_IN_USE if it is in use, or contains something else
 */
function requireOwnDirectory(layout: NetworkLayout): NetworkRecord | undefined {
  const record = readRecord(layout.record);
  if (record !== undefined) requireIdle(record);
  if (record?.state === 'making' && record.processes.some(isAlive)) {
    throw new FabricNetworkError(
      'DIRECTORY_IN_USE',
      `an \`up\` in ${layout.directory} was killed and its processes still run: end them with \`down\` first`,
    );
  }
  if (record === undefined && existsSync(layout.directory) && readdirSync(layout.directory).length > 0) {
    throw new FabricNetworkError(
      'DIRECTORY_IN_USE',
      `${layout.directory} holds something else: choose an empty or new directory with --dir`,
    );
  }
  return record;
}

async function versionOf({ release, environment, signal }: NetworkContext): Promise<string> {
  const { peer } = release.binaries;
  const output = await runCommand({ command: peer, args: ['version'], env: environment, cwd: '/', signal });
  const version = parseVersion(output);
  if (version?.isSupported === false) {
    const message = `${peer} is Fabric ${version.text}: version 2.5 or later is needed`;
    throw new FabricNetworkError('VERSION_UNSUPPORTED', message);
  }
  return version?.text ?? 'unknown';
}

interface StartContext extends NetworkContext {
  readonly chaincodeId: string;
}

/** A chaincode that npm starts needs several seconds. */
const READY_MS = 30_000;

/**
 * Starts components together and waits until each listens.
 * @throws {@link FabricNetworkError} PROCESS_ENDED, NOT_READY
 */
async function startComponents(
  context: StartContext,
  names: readonly ComponentName[],
  onStarted: (process: RecordedProcess) => void,
): Promise<void> {
  const waits: (() => Promise<void>)[] = [];
  // Started one by one, so that each is recorded before the next one can fail.
  for (const name of names) {
    const log = context.layout.log(name);
    const process = await startProcess({ name, log, ...startCommand(name, context) });
    onStarted(process);
    waits.push(() => waitUntilListening(name, process, context));
  }
  await Promise.all(waits.map((wait) => wait()));
}

async function waitUntilListening(
  name: ComponentName,
  process: StartedProcess,
  { plan, progress, signal }: NetworkContext,
): Promise<void> {
  const ports = COMPONENT_PORTS[name].map((port) => plan.ports[port]);
  for (const port of ports) {
    const isReady = async (): Promise<true | undefined> => {
      const listening = await isListening(port);
      if (process.ending() !== undefined) throw endedEarly(process, `before it listened on ${LOOPBACK}:${port}`);
      return listening || undefined;
    };
    if (await waitUntil(isReady, { timeoutMs: READY_MS, signal })) continue;
    throw new FabricNetworkError(
      'NOT_READY',
      `the ${name} does not listen on ${LOOPBACK}:${port} after ${READY_MS / 1000} s: see ${process.log}`,
    );
  }
  progress(`${name} listens on ${ports.map((port) => `${LOOPBACK}:${port}`).join(' and ')}`);
}

/** The program of this project's chaincode, in the same folder as the bundle of this one. */
const OUR_CHAINCODE = fileURLToPath(new URL('./chaincode.js', import.meta.url));

/** Returns the command that starts a component of a network whose files exist. */
function startCommand(name: ComponentName, context: StartContext): Omit<ProcessToStart, 'name' | 'log'> {
  const { plan, layout, release, environment } = context;
  const { orderer, peer, ca = 'fabric-ca-server' } = release.binaries;
  switch (name) {
    case 'orderer':
      return {
        command: orderer,
        args: [],
        env: { ...environment, FABRIC_CFG_PATH: layout.orderer },
        cwd: layout.orderer,
      };
    case 'peer-org1':
    case 'peer-org2': {
      const cwd = layout.peer(name === 'peer-org1' ? ORG1 : ORG2);
      return { command: peer, args: ['node', 'start'], env: { ...environment, FABRIC_CFG_PATH: cwd }, cwd };
    }
    case 'ca':
      return { command: ca, args: caArguments(plan, layout), env: caEnvironment(context), cwd: layout.ca };
    case 'chaincode': {
      const env = { ...environment, ...chaincodeEnvironment(plan, layout, context.chaincodeId) };
      const { command, workingDirectory = resolve('.') } = plan.chaincode;
      if (command !== undefined) return { command: '/bin/sh', args: ['-c', command], env, cwd: workingDirectory };
      // grpc-js warns of calls that fabric-shim still makes.
      const args = ['--no-deprecation', OUR_CHAINCODE, 'serve'];
      return { command: process.execPath, args, env, cwd: layout.directory };
    }
  }
}

/**
 * Org1's Fabric CA. It signs with Org1's own root, so that the peers accept the identities that it issues; its TLS
 * certificate it issues itself at the first start. The rest of its configuration is its own default.
 */
function caArguments({ ports }: NetworkPlan, { ca, caIdentity }: NetworkLayout): readonly string[] {
  return [
    ...['start', '--home', ca, '--address', LOOPBACK, '--port', String(ports.ca), '--tls.enabled'],
    ...['--ca.name', CA.host, '--ca.certfile', caIdentity.cert, '--ca.keyfile', caIdentity.key],
    ...['--csr.cn', CA.host, '--csr.hosts', [ADVERTISED_HOST, LOOPBACK, CA.host].join(',')],
  ];
}

/** The registrar's secret is not an argument, because other users of the machine can read those. */
function caEnvironment({ environment, layout }: NetworkContext): Readonly<Record<string, string>> {
  return {
    ...environment,
    FABRIC_CA_SERVER_BOOT: `${CA.registrar}:${readFileSync(layout.registrarSecret, 'utf8')}`,
    FABRIC_CA_SERVER_OPERATIONS_LISTENADDRESS: `${LOOPBACK}:0`,
  };
}

/** Returns the variables for a chaincode that runs as a service, as fabric-samples' external chaincode reads them. */
export function chaincodeEnvironment(
  { ports, chaincode }: NetworkPlan,
  { chaincodeTls: tls }: NetworkLayout,
  id: string,
): Readonly<Record<string, string>> {
  return {
    CHAINCODE_ID: id,
    CHAINCODE_SERVER_ADDRESS: `${LOOPBACK}:${ports.chaincode}`,
    // fabric-shim writes a line for each call at its default level, info.
    CORE_CHAINCODE_LOGGING_LEVEL: 'WARNING',
    CHAINCODE_TLS_DISABLED: String(!chaincode.tls),
    ...(chaincode.tls && {
      CHAINCODE_TLS_KEY: tls.serviceKey,
      CHAINCODE_TLS_CERT: tls.serviceCert,
      CHAINCODE_CLIENT_CA_CERT: tls.root,
    }),
  };
}
