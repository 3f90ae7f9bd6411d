import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLedgerError, type Ledger, type LedgerCall, type LedgerError, type LedgerErrorCode } from '#ledger-gateway';
import { createEmbeddedLedger } from '../index.js';
import type { EmbeddedLedgerOptions } from '../handover/open-embedded-ledger.js';

export const NAMES = { channel: 'mychannel', chaincode: 'basic', mspId: 'Org1MSP' } as const;

/** A directory that its test removes. */
export class TemporaryDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'ledger-'));

  file(...names: string[]): string {
    return join(this.path, ...names);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export function openLedger(dataDir: string, options: Partial<EmbeddedLedgerOptions> = {}): Promise<Ledger> {
  return createEmbeddedLedger({ dataDir, ...NAMES, ...options });
}

export const createAsset = (id: string, owner = 'Tomoko'): LedgerCall => ({
  function: 'CreateAsset',
  arguments: [id, 'blue', '5', owner, '300'],
});

/** Opens a ledger, creates that many assets (`asset-0` …) in several blocks, changes some, and closes it. */
export async function fillLedger(dataDir: string, assets: number): Promise<void> {
  const ledger = await openLedger(dataDir);
  const channel = ledger;
  await channel.submit({ function: 'InitLedger', arguments: [] });
  await Promise.all(Array.from({ length: assets }, (_, n) => channel.submit(createAsset(`asset-${n}`))));
  await channel.submit({ function: 'TransferAsset', arguments: ['asset1', 'Ann'] });
  await channel.submit({ function: 'DeleteAsset', arguments: ['asset2'] });
  await ledger.close();
}

/** The error that a promise ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<LedgerError> {
  const outcome = await promise.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
  if (isLedgerError(outcome)) return outcome;
  throw outcome;
}

export async function codeOf(promise: Promise<unknown>): Promise<LedgerErrorCode> {
  return (await failureOf(promise)).code;
}
