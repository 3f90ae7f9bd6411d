import { NetworkLayout } from './plan/network-layout.js';
import { LOOPBACK } from './plan/network-ports.js';
import { isListening } from './processes/is-listening.js';
import { isAlive } from './processes/process-identity.js';
import { readRecord, type NetworkRecord } from './record/network-record.js';
import { componentsOf, type ComponentName } from './steps/network-components.js';

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
