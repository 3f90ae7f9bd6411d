import type { CallError, CallResult, RecordedCall, TestLedger } from './public-types.js';

/** Facts of a {@link TestLedger}. */
interface OpenTestLedgerOptions {
  readonly url: string;
  /** API keys by the names of the callers. */
  readonly keys: Readonly<Record<string, string>>;
  readonly caller: string;
  readonly close: () => Promise<void>;
}

/** The body of an answer to a call. */
interface Answer {
  readonly message: string;
  readonly chaincodeStatus?: number;
  readonly data: { readonly payload: string; readonly result?: unknown } & Partial<RecordedCall>;
}

/** A ledger that is reached by its API. */
export class OpenTestLedger implements TestLedger {
  readonly url: string;
  readonly key: string;
  readonly #options: OpenTestLedgerOptions;

  constructor(options: OpenTestLedgerOptions) {
    const { url, keys, caller } = options;
    const key = keys[caller];
    if (key === undefined) throw new Error(`There is no caller "${caller}": name it in the option callers.`);
    this.url = url;
    this.key = key;
    this.#options = options;
  }

  async submit(chaincode: string, functionName: string, ...args: readonly unknown[]): Promise<RecordedCall> {
    const {
      payload,
      result = payload,
      transactionId = '',
      blockNumber = 0,
    } = await this.#call('submit', [chaincode, functionName, args]);
    return { result, payload, transactionId, blockNumber };
  }

  async evaluate(chaincode: string, functionName: string, ...args: readonly unknown[]): Promise<CallResult> {
    const { payload, result = payload } = await this.#call('evaluate', [chaincode, functionName, args]);
    return { result, payload };
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('x-api-key')) headers.set('x-api-key', this.key);
    return await fetch(`${this.url}${path}`, { ...init, headers });
  }

  as(caller: string): TestLedger {
    return new OpenTestLedger({ ...this.#options, caller });
  }

  async close(): Promise<void> {
    await this.#options.close();
  }

  async #call(
    kind: 'submit' | 'evaluate',
    [chaincode, functionName, args]: readonly [string, string, readonly unknown[]],
  ): Promise<Answer['data']> {
    const response = await this.fetch(`/contracts/${encodeURIComponent(chaincode)}/${kind}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ function: functionName, arguments: args.map(argumentOf) }, withAllDigits),
    });
    const { message, chaincodeStatus, data } = (await response.json()) as Answer;
    if (response.ok) return data;
    const { status, headers } = response;
    const facts = { code: headers.get('x-error-code') ?? '', status, chaincodeStatus };
    throw Object.assign(new Error(message), facts) satisfies CallError;
  }
}

/** `JSON.rawJSON` is in Node 22 and newer; TypeScript does not declare it yet. */
const SourceText = JSON as unknown as { rawJSON(text: string): unknown };

/** Writes a bigint as a number. */
function withAllDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? SourceText.rawJSON(String(value)) : value;
}

/** Returns an argument in the form of the API. */
function argumentOf(argument: unknown): unknown {
  return argument instanceof Uint8Array ? { base64: Buffer.from(argument).toString('base64') } : argument;
}
