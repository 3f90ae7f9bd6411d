import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { type LedgerLogger, misconfigured } from '#ledger-gateway';
import type { ChaincodeFolder } from './chaincode-folder.js';

/** Limit of the JavaScript heap, and of all data of a process, which includes 500 MiB that Node reserves and does not use. */
const HEAP_MIB = 256;
const DATA_KIB = 1024 * 1024;
/** Most bytes in the path of a Unix socket: `sun_path` has 108, the last of which is 0; macOS has fewer. */
const MAX_SOCKET_PATH = 103;
const SOCKET = 'socket';
const PID = 'pid';

/** Limits the data of a process and replaces itself by it. Where the system has no such limit, only the heap is limited. */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec "$@"';
/**
 * Kills a process group when this server has exited in whatever way, because the pipe is closed then. The chaincode itself
 * could not react in an endless loop.
 */
const WATCH = 'read -r group && read -r end; kill -s KILL -- "-$group" 2>/dev/null';

/** Options of {@link ChaincodeProcess}. */
export interface ProcessOptions {
  readonly name: string;
  readonly folder: ChaincodeFolder;
  readonly mspId: string;
  /** The ledger's directory, which identifies the sockets of this server. */
  readonly dataDir: string;
  readonly logger?: LedgerLogger | undefined;
}

/** Returns a line of output as it may be logged. */
export type ShownLine = (line: string, isCut: boolean) => string;

/**
 * The process of a chaincode for Node: its own fabric-shim serves it on a Unix socket. It can read its folder and nothing else,
 * write no file, start no process, and has none of our environment.
 */
export class ChaincodeProcess {
  /** As gRPC names it. */
  readonly address: string;
  /** Resolves with the reason when the process has exited or could not be started. */
  readonly exited: Promise<string>;
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #watcher: ChildProcess;

  /** Starts the process. @throws `LEDGER.MISCONFIGURED` when the path of its socket would be too long */
  constructor(options: ProcessOptions, shown: ShownLine = (line) => line) {
    this.#directory = mkdtempSync(join(tmpdir(), socketPrefix(options.dataDir)));
    const socket = join(this.#directory, SOCKET);
    if (Buffer.byteLength(socket) > MAX_SOCKET_PATH) {
      rmSync(this.#directory, { recursive: true });
      throw misconfigured(`The directory for temporary files, ${tmpdir()}, is too long for a socket. Set TMPDIR.`);
    }
    this.address = `unix:${socket}`;
    this.#watcher = spawn('/bin/sh', ['-c', WATCH], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} });
    this.#child = start(options, this.#directory, this.address);
    this.exited = this.#watch(options, shown);
  }

  /** Kills the process, as the only way to stop a loop. It has nothing to save. */
  kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) killGroup(pid);
  }

