import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ChainFollower, firstBlock, type FollowedChain, IndexFile, removeIndex, UnusableIndex } from '#chain-index';
import { createEmbeddedLedger, openBlockFiles } from '#embedded-ledger';
import { createFabricGatewayLedger, createFabricLedger } from '#fabric-ledger';
import { type Ledger, LedgerError } from '#ledger-gateway';
import { notify, print } from '../command-line.js';
import { configured, configuredLedger } from '../configured.js';
import { withProgress } from '../progress.js';

/** Bytes of blocks that are committed at once. */
const BATCH_BYTES = 16 * 1024 * 1024;
/** Interval at which new blocks are committed. */
const FOLLOW_MS = 250;

interface Options {
  readonly out: string;
  readonly follow?: true;
  readonly dataDir?: string;
  readonly blocks?: string;
  readonly from?: 'fabric' | 'fabric-gateway';
}

/** A chain whose blocks are indexed. */
interface IndexedChain extends FollowedChain {
  readonly channel: string;
  close(): Promise<void>;
}

/** Writes an index of a chain for SQL tools, or continues one. */
export async function index(options: Options): Promise<void> {
  const chain = await openChain(options);
  try {
    await withProgress('Indexing', 'blocks', (progress) => indexChain(chain, options, progress));
  } finally {
    await chain.close();
  }
}

async function indexChain(
  chain: IndexedChain,
  { out, follow }: Options,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const failed = Promise.withResolvers<never>();
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  const follower = new ChainFollower({
    chain,
    open: () => openIndex(out, chain.channel),
    intervalMs: FOLLOW_MS,
    batchBytes: BATCH_BYTES,
    shorterMs: 0,
    onCommit: ({ next = 0 }) => {
      progress(next, follower.height);
    },
    onError: (error) => {
      if (follow === true && !isFinal(error)) notify(`${error.message} It is tried again.`);
      else failed.reject(error);
    },
  });
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const { height } = await chain.chainInfo();
    await Promise.race([reached(follower, height, ended.signal), failed.promise]);
    report(out, follower.data);
    if (follow !== true) return;
    await Promise.race([endOf(ended.signal), failed.promise]);
  } finally {
    end();
    process.off('SIGINT', end).off('SIGTERM', end);
    await follower.close();
  }
}

/** Waits until the index has that many blocks. An error that is tried again ends no wait. */
async function reached(follower: ChainFollower<IndexFile>, height: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !(await follower.reach(height, signal))) await delay(FOLLOW_MS);
}

function endOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

function report(out: string, file: IndexFile | undefined): void {
  const { first = 0, next = 0, transactions = 0 } = file ?? {};
  const from = first === 0 ? '' : ` from block ${first} on`;
  print(`${next - first} blocks${from} with ${transactions} transactions are in ${out}`);
}

/** The file is of another chain, or of another program, and is not touched. */
class OtherFile extends LedgerError {
  constructor(out: string, reason: string) {
    super('LEDGER.MISCONFIGURED', `${out} is not an index of this chain (${reason}). Name another file.`);
  }
}

/** An index that is never removed because of its content: a person named the file. */
class NamedIndex extends IndexFile {
  readonly #out: string;

  constructor(out: string, channel: string) {
    super(out, channel);
    this.#out = out;
  }

  override clear(): void {
    throw new OtherFile(this.#out, 'it has other blocks');
  }
}

function openIndex(out: string, channel: string): IndexFile {
  try {
    return new NamedIndex(out, channel);
  } catch (error) {
    if (!(error instanceof UnusableIndex)) throw error;
    if (error.isForeign) throw new OtherFile(out, error.message);
    notify(`${out} is built again: ${error.message}.`);
    removeIndex(out);
    return new NamedIndex(out, channel);
  }
}

function isFinal(error: Error): boolean {
  return error instanceof OtherFile;
}

async function openChain({ from, blocks, dataDir }: Options): Promise<IndexedChain> {
  if (blocks !== undefined) return exportedChain(blocks);
  return chainOf(await (from === undefined ? openEmbedded(dataDir) : openFabric(from)));
}

/** Returns the chain of exported blocks. */
async function exportedChain(path: string): Promise<IndexedChain> {
  const { channel, height, read } = await openBlockFiles(path);
  const blockAt = (number: number) => (number < height ? read(number) : undefined);
  return {
    channel,
    chainInfo: () => Promise.resolve({ channel, height, currentBlockHash: '', previousBlockHash: '' }),
    blockByNumber: (number) => Promise.resolve(blockAt(number)),
    firstBlock: () => Promise.resolve(0),
    // eslint-disable-next-line @typescript-eslint/require-await -- files are read synchronously
    items: async function* (startBlock) {
      for (let number = startBlock; number < height; number++) yield [read(number).bytes];
    },
    close: () => Promise.resolve(),
  };
}

/** Opens an embedded ledger, which another process may write meanwhile. */
async function openEmbedded(dataDir: string | undefined): Promise<Ledger> {
  const values = configured('LEDGER_DATA_DIR', 'LEDGER_CHANNEL', 'LEDGER_CHAINCODE', 'LEDGER_MSP_ID');
  const { LEDGER_CHANNEL: channel, LEDGER_CHAINCODE: chaincode, LEDGER_MSP_ID: mspId } = values;
  const directory = dataDir ?? values.LEDGER_DATA_DIR;
  if (!existsSync(directory)) throw new LedgerError('LEDGER.MISCONFIGURED', `${directory} does not exist.`);
  return createEmbeddedLedger({ dataDir: directory, channel, chaincode, mspId, readOnly: true });
}

async function openFabric(driver: 'fabric' | 'fabric-gateway'): Promise<Ledger> {
  const config = configuredLedger(driver);
  if (config.driver === 'embedded') throw new TypeError('The configuration is of the embedded ledger.');
  return config.driver === 'fabric' ? createFabricLedger(config) : createFabricGatewayLedger(config);
}

function chainOf(ledger: Ledger): IndexedChain {
  return {
    channel: ledger.channel,
    chainInfo: () => ledger.chainInfo(),
    blockByNumber: (number) => ledger.blockByNumber(number),
    firstBlock: () => firstBlock(ledger),
    items: async function* (startBlock, signal) {
      for await (const { bytes } of ledger.blockEvents({ startBlock, signal })) yield [bytes];
    },
    close: () => ledger.close(),
  };
}
