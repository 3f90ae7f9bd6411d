import { once } from 'node:events';
import { rmSync, watch, type FSWatcher } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeMessage } from '#fabric-codec/messages';
import { LedgerError, type LedgerLogger } from '#ledger-gateway';
import type { Chaincode, ChaincodeCall, ChaincodeResponse, Simulator } from './chaincode.port.js';
import { SimulationError } from './chaincode.port.js';
import { createRunDirectory, type ChaincodeProcess, type ProcessOptions } from './chaincode-process.js';
import { ChaincodeStream, StreamEnded, type Outcome, type StreamOptions } from './chaincode-stream.js';
import { launchChaincode, type Running } from './launch-chaincode.js';
import { readIndexes } from './launch/index-files.js';
import type { LaunchPlan, ServedChaincode } from './launch/launch-plan.js';
import { MessageType, Response } from './messages.js';
import { PrivateOutput } from './private-output.js';
import type { RegisterServer } from './register-server.js';
import { StartFailure } from './start-failure.js';

/** How long a chaincode may take to answer at its address and to register, in milliseconds. Calls wait for it. */
const CONNECT_TIMEOUT = 5000;
/** Delays before a chaincode that ended soon is started again, in milliseconds: each is twice the previous one. */
const FIRST_DELAY = 100;
const MAX_DELAY = 30_000;
/** Milliseconds after which the next start has no delay. */
const STABLE_AFTER = 5000;
/** Milliseconds without a change of a file before the chaincode is started with the changes. */
const QUIET_AFTER_EDIT = 150;

/** Starts that fail one after the other before a chaincode is started again only after an edit, or for a call after a while. */
const MAX_FAILED_STARTS = 3;
const RETRY_FOR_CALL_AFTER = 30_000;

/** Folders with thousands of files, whose changes matter only with one of package.json. */
const UNWATCHED = /(^|[\\/])(node_modules|\.git|\.venv|__pycache__)([\\/]|$)/;

/**
 * Timeouts of an execution after which a call is not executed again. Calls that the chaincode never answers would otherwise be
 * executed one after the other, while all others wait.
 */
const MAX_TIMEOUTS = 3;

const CLOSED = 'the ledger is closed';

