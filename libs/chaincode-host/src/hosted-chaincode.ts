import { watch, type FSWatcher } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeMessage } from '#fabric-codec/messages';
import { LedgerError, type LedgerLogger } from '#ledger-gateway';
import type { Chaincode, ChaincodeCall, ChaincodeResponse, Simulator } from './chaincode.port.js';
import { SimulationError } from './chaincode.port.js';
import type { ChaincodeFolder } from './chaincode-folder.js';
import { ChaincodeProcess, type ProcessOptions } from './chaincode-process.js';
import { ChaincodeStream, StreamEnded, type Outcome, type StreamOptions } from './chaincode-stream.js';
import { MessageType, Response } from './messages.js';
import { PrivateOutput } from './private-output.js';

/** How long a chaincode may take to start, or to answer at its address, and to register, in milliseconds. Calls wait for it. */
const START_TIMEOUT = 30_000;
const CONNECT_TIMEOUT = 5000;
/** Delays before a chaincode that ended soon is started again, in milliseconds: each is twice the previous one. */
const FIRST_DELAY = 100;
const MAX_DELAY = 30_000;
/** Milliseconds after which the next start has no delay. */
const STABLE_AFTER = 5000;
/** Milliseconds without a change of a file before the chaincode is started with the changes. */
const QUIET_AFTER_EDIT = 150;

/** Folders with thousands of files, whose changes matter only with one of package.json. */
const UNWATCHED = /(^|[\\/])(node_modules|\.git)([\\/]|$)/;

const CLOSED = 'the ledger is closed';

/** Options of {@link HostedChaincode}. */
export interface HostedOptions extends Omit<ProcessOptions, 'folder'>, Omit<StreamOptions, 'address'> {
  /** A folder that is started, or the address of a chaincode that is served already. */
  readonly source: ChaincodeFolder | string;
  /** Whether an edit in the folder restarts it. */
  readonly isWatched: boolean;
}

/** A stream, and the process at its other end if it is ours. */
interface Running {
  readonly stream: ChaincodeStream;
  readonly process: ChaincodeProcess | undefined;
}

/** A chaincode in a process: starts it, connects to it, and starts it again after every end until {@link close}. */
export class HostedChaincode implements Chaincode {
  readonly name: string;
  readonly #options: HostedOptions;
  readonly #logger: LedgerLogger | undefined;
  readonly #watcher: FSWatcher | undefined;
  #current: Running | undefined;
  /** The start for which calls wait while nothing runs. */
  #starting = pendingStart();
  /** Several while one replaces another. */
  readonly #processes = new Set<ChaincodeProcess>();
  readonly #output = new PrivateOutput();
  #delay = 0;
  /** Ends the wait for the next start. */
  #edited: AbortController | undefined;
  #edits = 0;
  #isClosed = false;
  /** Executes calls alone; undefined without any. */
  #alone: Promise<unknown> | undefined;

  constructor(options: HostedOptions) {
    this.name = options.name;
    this.#options = options;
    this.#logger = options.logger;
    this.#watcher = options.isWatched && typeof options.source !== 'string' ? this.#watch(options.source) : undefined;
  }

  /** Starts it, and again after a failure. Resolves when it is ready or closed. */
  async start(): Promise<void> {
    while (!this.#isClosed && this.#current === undefined) {
      const [edits, started] = [this.#edits, performance.now()];
      try {
        const running = await this.#launch();
        // An edit meanwhile may have been missed.
        if (edits !== this.#edits) {
          this.#end(running);
          continue;
        }
        this.#use(running);
        const milliseconds = Math.round(performance.now() - started);
        this.#logger?.info({ chaincode: this.name, milliseconds }, `The chaincode "${this.name}" is ready.`);
      } catch (error) {
        const { message } = error as Error;
        this.#logger?.error({ chaincode: this.name }, `The chaincode "${this.name}" cannot be started: ${message}.`);
        this.#starting.reject(this.#unavailable(message));
        await this.#backOff();
        this.#starting = pendingStart();
      }
    }
  }

  /**
   * Executes a call. When the process ends meanwhile, because of this call or another one, the call is executed once more,
   * and alone, so that one call that ends the process does not fail the others.
   */
  async invoke(call: ChaincodeCall, simulator: Simulator): Promise<ChaincodeResponse> {
    while (this.#alone !== undefined) await this.#alone;
    try {
      return responseOf(call, await this.execute(call, simulator));
    } catch (error) {
      if (error instanceof StreamEnded) return await this.#invokeAlone(call, simulator);
      throw endedBy(error);
    }
  }

  /**
   * Executes a call once, also for another chaincode.
   * @throws {@link StreamEnded}; {@link SimulationError} for a transaction that is executed here already; a LedgerError
   */
  async execute(call: ChaincodeCall, simulator: Simulator): Promise<Outcome> {
    return this.#output.during(call.transient, async () => {
      const { stream } = this.#current ?? (await this.#starting.promise);
      return stream.execute(call, simulator);
    });
  }

