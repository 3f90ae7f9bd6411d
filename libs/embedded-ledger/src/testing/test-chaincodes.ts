import type { MetadataEntry } from '#fabric-codec/encode';
import type {
  Chaincode,
  ChaincodeCall,
  ChaincodeHost,
  ChaincodeResponse,
  PrivateState,
  Simulator,
} from '#chaincode-host';

/** A function of a test's chaincode: it returns its payload, and throws its refusal. */
export type TestFunction = (stub: TestStub, ...args: string[]) => string | Promise<string>;

/** What a function reads and writes, as with fabric-shim's stub. */
export class TestStub {
  event: ChaincodeResponse['event'];
  readonly #host: TestChaincodes;
  readonly #name: string;
  readonly call: ChaincodeCall;
  readonly state: Simulator;

  constructor(host: TestChaincodes, name: string, call: ChaincodeCall, state: Simulator) {
    this.#host = host;
    this.#name = name;
    this.call = call;
    this.state = state;
  }

  get(key: string): string {
    return Buffer.from(this.state.getState(this.#name, key) ?? []).toString();
  }

  put(key: string, value: string): void {
    this.state.putState(this.#name, key, Buffer.from(value));
  }

  metadata(key: string): readonly MetadataEntry[] {
    return this.state.getStateMetadata(this.#name, key);
  }

  putMetadata(key: string, entries: readonly MetadataEntry[]): void {
    this.state.putStateMetadata(this.#name, key, entries);
  }

  delete(key: string): void {
    this.state.deleteState(this.#name, key);
  }

  range(start = '', end = '', page?: { size: number; bookmark: string }): string[] {
    const found: string[] = [];
    const range = this.state.getStateByRange(this.#name, { start, end, ...(page && { page }) });
    for (let entry = range.next(); entry !== undefined; entry = range.next()) found.push(entry.key);
    return page === undefined ? found : [...found, range.bookmark()];
  }

  /** Returns a private collection, whose values are stored unless it is named `others`. */
  collection(name: string): PrivateState {
    return this.state.collection({ namespace: this.#name, collection: name, isStored: name !== 'others' });
  }

  history(key: string): string[] {
    const changes = this.state.getHistoryForKey(this.#name, key);
    const found: string[] = [];
    for (let next = changes.next(); next.done !== true; next = changes.next()) {
      found.push(next.value.value === undefined ? 'deleted' : Buffer.from(next.value.value).toString());
    }
    return found;
  }

  async invoke(name: string, ...args: string[]): Promise<ChaincodeResponse> {
    const call = { ...this.call, arguments: args.map((argument) => Buffer.from(argument)) };
    return this.#host.require(name).invoke(call, this.state);
  }
}

/** Chaincodes in the process of the test, without a protocol. */
export class TestChaincodes implements ChaincodeHost {
  collections: ChaincodeHost['collections'] = [];
  limits = { keysRead: 1000, bytesWritten: 10_000 };
  checksDeterminism = false;
  timeout = 60_000;
  onClose: () => void = () => undefined;
  /** How often a function was executed, by its transaction. */
  readonly simulations = new Map<string, number>();
  isClosed = false;
  readonly #chaincodes = new Map<string, Chaincode>();
  #own: Chaincode | undefined;

  constructor(chaincodes: Readonly<Record<string, Readonly<Record<string, TestFunction>>>>) {
    for (const [name, functions] of Object.entries(chaincodes)) {
      this.#chaincodes.set(name, { name, invoke: (call, state) => this.#invoke(name, functions, call, state) });
    }
  }

  get names(): readonly string[] {
    return [...this.#chaincodes.keys()];
  }

  get(name: string): Chaincode | undefined {
    return this.#chaincodes.get(name);
  }

  require(name: string): Chaincode {
    const found = name === this.#own?.name ? this.#own : this.get(name);
    if (found === undefined) throw new Error(`there is no chaincode ${name}`);
    return found;
  }

  start(own: Chaincode): Promise<void> {
    this.#own = own;
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.onClose();
    return Promise.resolve();
  }

  async #invoke(
    name: string,
    functions: Readonly<Record<string, TestFunction>>,
    call: ChaincodeCall,
    state: Simulator,
  ): Promise<ChaincodeResponse> {
    const [fn = '', ...args] = call.arguments.map((argument) => Buffer.from(argument).toString());
    this.simulations.set(call.transactionId, (this.simulations.get(call.transactionId) ?? 0) + 1);
    const stub = new TestStub(this, name, call, state);
    // A process would respond in a later turn of the event loop.
    await Promise.resolve();
    try {
      const run = functions[fn];
      if (run === undefined) throw new Error(`no function ${fn}`);
      return { status: 200, message: '', payload: Buffer.from(await run(stub, ...args)), event: stub.event };
    } catch (error) {
      if ((error as Error).name === 'LedgerError') throw error;
      const { status = 500, message } = error as Error & { readonly status?: number };
      return { status, message, payload: new Uint8Array() };
    }
  }
}

/** A chaincode with accounts that hold tokens, as in fabric-samples' token-erc-20. */
export const TOKENS: Readonly<Record<string, TestFunction>> = {
  Mint: (stub, account = '', amount = '') => {
    stub.put(account, String(Number(stub.get(account)) + Number(amount)));
    return '';
  },
  Transfer: async (stub, from = '', to = '', amount = '') => {
    const [left, sum] = [Number(stub.get(from)) - Number(amount), Number(stub.get(to)) + Number(amount)];
    if (left < 0) throw new Error(`the account ${from} has insufficient funds`);
    // Other calls are executed meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    stub.put(from, String(left));
    stub.put(to, String(sum));
    stub.event = { name: 'Transfer', payload: Buffer.from(JSON.stringify({ from, to, amount })) };
    return String(left);
  },
  Balance: (stub, account = '') => stub.get(account),
  Burn: (stub, account = '') => {
    stub.delete(account);
    return '';
  },
  Accounts: (stub, start, end) => JSON.stringify(stub.range(start, end)),
  Page: (stub, size = '', bookmark = '') => JSON.stringify(stub.range('', '', { size: Number(size), bookmark })),
  History: (stub, account = '') => JSON.stringify(stub.history(account)),
};