/** Options of {@link HostedChaincode}. */
export interface HostedOptions
  extends Omit<ProcessOptions, 'plan' | 'isolation'>, Omit<StreamOptions, 'id' | 'indexes'> {
  /** How the chaincode in a folder is started, or the address of one that is served already. */
  readonly source: LaunchPlan | ServedChaincode;
  /** The ledger's directory. */
  readonly dataDir: string;
  /** See {@link LaunchOptions}. */
  readonly registerServer: () => Promise<RegisterServer>;
  /** Confines programs other than Node, where that works. */
  readonly isolation: () => ProcessOptions['isolation'];
  /** Whether an edit in the folder restarts it. */
  readonly isWatched: boolean;
  /** Whether queries of CouchDB are executed. */
  readonly hasQueries: boolean;
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
  #wake: AbortController | undefined;
  /** Failed starts since the last success or edit, and the time from which on a call causes the next one. */
  #failedStarts = 0;
  #retryAt = Infinity;
  readonly #closing = new AbortController();
  /** The directory for what a build creates. */
  #build: string | undefined;
  #edits = 0;
  #starts = 0;
  #isClosed = false;
  /** Executes calls alone; undefined without any. */
  #alone: Promise<unknown> | undefined;

  constructor(options: HostedOptions) {
    this.name = options.name;
    this.#options = options;
    this.#logger = options.logger;
    this.#watcher = options.isWatched && 'command' in options.source ? this.#watch(options.source) : undefined;
  }

  get starts(): number {
    return this.#starts;
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
        this.#failedStarts = 0;
        this.#use(running);
        const milliseconds = Math.round(performance.now() - started);
        this.#logger?.info({ chaincode: this.name, milliseconds }, `The chaincode "${this.name}" is ready.`);
      } catch (error) {
        const { message } = error as Error;
        this.#logger?.error({ chaincode: this.name }, `The chaincode "${this.name}" cannot be started: ${message}.`);
        const output = error instanceof StartFailure ? error.output : undefined;
        const failed = this.#starting;
        failed.reject(this.#unavailable(message, output));
        await this.#waitForStart(error instanceof StartFailure);
        // A call that waits for the next start has replaced it already.
        if (this.#starting === failed) this.#starting = pendingStart();
      }
    }
    if (this.#isClosed) this.#starting.reject(this.#unavailable(CLOSED));
  }

  /**
   * Executes a call. When the process ends meanwhile, because of this call or another one, the call is executed once more,
   * and alone, so that one call that ends the process does not fail the others.
   */
  async invoke(call: ChaincodeCall, simulator: Simulator): Promise<ChaincodeResponse> {
    while (this.#alone !== undefined) await this.#alone;
    const deadline = performance.now() + MAX_TIMEOUTS * this.#options.timeout;
    try {
      return responseOf(call, await this.execute(call, simulator));
    } catch (error) {
      if (error instanceof StreamEnded) return await this.#invokeAlone(call, simulator, deadline);
      throw endedBy(error);
    }
  }

  /**
   * Executes a call once, also for another chaincode.
   * @throws {@link StreamEnded}; {@link SimulationError} for a transaction that is executed here already; a LedgerError
   */
  async execute(call: ChaincodeCall, simulator: Simulator): Promise<Outcome> {
    return this.#output.during(call.transient, async (notePrivate) => {
      if (this.#isClosed) throw this.#unavailable(CLOSED);
      if (this.#current === undefined) this.#startForCall();
      const { stream } = this.#current ?? (await this.#starting.promise);
      return stream.execute(call, simulator, notePrivate);
    });
  }

  /** Ends every process and waits for their exit. In-flight calls fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#watcher?.close();
    this.#closing.abort();
    this.#wake?.abort();
    this.#starting.reject(this.#unavailable(CLOSED));
    for (const each of this.#processes) each.kill();
    this.#current?.stream.terminate();
    await Promise.all(Array.from(this.#processes, ({ exited }) => exited));
    if (this.#build !== undefined) rmSync(this.#build, { recursive: true, force: true });
  }

  async #invokeAlone(call: ChaincodeCall, simulator: Simulator, deadline: number): Promise<ChaincodeResponse> {
    const before = this.#alone;
    const attempt = (async () => {
      await before;
      if (performance.now() >= deadline) throw this.#timedOut();
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

  #timedOut(): LedgerError {
    const text = `The chaincode "${this.name}" did not respond within ${MAX_TIMEOUTS} times ${this.#options.timeout} ms.`;
    return new LedgerError('LEDGER.TIMEOUT', text, { chaincode: this.name });
  }

  /** @param output - the end of what it wrote, when it could not be started */
  #unavailable(reason: string, output?: string): LedgerError {
    const text = `The chaincode "${this.name}" is not available: ${reason}.`;
    return new LedgerError('LEDGER.UNAVAILABLE', text, {
      chaincode: this.name,
      startFailure: output === undefined ? undefined : { reason, output },
    });
  }

  async #launch(): Promise<Running> {
    const { source, isolation, hasQueries } = this.#options;
    const options = { ...this.#options, indexes: hasQueries ? readIndexes(source.path) : undefined };
    if ('address' in source) {
      return { stream: await ChaincodeStream.open(source.address, options, CONNECT_TIMEOUT), process: undefined };
    }
    return launchChaincode({
      ...options,
      plan: source,
      build: (this.#build ??= createRunDirectory(this.#options.dataDir)),
      isolation: isolation(),
      shown: this.#output.shown.bind(this.#output),
      signal: this.#closing.signal,
      onProcess: (process) => {
        this.#processes.add(process);
        void process.exited.then(() => this.#processes.delete(process));
      },
    });
  }

  /** Sends calls to what was started, until it ends. */
  #use(running: Running): void {
    if (this.#isClosed) {
      this.#end(running);
      return;
    }
    const started = performance.now();
    this.#current = running;
    this.#starts += 1;
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

  /** Waits after a failed start. A process that exits at its start is not started without end. */
  async #waitForStart(isOurs: boolean): Promise<void> {
    this.#failedStarts += 1;
    if (!isOurs || this.#failedStarts < MAX_FAILED_STARTS) {
      await this.#backOff();
      return;
    }
    const text = `The chaincode "${this.name}" could not be started ${MAX_FAILED_STARTS} times.`;
    this.#logger?.error(
      { chaincode: this.name },
      `${text} It is started again after an edit, if they are watched, or for a call.`,
    );
    this.#retryAt = performance.now() + RETRY_FOR_CALL_AFTER;
    this.#wake = new AbortController();
    if (!this.#isClosed) await once(this.#wake.signal, 'abort');
    this.#retryAt = Infinity;
  }

  /** Lets a call wait for another start, if the last one has failed a while ago. */
  #startForCall(): void {
    if (performance.now() < this.#retryAt) return;
    this.#retryAt = Infinity;
    this.#starting = pendingStart();
    this.#wake?.abort();
  }

  /** Waits before the next start, until an edit at most. */
  async #backOff(): Promise<void> {
    const wait = this.#delay;
    this.#delay = Math.min(MAX_DELAY, Math.max(FIRST_DELAY, 2 * wait));
    this.#wake = new AbortController();
    await delay(wait, undefined, { ref: false, signal: this.#wake.signal }).catch(() => undefined);
  }

  #end(running: Running | undefined): void {
    running?.process?.kill();
    running?.stream.terminate();
  }

  #watch({ path, sources = path }: LaunchPlan): FSWatcher {
    let timer: NodeJS.Timeout | undefined;
    return watch(sources, { recursive: true, persistent: false, ignore: UNWATCHED }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => void this.#replace(), QUIET_AFTER_EDIT);
    });
  }

  /** Starts the edited code and ends the previous process when its calls have finished. */
  async #replace(): Promise<void> {
    this.#edits += 1;
    this.#delay = 0;
    this.#failedStarts = 0;
    this.#wake?.abort();
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
