import { mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { EphemeralLedger } from '#embedded-ledger';
import { addCaller, type CallerAttributes, changeCallers } from '#ledger-callers';
import { callersFileIn, type LedgerApiConfig, readConfig } from '#ledger-config';
import type { RunningApi } from './start.js';

/** A folder in memory, on Linux. */
const MEMORY = '/dev/shm';
/** Containers have 64 MiB there by default, which a test may fill. */
const MIN_MEMORY = 256 * 1024 * 1024;
const FOLDER = 'ledger-ephemeral-';
/** The caller without attributes. */
const CALLER = 'test';
/** The settings that apply, in addition to the options: all others are those of the ledger that lasts. */
const SETTINGS = /^(LEDGER_CHAINCODE_[A-Z_]+|LOG_LEVEL)$/;

/** Options of {@link serveEphemeral}. */
export interface EphemeralOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** NAME=FOLDER or NAME=ADDRESS. */
  readonly chaincodes: readonly string[];
  /** Callers in addition to `test`, with the attributes of their certificates. */
  readonly callers: readonly { readonly name: string; readonly attributes: CallerAttributes }[];
  readonly port: string;
  readonly isWatched: boolean;
}

/**
 * Serves ledgers for tests until standard input is closed or a signal arrives. Prints one line of JSON when it is ready, and
 * one for each command that standard input has as a line:
 *
 *     {"url":"http://127.0.0.1:41231/api/v1","channel":"mychannel","key":"lk_…","keys":{"test":"lk_…"}}
 *     open             {"url":"http://127.0.0.1:41231/api/v1/channels/mychannel-2","channel":"mychannel-2"}
 *     close NAME       {"closed":"mychannel-2"}
 *     anything else    {"error":"…"}
 *
 * The files are in memory where the system has such a folder, and are removed at the end.
 * @param start - starts the server, which stops at a signal
 */
export async function serveEphemeral(
  { callers, ...options }: EphemeralOptions,
  start: (config: LedgerApiConfig) => Promise<RunningApi>,
): Promise<void> {
  const dataDir = makeFolder();
  const keys: Record<string, string> = {};
  for (const { name, attributes } of [{ name: CALLER, attributes: {} }, ...callers]) {
    const caller = { name, role: 'admin', attributes, withKey: true };
    const { key } = await changeCallers(callersFileIn(dataDir), (list) => addCaller(list, caller));
    keys[name] = key?.text ?? '';
  }
  const config = readConfig(environmentOf(dataDir, options), { isEphemeral: true });
  const running = await start(config);
  const { url, ledger } = running;
  const { channel } = ledger;
  print({ url, channel, key: keys[CALLER], keys });
  const commands = createInterface({ input: process.stdin });
  let previous: Promise<void> = Promise.resolve();
  commands.once('close', () => {
    void previous.then(() => {
      running.stop('standard input was closed');
    });
  });
  commands.on('line', (line) => {
    const execute = async (): Promise<void> => {
      print(await answerTo(line.trim(), ledger as EphemeralLedger, url));
    };
    // One after another, so that the answers are in the order of the commands.
    previous = previous.then(execute);
  });
}

/** Executes a command and returns its answer. */
async function answerTo(line: string, ledger: EphemeralLedger, url: string): Promise<object> {
  const [command, name = ''] = line.split(' ');
  try {
    if (line === 'open') {
      const channel = await ledger.openAnother();
      return { url: `${url}/channels/${channel}`, channel };
    }
    if (command === 'close' && name !== '') {
      await ledger.closeChannel(name);
      return { closed: name };
    }
    return { error: 'Unknown command: use "open", or "close NAME".' };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function environmentOf(
  dataDir: string,
  { environment, chaincodes, port, isWatched }: Omit<EphemeralOptions, 'callers'>,
): NodeJS.ProcessEnv {
  return {
    LOG_LEVEL: 'warn',
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => SETTINGS.test(name))),
    LEDGER_DATA_DIR: dataDir,
    LEDGER_API_PORT: port,
    LEDGER_API_HTTPS_PORT: '0',
    LEDGER_AUTH: 'on',
    LEDGER_CHAINCODES: chaincodes.join(','),
    ...(isWatched && { LEDGER_CHAINCODE_WATCH: 'on' }),
  };
}

/** Age of a folder that is removed, since processes of other containers that share it are not visible. */
const MAX_AGE_MS = 24 * 3_600_000;

/** Makes the folder of this process, which is removed when it exits, and removes those of processes that were killed. */
function makeFolder(): string {
  const parent = hasMemory() ? MEMORY : tmpdir();
  for (const name of readdirSync(parent)) {
    const [, pid] = /^ledger-ephemeral-(\d+)-/.exec(name) ?? [];
    const path = join(parent, name);
    if (pid !== undefined && !isRunning(Number(pid)) && isOld(path)) removeFolder(path);
  }
  const folder = mkdtempSync(join(parent, `${FOLDER}${process.pid}-`));
  process.once('exit', () => {
    removeFolder(folder);
  });
  return folder;
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MIN_MEMORY;
  } catch {
    return false;
  }
}

function isOld(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > MAX_AGE_MS;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Another user's.
  }
}

function print(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
