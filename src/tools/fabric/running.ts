import { rmSync } from 'node:fs';
import { componentsOf, type ComponentName } from './components.js';
import { FabricNetworkError } from './fabric-network.error.js';
import { NetworkLayout } from './network-layout.js';
import { LOOPBACK, isListening } from './network-ports.js';
import { readRecord, writeRecord, type NetworkRecord } from './network-record.js';
import { isAlive, stopProcess } from './processes.js';

/** How one part of the network is. */
export interface ComponentStatus {
  readonly name: ComponentName;
  /** `silent`: the process runs, but a port of it does not take connections. */
  readonly state: 'up' | 'down' | 'silent';
  readonly pid?: number;
  readonly addresses: readonly string[];
  readonly log: string;
}

/** How a network is. */
export interface NetworkStatus {
  readonly record: NetworkRecord;
  readonly components: readonly ComponentStatus[];
  /** Whether all of it is up. */
  readonly isUp: boolean;
}

/** Looks at each part of the network in the directory; undefined when there is none. */
export async function status(directory: string): Promise<NetworkStatus | undefined> {
  const layout = new NetworkLayout(directory);
  const record = readRecord(layout.record);
  if (record === undefined) return undefined;
  const components = await Promise.all(
    componentsOf(record.plan).map(async ({ name, ports }): Promise<ComponentStatus> => {
      const numbers = ports.map((port) => record.plan.ports[port]);
      const found = record.processes.find((process) => process.name === name && isAlive(process));
      const common = { name, addresses: numbers.map((port) => `${LOOPBACK}:${port}`), log: layout.log(name) };
      if (found === undefined) return { ...common, state: 'down' };
      const answers = await Promise.all(numbers.map(isListening));
      return { ...common, state: answers.every(Boolean) ? 'up' : 'silent', pid: found.pid };
    }),
  );
  return { record, components, isUp: record.state === 'ready' && components.every(({ state }) => state === 'up') };
}

/** What `down` ended. */
export interface DownResult {
  /** Names of the processes that ran. */
  readonly ended: readonly string[];
  readonly isRemoved: boolean;
}

/**
 * Ends what `up` started in the directory, the last one first, and nothing else: a process is known by its number and
 * its start.
 * @returns undefined when there is no network
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.DIRECTORY_IN_USE while an `up` works there
 */
export async function down(directory: string, removeData: boolean): Promise<DownResult | undefined> {
  const layout = new NetworkLayout(directory);
  const record = readRecord(layout.record);
  if (record === undefined) return undefined;
  const { startedBy, ...rest } = record;
  if (startedBy !== undefined && isAlive(startedBy)) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.DIRECTORY_IN_USE',
      `an \`up\` (pid ${startedBy.pid}) works in ${directory}: wait for it or end it`,
    );
  }
  const ended: string[] = [];
  for (const process of record.processes.toReversed()) {
    if (await stopProcess(process)) ended.push(process.name);
  }
  writeRecord(layout.record, { ...rest, processes: [] });
  if (removeData) rmSync(directory, { recursive: true });
  return { ended, isRemoved: removeData };
}
