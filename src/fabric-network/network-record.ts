import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { layoutOf, LOOPBACK, type NetworkPlan, type PortName } from './network-plan.js';
import { FabricNetworkError, isAlive, stopProcess, type ProcessIdentity, type RecordedProcess } from './processes.js';

/** The record of a network, in its directory. */
export interface NetworkRecord {
  readonly format: 1;
  /** `ready` once the chaincode is deployed on the channel: such a network can be started again as it is. */
  readonly state: 'making' | 'ready';
  readonly plan: NetworkPlan;
  /** Version of the peer binary that made it. */
  readonly fabricVersion: string;
  /** In the order in which they were started. */
  readonly processes: readonly RecordedProcess[];
  /** The `up` that is running. */
  readonly startedBy?: ProcessIdentity | undefined;
}

/**
 * Reads the record.
 * @returns undefined if there is none
 * @throws {@link FabricNetworkError} DIRECTORY_IN_USE if the file is something else
 */
export function readRecord(file: string): NetworkRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(file, 'utf8')) as NetworkRecord | null;
    if (record?.format === 1) return record;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new FabricNetworkError(
    'DIRECTORY_IN_USE',
    `${file} is not a network record of this version: choose another directory with --dir, or remove it`,
  );
}

/** Writes the record atomically, because a `down` may read it at any time. */
export function writeRecord(file: string, record: NetworkRecord): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

/** @throws {@link FabricNetworkError} DIRECTORY_IN_USE while an `up` works in the directory */
export function requireIdle({ startedBy, plan }: NetworkRecord): void {
  if (startedBy === undefined || !isAlive(startedBy)) return;
  throw new FabricNetworkError(
    'DIRECTORY_IN_USE',
    `another \`up\` (pid ${startedBy.pid}) works in ${plan.directory}: wait for it or stop it`,
  );
}

export type ComponentName = 'orderer' | 'peer-org1' | 'peer-org2' | 'ca' | 'chaincode' | 'records';

/** The parts of a network with the ports that they listen on, in the order in which they are started. */
export const COMPONENT_PORTS: Readonly<Record<ComponentName, readonly PortName[]>> = {
  orderer: ['orderer', 'ordererAdmin'],
  'peer-org1': ['peerOrg1'],
  'peer-org2': ['peerOrg2'],
  ca: ['ca'],
  chaincode: ['chaincode'],
  records: ['records'],
};

/** Returns the parts of a network. */
export function componentsOf({ ca, records }: NetworkPlan): readonly ComponentName[] {
  const absent = [...(ca ? [] : ['ca']), ...(records === undefined ? ['records'] : [])];
  return (Object.keys(COMPONENT_PORTS) as ComponentName[]).filter((name) => !absent.includes(name));
}

/** The state of a network. */
export interface NetworkStatus {
  readonly record: NetworkRecord;
  readonly components: readonly ComponentStatus[];
  /** Whether all of it is up. */
  readonly isUp: boolean;
}

/** The state of one part. */
export interface ComponentStatus {
  readonly name: ComponentName;
  /** `silent`: the process runs, but a port of it does not accept connections. */
  readonly state: 'up' | 'down' | 'silent';
  readonly pid?: number;
  readonly addresses: readonly string[];
  readonly log: string;
}

/** Returns the state of the network in a directory; undefined if there is none. */
export async function status(directory: string): Promise<NetworkStatus | undefined> {
  const layout = layoutOf(directory);
  const record = readRecord(layout.record);
  if (record === undefined) return undefined;
  const components = await Promise.all(
    componentsOf(record.plan).map(async (name): Promise<ComponentStatus> => {
      const ports = COMPONENT_PORTS[name].map((port) => record.plan.ports[port]);
      const found = record.processes.find((process) => process.name === name && isAlive(process));
      const common = { name, addresses: ports.map((port) => `${LOOPBACK}:${port}`), log: layout.log(name) };
      if (found === undefined) return { ...common, state: 'down' };
      const answers = await Promise.all(ports.map(isListening));
      return { ...common, state: answers.every(Boolean) ? 'up' : 'silent', pid: found.pid };
    }),
  );
  return { record, components, isUp: record.state === 'ready' && components.every(({ state }) => state === 'up') };
}

const CONNECT_MS = 1000;

/** Returns whether a TCP connection to a port on loopback succeeds. */
export async function isListening(port: number): Promise<boolean> {
  const socket = connect({ port, host: LOOPBACK });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Stops the processes that `up` started in a directory, the last one first, and no others: a process is identified by
 * its number and its start time.
 * @returns the names of the processes that ran; undefined if there is no network
 * @throws {@link FabricNetworkError} DIRECTORY_IN_USE while an `up` works there
 */
export async function down(directory: string, removeData: boolean): Promise<readonly string[] | undefined> {
  const file = layoutOf(directory).record;
  const record = readRecord(file);
  if (record === undefined) return undefined;
  requireIdle(record);
  const stopped: string[] = [];
  for (const process of record.processes.toReversed()) {
    if (await stopProcess(process)) stopped.push(process.name);
  }
  writeRecord(file, { ...record, startedBy: undefined, processes: [] });
  if (removeData) rmSync(directory, { recursive: true });
  return stopped;
}