  #watch({ name, logger }: ProcessOptions, shown: ShownLine): Promise<string> {
    const { pid, stdout, stderr } = this.#child;
    this.#watcher.on('error', () => undefined);
    this.#watcher.stdin?.on('error', () => undefined);
    if (pid !== undefined) {
      this.#watcher.stdin?.write(`${pid}\n`);
      writeFileSync(join(this.#directory, PID), String(pid));
    }
    for (const [stream, level] of [
      [stdout, 'info'],
      [stderr, 'warn'],
    ] as const) {
      if (stream !== null) logLines(stream, shown, (line) => logger?.[level]({ chaincode: name }, line));
    }
    return new Promise((done) => {
      const finish = (reason: string): void => {
        // Before the number of the process can be used again.
        this.#watcher.kill('SIGKILL');
        rmSync(this.#directory, { recursive: true, force: true });
        done(reason);
      };
      this.#child.once('error', (error) => {
        finish(error.message);
      });
      this.#child.once('exit', (code, signal) => {
        finish(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`);
      });
    });
  }
}

/**
 * Replaces `shim.start`, which connects to a peer, by a server at our address. It is loaded before the file of a chaincode that
 * starts itself.
 */
const SERVE_ON_START = `import { createRequire } from 'node:module';
const { CORE_CHAINCODE_ID_NAME: ccid, CHAINCODE_SERVER_ADDRESS: address } = process.env;
const shim = createRequire(process.cwd() + '/package.json')('fabric-shim');
shim.start = (chaincode) => shim.server(chaincode, { ccid, address }).start();`;

function start({ name, folder, mspId }: ProcessOptions, directory: string, address: string): ChildProcess {
  const node = [
    ...['--permission', ...[...folder.readable, directory].map((path) => `--allow-fs-read=${path}`)],
    ...[`--max-old-space-size=${HEAP_MIB}`, '--disable-warning=DeprecationWarning'],
  ];
  const id = `${name}:1`;
  const shim =
    folder.startFile === undefined
      ? [folder.cli, 'server', `--chaincode-address=${address}`, `--chaincode-id=${id}`]
      : ['--import', `data:text/javascript,${encodeURIComponent(SERVE_ON_START)}`, folder.startFile];
  return spawn('/bin/sh', ['-c', LIMITED, String(DATA_KIB), process.execPath, ...node, ...shim], {
    cwd: folder.path,
    // Its own process group, so that Ctrl+C does not stop it before in-flight calls have finished.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ LANG: 'C.UTF-8', NODE_ENV: 'production', TZ: 'UTC' },
      ...{ CORE_PEER_LOCALMSPID: mspId, CORE_PEER_TLS_ENABLED: 'false' },
      ...{ CORE_CHAINCODE_ID_NAME: id, CHAINCODE_SERVER_ADDRESS: address },
      // At the default level each call is logged twice.
      ...{ CORE_CHAINCODE_LOGGING_LEVEL: 'error', CORE_CHAINCODE_LOGGING_SHIM: 'error' },
    },
  });
}

/** Returns the beginning of the names of a server's socket directories. */
export function socketPrefix(dataDir: string): string {
  return `lcc-${createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 8)}-`;
}

/** Kills what an earlier server of the same data directory, which is locked, has left, and removes its sockets. */
export function removeLeftProcesses(dataDir: string): void {
  const prefix = socketPrefix(dataDir);
  const left = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const directory of left.map((name) => join(tmpdir(), name))) {
    // Everyone can create such names in a shared directory.
    if (lstatSync(directory).uid !== process.getuid?.()) continue;
    const pid = readOrEmpty(join(directory, PID));
    // The number may belong to another process by now.
    const isOurs = /^\d+$/.test(pid) && readOrEmpty(`/proc/${pid}/cmdline`).includes(directory);
    if (isOurs) killGroup(Number(pid));
    rmSync(directory, { recursive: true, force: true });
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Most characters of a line in the log, and most lines in a second. */
const MAX_LINE = 4096;
const MAX_LINES = 200;

/** Logs the output of a process line by line, without colors. Long lines are cut; lines beyond the limit are counted. */
function logLines(stream: Readable, shown: ShownLine, log: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let line = '';
  let second = 0;
  let lines = 0;
  const finish = (): void => {
    const text = stripVTControlCharacters(line).trimEnd();
    line = '';
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      if (lines > MAX_LINES) log(`${lines - MAX_LINES} more lines were dropped.`);
      second = now;
      lines = 0;
    }
    if (text === '') return;
    lines += 1;
    if (lines > MAX_LINES) return;
    const isCut = text.length > MAX_LINE;
    log(shown(isCut ? `${text.slice(0, MAX_LINE)} …` : text, isCut));
  };
  stream.on('data', (chunk: Buffer) => {
    const [first = '', ...rest] = decoder.write(chunk).split('\n');
    line = extended(line, first);
    for (const part of rest) {
      finish();
      line = extended('', part);
    }
  });
  stream.on('end', finish);
}

/** Appends to a line, of which no more than the log shows is stored. */
function extended(line: string, part: string): string {
  return line.length > MAX_LINE ? line : (line + part).slice(0, MAX_LINE + 1);
}
