import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LedgerLogger, misconfigured } from '#ledger-gateway';
import type { Isolation } from './isolation.js';
import { DIRECTORY_VARIABLE, type LaunchPlan } from './launch/launch-plan.js';
import { LastLines, logLines, type ShownLine } from './output-lines.js';

/** Limits of all data of a process. Node reserves 500 MiB that it does not use, and a JVM more. */
const DATA_KIB = { node: 1024 * 1024, bubblewrap: 2 * 1024 * 1024 } as const;
/** Most bytes in the path of a Unix socket: `sun_path` has 108, the last of which is 0; macOS has fewer. */
const MAX_SOCKET_PATH = 103;
const SOCKET = 'socket';
const PID = 'pid';
/** Milliseconds after the exit of a process for which its last output is waited for. */
const OUTPUT_MS = 500;

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
  readonly plan: LaunchPlan;
  readonly mspId: string;
  readonly logger?: LedgerLogger | undefined;
  /** Confines the processes that do not confine themselves; undefined where that does not work. */
  readonly isolation: Isolation | undefined;
}

/** One start of a chaincode. */
export interface ProcessStart {
  /** The id with which it registers. */
  readonly id: string;
  /** At which it serves, or at which it finds its peer; as gRPC names it. */
  readonly address: string;
  /** The directory of its socket; removed after its end. */
  readonly directory: string;
  /** The directory of its built program. */
  readonly build: string;
  /** Further directories that it must be able to read. */
  readonly readable: readonly string[];
  readonly workingDirectory: string;
}

/**
 * The process of a chaincode. It can read its folder and what its language needs, and has none of our environment. What confines
 * it is Node's permission model or bubblewrap.
 */
export class ChaincodeProcess {
  /** Resolves with the reason when the process has exited or could not be started. */
  readonly exited: Promise<string>;
  /** Its last lines of output. */
  readonly output = new LastLines();
  readonly #directory: string;
  readonly #child: ChildProcess;
  readonly #watcher: ChildProcess;

  /** Starts the process. */
  constructor(options: ProcessOptions, start: ProcessStart, shown: ShownLine = (line) => line) {
    this.#directory = start.directory;
    // First, because it throws for invalid arguments.
    this.#child = spawnChaincode(options, start);
    this.#watcher = spawn('/bin/sh', ['-c', WATCH], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} });
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
      if (stream === null) continue;
      logLines(stream, shown, (line) => {
        this.output.add(line);
        logger?.[level]({ chaincode: name }, line);
      });
    }
    const closed = new Promise<void>((resolve) => this.#child.once('close', resolve));
    return new Promise((done) => {
      const finish = (reason: string): void => {
        // Before the number of the process can be used again. Of one that could not be started Node would signal any number.
        if (this.#watcher.pid !== undefined) this.#watcher.kill('SIGKILL');
        rmSync(this.#directory, { recursive: true, force: true });
        // A process that it has left may hold its output open.
        void Promise.race([closed, delay(OUTPUT_MS, undefined, { ref: false })]).then(() => {
          done(reason);
        });
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

function spawnChaincode(options: ProcessOptions, start: ProcessStart): ChildProcess {
  const { plan, mspId, isolation } = options;
  const { address, directory, id, workingDirectory } = start;
  const command = plan.command(start);
  const confined =
    plan.confinement === 'node' || isolation === undefined
      ? command
      : isolation.wrap(command, {
          readable: [...plan.readable, start.build, ...start.readable],
          directory,
          hasNetwork: plan.transport === 'tcp',
          workingDirectory,
        });
  return spawn('/bin/sh', ['-c', LIMITED, String(DATA_KIB[plan.confinement]), ...confined], {
    cwd: workingDirectory,
    // Its own process group, so that Ctrl+C does not stop it before in-flight calls have finished.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...(plan.confinement === 'node' ? {} : { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/tmp' }),
      ...{ LANG: 'C.UTF-8', TZ: 'UTC', [DIRECTORY_VARIABLE]: directory },
      // At the default level each call is logged twice.
      ...{ CORE_CHAINCODE_LOGGING_LEVEL: 'error', CORE_CHAINCODE_LOGGING_SHIM: 'error' },
      ...plan.environment,
      ...{ CORE_PEER_LOCALMSPID: mspId, CORE_PEER_TLS_ENABLED: 'false' },
      ...{ CORE_CHAINCODE_ID_NAME: id, CHAINCODE_ID: id },
      // A Java chaincode serves if the second of them is set.
      ...(plan.connect === 'dial' ? { CORE_PEER_ADDRESS: address } : { CHAINCODE_SERVER_ADDRESS: address }),
    },
  });
}

/** Creates the directory of a start. */
export function createRunDirectory(dataDir: string): string {
  return mkdtempSync(join(tmpdir(), socketPrefix(dataDir)));
}

/** Returns the address of the socket of a start. @throws `LEDGER.MISCONFIGURED` when its path would be too long */
export function socketAddress(directory: string): string {
  const socket = join(directory, SOCKET);
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH) return `unix:${socket}`;
  throw misconfigured(`The directory for temporary files, ${tmpdir()}, is too long for a socket. Set TMPDIR.`);
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
    const isOurs =
      /^\d+$/.test(pid) &&
      ['cmdline', 'environ'].some((each) => readOrEmpty(`/proc/${pid}/${each}`).includes(directory));
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
