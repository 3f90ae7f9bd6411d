import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { LedgerOptions } from './public-types.js';

/** How long the process lasts after its last ledger, for the next test. */
const IDLE_MS = 2000;
/** Last lines of the program's log that the error of a failed start contains. */
const MAX_LINES = 20;

/** An open ledger of a process. */
interface OpenLedger {
  readonly url: string;
  readonly channel: string;
  readonly keys: Readonly<Record<string, string>>;
}

/** A line that the process prints; see `serveEphemeral`. */
type Line = Partial<OpenLedger> & { readonly error?: string };

/** A process of ledger-api with ledgers for tests. */
export class LedgerProcess {
  readonly #child: ChildProcess;
  /** Receive the answers to the commands, in their order. */
  readonly #waiting: PromiseWithResolvers<Line>[] = [];
  readonly #log: string[] = [];
  readonly #ready: Promise<Line>;
  #open = 0;
  #idle: NodeJS.Timeout | undefined;
  #failure: Error | undefined;

  constructor({ chaincodes = {}, callers = {}, environment = {} }: LedgerOptions) {
    const args = [
      ...Object.entries(chaincodes).flatMap(([name, source]) => ['--chaincode', `${name}=${source}`]),
      ...Object.entries(callers).flatMap(([name, attributes]) => ['--caller', callerOption(name, attributes)]),
    ];
    this.#child = spawn(process.execPath, [programFile(), '--ephemeral', ...args], {
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#ready = this.#answer();
    const { stdin, stdout, stderr } = this.#child;
    // The end of the process is reported by its event.
    stdin?.on('error', () => undefined);
    if (stdout !== null) createInterface({ input: stdout }).on('line', this.#receive.bind(this));
    if (stderr !== null) createInterface({ input: stderr }).on('line', this.#keep.bind(this));
    this.#child.once('error', (error) => {
      this.#fail(error);
    });
    this.#child.once('close', () => {
      this.#fail(new Error(`The ledger has ended.\n${this.#log.join('\n')}`));
    });
    this.#setRef(false);
  }

  /** Whether no more ledgers can be opened. */
  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  /** Opens a ledger. */
  async open(): Promise<OpenLedger> {
    clearTimeout(this.#idle);
    this.#open += 1;
    this.#setRef(true);
    try {
      const { keys = {} } = await this.#ready;
      const { url = '', channel = '' } = await this.#command('open');
      return { url, channel, keys };
    } catch (error) {
      this.#release();
      throw error;
    } finally {
      this.#setRef(this.#waiting.length > 0);
    }
  }

  /** Closes a ledger. */
  async close(channel: string): Promise<void> {
    try {
      await this.#command(`close ${channel}`);
    } finally {
      this.#release();
    }
  }

  #release(): void {
    this.#open -= 1;
    if (this.#open > 0) return;
    this.#idle = setTimeout(() => {
      this.#failure ??= new Error('The ledger was ended, because it was not used.');
      this.#child.stdin?.end();
    }, IDLE_MS).unref();
  }

  async #command(text: string): Promise<Line> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#setRef(true);
    const answer = this.#answer();
    this.#child.stdin?.write(`${text}\n`);
    try {
      return await answer;
    } finally {
      this.#setRef(this.#waiting.length > 0);
    }
  }

  #answer(): Promise<Line> {
    const waiting = Promise.withResolvers<Line>();
    // Without a listener, the error of a process that ends would end this one.
    waiting.promise.catch(() => undefined);
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  #receive(text: string): void {
    const line = JSON.parse(text) as Line;
    const waiting = this.#waiting.shift();
    if (line.error === undefined) waiting?.resolve(line);
    else waiting?.reject(new Error(line.error));
  }

  #keep(line: string): void {
    this.#log.push(line);
    if (this.#log.length > MAX_LINES) this.#log.shift();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }

  /** Lets this process exit while no answer is awaited: the ledger then ends with it. */
  #setRef(isUsed: boolean): void {
    const { stdin, stdout, stderr } = this.#child;
    // The streams of a child process are sockets.
    for (const each of [this.#child, stdin, stdout, stderr] as readonly Partial<
      Pick<ChildProcess, 'ref' | 'unref'>
    >[]) {
      if (isUsed) each.ref?.();
      else each.unref?.();
    }
  }
}

function callerOption(name: string, attributes: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(attributes).map(([attribute, value]) => `${attribute}=${value}`);
  return pairs.length === 0 ? name : `${name}:${pairs.join(',')}`;
}

/** Returns the program in the package, or in the workspace, where the library is in another folder. */
function programFile(): string {
  const places = ['../lib/ledger-api.js', '../bundle/lib/ledger-api.js'].map((place) => {
    return fileURLToPath(new URL(place, import.meta.url));
  });
  return places.find((place) => existsSync(place)) ?? 'ledger-api.js';
}
