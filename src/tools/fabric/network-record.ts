import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { FabricNetworkError } from './fabric-network.error.js';
import type { NetworkPlan } from './network-plan.js';
import type { ProcessIdentity } from './processes.js';

/** A process of the network that was left running. */
export interface RecordedProcess extends ProcessIdentity {
  readonly name: string;
  readonly log: string;
}

/** What is remembered of a network in its directory. */
export interface NetworkRecord {
  readonly format: 1;
  /** `ready` once the channel and the chaincode are there: such a network can be started again as it is. */
  readonly state: 'making' | 'ready';
  readonly plan: NetworkPlan;
  /** Version of the peer binary that made it. */
  readonly fabricVersion: string;
  /** In the order in which they were started. */
  readonly processes: readonly RecordedProcess[];
  /** The program that makes or starts it right now. */
  readonly startedBy?: ProcessIdentity;
}

/**
 * Reads the record.
 * @returns undefined when there is none
 * @throws {@link FabricNetworkError} FABRIC_NETWORK.DIRECTORY_IN_USE when the file there is something else
 */
export function readRecord(file: string): NetworkRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
  const record = parse(text);
  if (record?.format !== 1) {
    throw new FabricNetworkError(
      'FABRIC_NETWORK.DIRECTORY_IN_USE',
      `${file} is not a network record of this version: choose another directory with --dir, or remove it`,
    );
  }
  return record;
}

/** Writes the record whole or not at all: a `down` may read it at any time. */
export function writeRecord(file: string, record: NetworkRecord): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(`${file}.new`, `${JSON.stringify(record, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
}

function parse(text: string): NetworkRecord | undefined {
  try {
    return JSON.parse(text) as NetworkRecord;
  } catch {
    return undefined;
  }
}
