import { rmSync } from 'node:fs';
import { FabricNetworkError } from './errors/fabric-network.error.js';
import { NetworkLayout } from './plan/network-layout.js';
import { isAlive } from './processes/process-identity.js';
import { stopProcess } from './processes/stop-process.js';
import { readRecord, writeRecord } from './record/network-record.js';

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
