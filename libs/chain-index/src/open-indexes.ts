import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { directoryFault, makeDirectory } from '#files';
import { type LedgerChannel, type LedgerError, type LedgerLogger, misconfigured } from '#ledger-gateway';
import type { ChainLists } from '#ledger-gateway/driver';
import { ChainIndex } from './chain-index.js';

/** Where the indexes of a ledger's channels are. */
export interface IndexesOptions {
  readonly directory: string;
  readonly logger?: LedgerLogger | undefined;
}

/** Codes of a file system that will refuse an index as long as nothing is configured differently. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR']);

/**
 * Returns what opens the index of a channel. A full disk is no error here: the index reports it, and everything else works.
 * @throws `LEDGER.MISCONFIGURED` when the directory cannot be written
 */
export function indexOpener({
  directory,
  ...options
}: IndexesOptions): (channel: LedgerChannel, scans: ChainLists, chaincode: string | undefined) => ChainIndex {
  requireWritable(directory);
  return (source, scans, chaincode) => new ChainIndex({ ...options, directory, source, scans, chaincode });
}

/**
 * Checks that {@link indexOpener} would succeed, and writes nothing.
 * @throws `LEDGER.MISCONFIGURED`
 */
export function checkIndexDirectory(directory: string): void {
  const code = directoryFault(directory);
  if (REFUSALS.has(code)) throw notWritable(directory, String(code));
}

function requireWritable(directory: string): void {
  const probe = join(directory, `.${process.pid}.probe`);
  try {
    makeDirectory(directory);
    closeSync(openSync(probe, 'w', 0o600));
    rmSync(probe);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (!REFUSALS.has(code)) return;
    throw notWritable(directory, message);
  }
}

function notWritable(directory: string, reason: string): LedgerError {
  const advice = 'Make it writable, set LEDGER_INDEX_DIR to another one, or set LEDGER_INDEX_DIR=off.';
  return misconfigured(
    `The directory ${directory} for the indexes of the channels cannot be written (${reason}). ${advice}`,
  );
}
