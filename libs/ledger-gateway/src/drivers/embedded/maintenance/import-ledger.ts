import { existsSync, rmSync } from 'node:fs';
import { LedgerError } from '../../../errors/ledger.errors.js';
import { DataDirectory, type LedgerNames } from '../store/directory/data-directory.js';
import { makeDirectory } from '../../../files/durable-files.js';
import { copyIdentities, IdentityStore, requireMembers } from '../store/identities/identity-store.js';
import { HeadPin } from '../store/head-pin.js';
import { buildStore, type TakenBlock } from './build-store.js';
import { ChainCheck } from './chain-check.js';
import type { ChainPins } from './chain-pins.js';
import { exportedChain, openBlock, readExportManifest, type ChainSource, type Progress } from './chain-source.js';
import { DerivedState } from './derived-state.js';
import { examineChain } from './examine-chain.js';
import { FindingList } from './finding-list.js';

/** What {@link importLedger} needs. */
export interface LedgerImport extends ChainPins {
  /** A directory of exported blocks. */
  readonly source: string;
  /** A directory without a ledger. */
  readonly dataDir: string;
  /** An `identities` directory, as a backup holds it; without it the ledger can be read only. */
  readonly keys?: string | undefined;
  readonly progress?: Progress;
}

/** What an import made. */
export interface ImportedLedger extends LedgerNames {
  readonly height: number;
  readonly hash: string;
}

/**
 * Makes a data directory from exported blocks, each of which is verified; state, index and histories follow by replay.
 * @throws `LEDGER.DAMAGED` when a block is not what it should be: nothing is imported then
 */
export async function importLedger(options: LedgerImport): Promise<ImportedLedger> {
  const directory = new DataDirectory(options.dataDir);
  if (directory.exists()) {
    throw new LedgerError('LEDGER.MISCONFIGURED', `${directory.path} holds a ledger already: name a new directory.`);
  }
  const manifest = readExportManifest(options.source);
  directory.prepare();
  const lock = directory.hold();
  try {
    return await importInto(directory, manifest, options);
  } finally {
    lock.release();
  }
}

async function importInto(
  directory: DataDirectory,
  { channel, chaincode, mspId, ...manifest }: ReturnType<typeof readExportManifest>,
  options: LedgerImport,
): Promise<ImportedLedger> {
  const store = directory.store(channel);
  if (existsSync(store))
    throw new LedgerError('LEDGER.MISCONFIGURED', `${store} is there already: name a new directory.`);
  const names = { channel, chaincode, mspId };
  const chain = exportedChain(options.source, { ...names, ...manifest });
  if (chain.height === 0) throw new LedgerError('LEDGER.DAMAGED', `${options.source} holds no block: export again.`);
  if (options.keys !== undefined) await copyKeys(options.keys, directory, mspId, openBlock(chain.raw(0)).bytes);

  makeDirectory(directory.channel(channel));
  const findings = new FindingList();
  let check: ChainCheck | undefined;
  await buildStore({
    path: store,
    source: chain,
    progress: options.progress ?? ((): void => undefined),
    take: (source, db) => {
      const tables = new DerivedState(db, names.chaincode);
      check = new ChainCheck({ pins: options, findings, state: tables, ledger: { names, tables } });
      return takeVerified(source, check, findings);
    },
  });
  check?.end();
  const head = check?.head ?? { height: 0, hash: '' };
  if (head.hash !== manifest.currentBlockHash) {
    findings.add('the manifest', { check: 'MANIFEST', what: 'it names another newest block' });
  }
  if (findings.findings.length > 0) {
    rmSync(store);
    throw damageIn(findings);
  }
  const pin = { number: head.height - 1, hash: head.hash };
  HeadPin.create(directory.pin(channel), pin);
  directory.claim(names);
  return { ...names, ...head };
}

/** Keys that do not belong to the chain are refused before anything is made. */
async function copyKeys(from: string, directory: DataDirectory, mspId: string, firstBlock: Uint8Array): Promise<void> {
  const given = new IdentityStore(from, mspId);
  if (!given.exists())
    throw new LedgerError('LEDGER.MISCONFIGURED', `${from} is no "identities" directory: there is no ca.pem in it.`);
  copyIdentities(from, directory.identities);
  try {
    requireMembers(firstBlock, mspId, await new IdentityStore(directory.identities, mspId).load());
  } catch (error) {
    rmSync(directory.identities, { recursive: true });
    throw error;
  }
}

async function* takeVerified(
  source: ChainSource,
  check: ChainCheck,
  findings: FindingList,
): AsyncGenerator<TakenBlock> {
  for await (const examined of examineChain(source)) {
    for (const block of examined) {
      if (!check.add(block) || findings.findings.length > 0 || 'damage' in block) throw damageIn(findings);
      yield { bytes: openBlock(block.raw).bytes, hash: Buffer.from(check.head.hash, 'hex') };
    }
  }
}

function damageIn({ findings: [first] }: FindingList): LedgerError {
  return new LedgerError(
    'LEDGER.DAMAGED',
    `Nothing was imported: ${first?.where ?? ''}: ${first?.what ?? ''} (${first?.check ?? ''}).`,
  );
}
