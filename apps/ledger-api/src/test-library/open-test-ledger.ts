import type { CallError, CallResult, RecordedCall, TestLedger } from './public-types.js';

/** Facts of a {@link TestLedger}. */
interface OpenTestLedgerOptions {
  readonly url: string;
  /** API keys by the names of the callers. */
  readonly keys: Readonly<Record<string, string>>;
  readonly caller: string;
  /** Transient data in base64 by their names. */
  readonly transient: Readonly<Record<string, string>>;
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

  withTransient(values: Readonly<Record<string, unknown>>): TestLedger {
    const transient = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, transientOf(name, value)]),
    );
    return new OpenTestLedger({ ...this.#options, transient });
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
      body: bodyOf(functionName, args, this.#options.transient),
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

function bodyOf(name: string, args: readonly unknown[], transient: OpenTestLedgerOptions['transient']): string {
  for (const [index, value] of args.entries()) requireJson(value, `The argument ${index + 1} of "${name}"`);
  const body = {
    function: name,
    arguments: args.map(argumentOf),
    ...(Object.keys(transient).length > 0 && { transient }),
  };
  return JSON.stringify(body, withAllDigits);
}

/** Returns a value of transient data in base64: bytes and texts as they are, other values as JSON. */
function transientOf(name: string, value: unknown): string {
  requireJson(value, `The transient value "${name}"`);
  const isBinary = typeof value === 'string' || value instanceof Uint8Array;
  return Buffer.from(isBinary ? value : JSON.stringify(value, withAllDigits)).toString('base64');
}

/** JSON would replace such a value by null. @throws a TypeError */
function requireJson(value: unknown, place: string): void {
  const kind = typeof value;
  if (kind !== 'undefined' && kind !== 'function' && kind !== 'symbol') return;
  throw new TypeError(`${place} is ${kind === 'undefined' ? kind : `a ${kind}`}, which is no JSON value.`);
}

/** Writes a bigint as a number. @throws a TypeError for a number that JSON would replace by null */
function withAllDigits(name: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new TypeError(`"${name}" is ${value}, which is no JSON value.`);
  return typeof value === 'bigint' ? SourceText.rawJSON(String(value)) : value;
}

/** Returns an argument in the form of the API. */
function argumentOf(argument: unknown): unknown {
  return argument instanceof Uint8Array ? { base64: Buffer.from(argument).toString('base64') } : argument;
}
