import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { writeClientFiles } from './client-files.js';
import { componentsOf, startComponents, type NetworkComponent, type NetworkContext } from './components.js';
import { chaincodePackage, deployChaincode, joinChannel, waitForOrderer } from './deploy.js';
import { waitForEndorsement } from './endorsement-probe.js';
import { FabricNetworkError } from './fabric-network.error.js';
import { parseVersion, type FabricRelease } from './find-binaries.js';
import { makeGenesisBlock, makeIdentities, makeNodeConfigs, write } from './make-files.js';
import { NetworkLayout } from './network-layout.js';
import type { NetworkPlan } from './network-plan.js';
import { requireFreePorts } from './network-ports.js';
import { readRecord, writeRecord, type NetworkRecord, type RecordedProcess } from './network-record.js';
import { identify, isAlive, stopProcess } from './processes.js';
import { runCommand } from './run-command.js';

/** The options of `up` in addition to the plan. */
export interface UpOptions {
  readonly release: FabricRelease;
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/**
 * Makes a network by its plan, or starts again what of it does not run. Whatever goes wrong, all that this call
 * started is ended before it throws.
 * @throws {@link FabricNetworkError}
 */
export async function up(plan: NetworkPlan, options: UpOptions): Promise<NetworkRecord> {
  const layout = new NetworkLayout(plan.directory);
  const record = requireOwnDirectory(layout);
  const fabricVersion = await versionOf(options);
  const running = (record?.processes ?? []).filter(isAlive);
  const missing = componentsOf(plan).filter(({ name }) => !running.some((process) => process.name === name));
  await requireFreePorts(portsOf(missing, plan));

  // From here on the directory holds a record, by which `down` knows it, whatever happens.
  if (record?.state === 'making') rmSync(layout.directory, { recursive: true });
  mkdirSync(layout.directory, { recursive: true, mode: 0o700 });
  const session = new Session(layout, { plan, fabricVersion, running, isReady: record?.state === 'ready' });
  const context: NetworkContext = { plan, layout, ...options, keep: session.keep };
  try {
    if (record?.state === 'ready') await startAgain(context, missing);
    else await make(context, missing);
    return session.finish();
  } catch (error) {
    await session.endStarted();
    throw error;
  }
}

async function make(context: NetworkContext, components: readonly NetworkComponent[]): Promise<void> {
  const { plan, layout } = context;
  await makeIdentities(context);
  await makeGenesisBlock(context);
  makeNodeConfigs(context);
  const { id, archive } = chaincodePackage(plan, layout);
  write(layout.chaincodePackage, archive);
  writeClientFiles(context);
  await startComponents(components, context, id);
  await joinChannel(context);
  await waitForOrderer(context);
  await deployChaincode(context, id);
  await askChaincode(context);
}

async function startAgain(context: NetworkContext, missing: readonly NetworkComponent[]): Promise<void> {
  if (missing.length === 0) {
    context.progress('everything runs already');
    return;
  }
  const { id } = chaincodePackage(context.plan, context.layout);
  await startComponents(missing, context, id);
  await waitForOrderer(context);
  await askChaincode(context);
}

async function askChaincode(context: NetworkContext): Promise<void> {
  if (context.plan.chaincode.probe === '') return;
  await waitForEndorsement(context);
  context.progress('both organisations endorse calls of the chaincode');
}

/**
 * Gives the record of what is in the directory; changes nothing.
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.DIRECTORY_IN_USE when it is in use, or holds something else
 */
function requireOwnDirectory(layout: NetworkLayout): NetworkRecord | undefined {
  const record = readRecord(layout.record);
  if (record?.startedBy !== undefined && isAlive(record.startedBy)) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.DIRECTORY_IN_USE',
      `another \`up\` (pid ${record.startedBy.pid}) works in ${layout.directory}: wait for it or end it`,
    );
  }
  if (record?.state === 'making' && record.processes.some(isAlive)) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.DIRECTORY_IN_USE',
      `an \`up\` in ${layout.directory} was cut off and its processes run still: end them with \`down\` first`,
    );
  }
  if (record === undefined && existsSync(layout.directory) && readdirSync(layout.directory).length > 0) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.DIRECTORY_IN_USE',
      `${layout.directory} holds something else: choose an empty or new directory with --dir`,
    );
  }
  return record;
}

async function versionOf({ release, environment, signal }: UpOptions): Promise<string> {
  const output = await runCommand({
    command: release.binaries.peer,
    args: ['version'],
    env: environment,
    cwd: '/',
    signal,
  });
  const version = parseVersion(output);
  if (version?.isSupported === false) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.VERSION_UNSUPPORTED',
      `${release.binaries.peer} is Fabric ${version.text}: version 2.5 or later is needed`,
    );
  }
  return version?.text ?? 'unknown';
}

function portsOf(components: readonly NetworkComponent[], { ports }: NetworkPlan): Readonly<Record<string, number>> {
  return Object.fromEntries(components.flatMap((component) => component.ports.map((name) => [name, ports[name]])));
}

interface SessionStart {
  readonly plan: NetworkPlan;
  readonly fabricVersion: string;
  readonly running: readonly RecordedProcess[];
  readonly isReady: boolean;
}

/** Keeps the record true while processes come and go. */
class Session {
  readonly #layout: NetworkLayout;
  readonly #start: SessionStart;
  readonly #started: RecordedProcess[] = [];

  constructor(layout: NetworkLayout, start: SessionStart) {
    this.#layout = layout;
    this.#start = start;
    this.#write(start.isReady, true);
  }

  readonly keep = ({ name, pid, started, log }: RecordedProcess): void => {
    this.#started.push({ name, pid, started, log });
    this.#write(this.#start.isReady, true);
  };

  finish(): NetworkRecord {
    return this.#write(true, false);
  }

  async endStarted(): Promise<void> {
    await Promise.all(this.#started.splice(0).map(stopProcess));
    this.#write(this.#start.isReady, false);
  }

  #write(isReady: boolean, isWorking: boolean): NetworkRecord {
    const self = identify(process.pid);
    const record: NetworkRecord = {
      format: 1,
      state: isReady ? 'ready' : 'making',
      plan: this.#start.plan,
      fabricVersion: this.#start.fabricVersion,
      processes: [...this.#start.running, ...this.#started],
      ...(isWorking && self !== undefined && { startedBy: self }),
    };
    writeRecord(this.#layout.record, record);
    return record;
  }
}