  /** Ends every process and waits for their exit. In-flight calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    this.#edited?.abort();
    this.#starting.reject(this.#unavailable(CLOSED));
    for (const each of this.#processes) each.kill();
    this.#current?.stream.terminate();
    await Promise.all(Array.from(this.#processes, ({ exited }) => exited));
  }

  async #invokeAlone(call: ChaincodeCall, simulator: Simulator): Promise<ChaincodeResponse> {
    const before = this.#alone;
    const attempt = (async () => {
      await before;
      simulator.reset();
      return this.execute(call, simulator);
    })();
    const settled = attempt.then(
      () => undefined,
      () => undefined,
    );
    this.#alone = settled;
    try {
      return responseOf(call, await attempt);
    } catch (error) {
      if (!(error instanceof StreamEnded)) throw endedBy(error);
      throw this.#unavailable('its process ended during the call');
    } finally {
      if (this.#alone === settled) this.#alone = undefined;
    }
  }

  #unavailable(reason: string): LedgerError {
    const text = `The chaincode "${this.name}" is not available: ${reason}.`;
    return new LedgerError('LEDGER.UNAVAILABLE', text, { chaincode: this.name });
  }

  async #launch(): Promise<Running> {
    const { source } = this.#options;
    if (typeof source === 'string') {
      const stream = await ChaincodeStream.open({ ...this.#options, address: source }, CONNECT_TIMEOUT);
      return { stream, process: undefined };
    }
    const shown = this.#output.shown.bind(this.#output);
    const process = new ChaincodeProcess({ ...this.#options, folder: source }, shown);
    this.#processes.add(process);
    void process.exited.then(() => this.#processes.delete(process));
    const opened = ChaincodeStream.open({ ...this.#options, address: process.address }, START_TIMEOUT);
    const exited = process.exited.then((reason) => {
      throw new Error(`its process ended with ${reason}`);
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
      throw error;
    } finally {
      exited.catch(() => undefined);
    }
  }

  /** Sends calls to what was started, until it ends. */
  #use(running: Running): void {
    if (this.#isClosed) {
      this.#end(running);
      return;
    }
    const started = performance.now();
    this.#current = running;
    this.#starting.resolve(running);
    void running.process?.exited.then(() => {
      running.stream.terminate();
    });
    void running.stream.ended.then((wasBusy) => {
      running.process?.kill();
      // After an edit, its successor runs.
      if (this.#current !== running) return;
      this.#current = undefined;
      this.#starting = pendingStart();
      if (this.#isClosed) {
        this.#starting.reject(this.#unavailable(CLOSED));
        return;
      }
      this.#logger?.warn({ chaincode: this.name }, `The chaincode "${this.name}" ended and is started again.`);
      // A call that ends the process must not delay the next ones.
      if (wasBusy || performance.now() - started > STABLE_AFTER) this.#delay = 0;
      void this.#backOff().then(() => this.start());
    });
  }

  /** Waits before the next start, until an edit at most. */
  async #backOff(): Promise<void> {
    const wait = this.#delay;
    this.#delay = Math.min(MAX_DELAY, Math.max(FIRST_DELAY, 2 * wait));
    this.#edited = new AbortController();
    await delay(wait, undefined, { ref: false, signal: this.#edited.signal }).catch(() => undefined);
  }

  #end(running: Running | undefined): void {
    running?.process?.kill();
    running?.stream.terminate();
  }

  #watch({ path }: ChaincodeFolder): FSWatcher {
    let timer: NodeJS.Timeout | undefined;
    return watch(path, { recursive: true, persistent: false, ignore: UNWATCHED }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.#replace(), QUIET_AFTER_EDIT);
    });
  }

  /** Starts the edited code and ends the previous process when its calls have finished. */
  async #replace(): Promise<void> {
    this.#edits += 1;
    this.#delay = 0;
    this.#edited?.abort();
    const edits = this.#edits;
    const isRunning = this.#current !== undefined;
    if (!isRunning) return;
    try {
      const next = await this.#launch();
      // Neither before a later edit, nor when the previous process has ended and is started again.
      if (edits === this.#edits && this.#current !== undefined) await this.#swap(next, this.#current);
      else this.#end(next);
    } catch (error) {
      const text = `The edited code of the chaincode "${this.name}" cannot be started, and the previous one continues`;
      this.#logger?.error({ chaincode: this.name }, `${text}: ${(error as Error).message}.`);
    }
  }

  async #swap(next: Running, previous: Running): Promise<void> {
    this.#use(next);
    this.#logger?.info({ chaincode: this.name }, `The chaincode "${this.name}" runs its edited code.`);
    await previous.stream.drain();
    this.#end(previous);
  }
}

/** A promise that may be rejected while no call waits for it. */
function pendingStart(): PromiseWithResolvers<Running> {
  const pending = Promise.withResolvers<Running>();
  pending.promise.catch(() => undefined);
  return pending;
}

/** Returns the response in the last message of a call; an error of the shim as a peer reports it. */
function responseOf({ transactionId }: ChaincodeCall, { type, payload, chaincodeEvent }: Outcome): ChaincodeResponse {
  if (type === MessageType.ERROR)
    return failed(`transaction returned with failure: ${Buffer.from(payload).toString()}`);
  try {
    const response = decodeMessage(Response, payload);
    if (chaincodeEvent === undefined) return response;
    return { ...response, event: { name: chaincodeEvent.eventName, payload: chaincodeEvent.payload } };
  } catch (error) {
    return failed(`failed to unmarshal response for transaction ${transactionId}: ${(error as Error).message}`);
  }
}

function failed(text: string): ChaincodeResponse {
  return { status: 500, message: `error in simulation: ${text}`, payload: new Uint8Array() };
}

function endedBy(error: unknown): unknown {
  return error instanceof SimulationError ? new LedgerError('LEDGER.CONFLICT', error.message) : error;
}
