import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { buildChaincode } from './build-chaincode.js';
import {
  ChaincodeProcess,
  createRunDirectory,
  type ProcessOptions,
  type ProcessStart,
  socketAddress,
} from './chaincode-process.js';
import { ChaincodeStream, type StreamOptions } from './chaincode-stream.js';
import type { LaunchPlan } from './launch/launch-plan.js';
import type { ShownLine } from './output-lines.js';
import type { RegisterServer } from './register-server.js';
import { StartFailure } from './start-failure.js';

/** How long a chaincode may take to start and to register, in milliseconds. Calls wait for it. */
const START_TIMEOUT = 30_000;
const ID_BYTES = 8;

/** Options of {@link launchChaincode}. */
export interface LaunchOptions extends ProcessOptions, StreamOptions {
  /** The ledger's directory, which identifies the sockets of this server. */
  readonly dataDir: string;
  /** The server for chaincodes that dial their peer. */
  readonly registerServer: () => Promise<RegisterServer>;
  /** Returns a line of output as it may be logged. */
  readonly shown: ShownLine;
  /** The directory for what a build creates: a further start does not repeat it. */
  readonly build: string;
  /** Ends a build. */
  readonly signal: AbortSignal;
  /** Called with the process as soon as it is started. */
  readonly onProcess: (process: ChaincodeProcess) => void;
}

/** A stream, and the process at its other end if it is ours. */
export interface Running {
  readonly stream: ChaincodeStream;
  readonly process: ChaincodeProcess | undefined;
}

/**
 * Builds and starts a chaincode, and waits until it has registered.
 * @throws {@link StartFailure} when it does not
 */
export async function launchChaincode(options: LaunchOptions): Promise<Running> {
  const { plan, dataDir, name, build, signal } = options;
  await buildChaincode(plan, build, signal);
  const directory = createRunDirectory(dataDir);
  try {
    signal.throwIfAborted();
    const id = `${name}:${randomBytes(ID_BYTES).toString('hex')}`;
    if (plan.connect === 'serve') return await launchServing(options, { id, directory, build });
    return await launchDialing(options, { id, directory, build });
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

type Place = Pick<ProcessStart, 'id' | 'directory' | 'build'>;

async function launchServing(options: LaunchOptions, place: Place): Promise<Running> {
  const address = await servedAddress(options.plan, place.directory);
  const process = startProcess(options, { ...place, address, readable: [], workingDirectory: options.plan.path });
  const opened = ChaincodeStream.open(address, { ...options, id: place.id }, START_TIMEOUT);
  return settle(process, opened);
}

async function launchDialing(options: LaunchOptions, place: Place): Promise<Running> {
  const server = await options.registerServer();
  const { promise, resolve } = Promise.withResolvers<ChaincodeStream>();
  const unexpect = server.expect(place.id, (stream, register) => {
    resolve(ChaincodeStream.adopt(stream, register, { ...options, id: place.id }));
  });
  const { path, transport } = options.plan;
  const address = server.addresses[transport];
  const workingDirectory = transport === 'unix' ? server.directory : path;
  const process = startProcess(options, { ...place, address, readable: [server.directory], workingDirectory });
  const timeout = setTimeout(() => {
    process.kill();
  }, START_TIMEOUT);
  try {
    return await settle(process, promise);
  } finally {
    clearTimeout(timeout);
    unexpect();
  }
}

function startProcess(options: LaunchOptions, start: ProcessStart): ChaincodeProcess {
  const process = new ChaincodeProcess(options, start, options.shown);
  options.onProcess(process);
  return process;
}

/** Waits for the stream, or the exit of its process. */
async function settle(process: ChaincodeProcess, opened: Promise<ChaincodeStream>): Promise<Running> {
  const exited = process.exited.then((reason) => {
    throw new StartFailure(`its process ended with ${reason}`, process.output.toString());
  });
  try {
    return { stream: await Promise.race([opened, exited]), process };
  } catch (error) {
    process.kill();
    opened.then(
      (stream) => {
        stream.terminate();
      },
      () => undefined,
    );
    if (error instanceof StartFailure) throw error;
    throw new StartFailure((error as Error).message, process.output.toString());
  } finally {
    exited.catch(() => undefined);
  }
}

/** Returns the address at which a chaincode serves: a socket in its directory, or a free port of loopback. */
async function servedAddress({ transport }: LaunchPlan, directory: string): Promise<string> {
  if (transport === 'unix') return socketAddress(directory);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}
