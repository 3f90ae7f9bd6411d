import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  chaincodePackage,
  commitChaincode,
  installChaincode,
  joinChannel,
  run,
  waitForEndorsement,
  waitForOrderer,
  type NetworkContext,
} from './deploy.js';
import { parseVersion } from './find-binaries.js';
import {
  ADVERTISED_HOST,
  CA,
  chaincodesOf,
  channelsOf,
  type DeployedChaincode,
  layoutOf,
  LOOPBACK,
  type NetworkLayout,
  type NetworkPlan,
  ORG1,
  ORG2,
  PEER_ORGANIZATIONS,
  requireFreePorts,
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
} from './network-record.js';
import {
  CHANNEL_PROFILE,
  channelConfig,
  cryptoConfig,
  ordererConfig,
  peerConfig,
  recordsCollections,
  write,
  writeClientFiles,
} from './network-files.js';
import {
  endedEarly,
  FabricNetworkError,
  identify,
  isAlive,
  runCommand,
  startProcess,
  stopProcess,
  waitUntil,
  type Command,
  type ProcessIdentity,
  type RecordedProcess,
  type StartedProcess,
} from './processes.js';

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

  const state = existing?.state ?? 'making';
  const isNew = state === 'making';
  if (existing !== undefined && isNew) rmSync(layout.directory, { recursive: true });
  // The record comes before everything else, so that `down` finds the processes of an `up` that was killed.
  const started: RecordedProcess[] = [];
  const save = (present: NetworkRecord['state'], startedBy?: ProcessIdentity): NetworkRecord => {
    const processes = [...running, ...started];
    const record = { format: 1, state: present, plan, fabricVersion, processes, startedBy } as const;
    writeRecord(layout.record, record);
    return record;
  };
  const self = identify(process.pid);
  save(state, self);
  try {
    const start = (): Promise<void> =>
      startComponents(context, missing, (process) => {
        started.push(process);
        save(state, self);
      });
    if (missing.length === 0) options.progress('everything runs already');
    else await takeSteps(context, isNew, start);
    return save('ready');
  } catch (error) {
    await Promise.all(started.splice(0).map(stopProcess));
    save(state);
    throw error;
  }
}

async function takeSteps(context: NetworkContext, isNew: boolean, start: () => Promise<void>): Promise<void> {
  if (isNew) await writeFiles(context);
  await start();
  const channels = channelsOf(context.plan);
  for (const channel of channels) {
    if (isNew) await joinChannel(context, channel);
    await waitForOrderer(context, channel);
  }
  for (const chaincode of chaincodesOf(context.plan)) {
    if (isNew) await installChaincode(context, chaincode);
    for (const channel of channels) {
      if (isNew) await commitChaincode(context, chaincode, channel);
      await waitForEndorsement(context, chaincode, channel);
    }
  }
}

/** Makes the identities, the first block of each channel, and the files of all nodes and clients. */
async function writeFiles(context: NetworkContext): Promise<void> {
  const { plan, layout, release, progress } = context;
  const { cryptogen, configtxgen } = release.binaries;
  write(layout.cryptoConfig, cryptoConfig());
  await run(context, cryptogen, ['generate', `--config=${layout.cryptoConfig}`, `--output=${layout.organizations}`]);
  progress('identities made: orderer, two peer organisations with Admin and User1, chaincode TLS');
  write(layout.channelConfig, channelConfig(plan, layout));
  for (const channel of channelsOf(plan)) {
    await run(context, configtxgen, [
      ...['-profile', CHANNEL_PROFILE, '-channelID', channel],
      ...['-outputBlock', layout.genesisBlock(channel), '-configPath', dirname(layout.channelConfig)],
    ]);
    progress(`first block of ${channel} made: Raft, blocks after ${plan.batchTimeout}, endorsed by both`);
  }
  write(join(layout.orderer, 'orderer.yaml'), ordererConfig(plan, layout, release.ordererYaml));
  for (const organization of PEER_ORGANIZATIONS) {
    write(join(layout.peer(organization), 'core.yaml'), peerConfig(plan, layout, organization, release));
  }
  if (plan.ca) write(layout.registrarSecret, randomBytes(18).toString('base64url'));
  for (const each of chaincodesOf(plan)) {
    write(layout.chaincodePackage(each.part), chaincodePackage(plan, layout, each).archive);
  }
  if (plan.records !== undefined) write(layout.collections, recordsCollections());
  writeClientFiles(plan, layout);
  progress(`connection profiles, wallet, PEM files and .env written to ${layout.directory}`);
}

/**
 * Returns the record of the network in the directory; changes nothing.
 * @throws {@link FabricNetworkError} DIRECTORY_IN_USE if it is in use, or contains something else
 */
function requireOwnDirectory({ directory, record: file }: NetworkLayout): NetworkRecord | undefined {
  const record = readRecord(file);
  if (record !== undefined) requireIdle(record);
  if (record?.state === 'making' && record.processes.some(isAlive)) {
    const text = `an \`up\` in ${directory} was killed and its processes still run: stop them with \`down\` first`;
    throw new FabricNetworkError('DIRECTORY_IN_USE', text);
  }
  if (record === undefined && existsSync(directory) && readdirSync(directory).length > 0) {
    const text = `${directory} holds something else: choose an empty or new directory with --dir`;
    throw new FabricNetworkError('DIRECTORY_IN_USE', text);
  }
  return record;
}

async function versionOf({ release, environment: env, signal }: NetworkContext): Promise<string> {
  const { peer } = release.binaries;
  const version = parseVersion(await runCommand({ command: peer, args: ['version'], env, cwd: '/' }, { signal }));
  if (version?.isSupported === false) {
    const message = `${peer} is Fabric ${version.text}: version 2.5 or later is needed`;
    throw new FabricNetworkError('VERSION_UNSUPPORTED', message);
  }
  return version?.text ?? 'unknown';
}

/** A chaincode that npm starts needs several seconds. */
const READY_MS = 30_000;

/**
 * Starts components together and waits until each listens.
 * @throws {@link FabricNetworkError} PROCESS_ENDED, NOT_READY
 */
async function startComponents(
  context: NetworkContext,
  names: readonly ComponentName[],
  onStarted: (process: RecordedProcess) => void,
): Promise<void> {
  const all: [ComponentName, StartedProcess][] = [];
  // Started one by one, so that each is recorded before the next one can fail.
  for (const name of names) {
    const process = await startProcess({ name, log: context.layout.log(name) }, startCommand(name, context));
    onStarted(process);
    all.push([name, process]);
  }
  await Promise.all(all.map(([name, process]) => waitUntilListening(name, process, context)));
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
    const text = `the ${name} does not listen on ${LOOPBACK}:${port} after ${READY_MS / 1000} s: see ${process.log}`;
    throw new FabricNetworkError('NOT_READY', text);
  }
  progress(`${name} listens on ${ports.map((port) => `${LOOPBACK}:${port}`).join(' and ')}`);
}

/** The program of this project's chaincode, in the same folder as the bundle of this one. */
const OUR_CHAINCODE = fileURLToPath(new URL('./chaincode.js', import.meta.url));

/** Returns the command that starts a component of a network whose files exist. */
function startCommand(name: ComponentName, { plan, layout, release, environment }: NetworkContext): Command {
  const { orderer, peer, ca = 'fabric-ca-server' } = release.binaries;
  const node = (command: string, args: readonly string[], cwd: string): Command => {
    return { command, args, env: { ...environment, FABRIC_CFG_PATH: cwd }, cwd };
  };
  switch (name) {
    case 'orderer':
      return node(orderer, [], layout.orderer);
    case 'peer-org1':
      return node(peer, ['node', 'start'], layout.peer(ORG1));
    case 'peer-org2':
      return node(peer, ['node', 'start'], layout.peer(ORG2));
    case 'ca': {
      const env = { ...environment, ...caEnvironment(layout) };
      return { command: ca, args: caArguments(plan, layout), env, cwd: layout.ca };
    }
    case 'chaincode':
      return chaincodeCommand({ part: name, plan: plan.chaincode }, { plan, layout, environment });
    case 'records':
      return chaincodeCommand({ part: name, plan: plan.records ?? plan.chaincode }, { plan, layout, environment });
  }
}

function chaincodeCommand(
  chaincode: DeployedChaincode,
  { plan, layout, environment }: Pick<NetworkContext, 'plan' | 'layout' | 'environment'>,
): Command {
  const env = { ...environment, ...chaincodeEnvironment(chaincode, { plan, layout }) };
  const { command, workingDirectory = resolve('.') } = chaincode.plan;
  if (command !== undefined) return { command: '/bin/sh', args: ['-c', command], env, cwd: workingDirectory };
  const contract = chaincode.part === 'records' ? 'records' : 'assets';
  // grpc-js warns of calls that fabric-shim still makes.
  const args = ['--no-deprecation', OUR_CHAINCODE, 'serve', '--contract', contract];
  return { command: process.execPath, args, env, cwd: layout.directory };
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
function caEnvironment({ registrarSecret }: NetworkLayout): Readonly<Record<string, string>> {
  return {
    FABRIC_CA_SERVER_BOOT: `${CA.registrar}:${readFileSync(registrarSecret, 'utf8')}`,
    FABRIC_CA_SERVER_OPERATIONS_LISTENADDRESS: `${LOOPBACK}:0`,
  };
}

/** Returns the variables for a chaincode that runs as a service, as fabric-samples' external chaincode reads them. */
export function chaincodeEnvironment(
  chaincode: DeployedChaincode,
  { plan, layout }: Pick<NetworkContext, 'plan' | 'layout'>,
): Readonly<Record<string, string>> {
  const { chaincodeTls: tls } = layout;
  return {
    CHAINCODE_ID: chaincodePackage(plan, layout, chaincode).id,
    CHAINCODE_SERVER_ADDRESS: `${LOOPBACK}:${plan.ports[chaincode.part]}`,
    // fabric-shim writes a line for each call at its default level, info.
    CORE_CHAINCODE_LOGGING_LEVEL: 'WARNING',
    CHAINCODE_TLS_DISABLED: String(!chaincode.plan.tls),
    ...(chaincode.plan.tls && {
      CHAINCODE_TLS_KEY: tls.serviceKey,
      CHAINCODE_TLS_CERT: tls.serviceCert,
      CHAINCODE_CLIENT_CA_CERT: tls.root,
    }),
  };
}
