import type { LedgerApi } from './ledger-api.js';
import type { SampleCall } from './chaincode-samples.js';

interface Version {
  readonly block_num: string | number;
}
interface ReadWriteSet {
  readonly namespace: string;
}
interface Transaction {
  readonly rawTransaction: {
    readonly payload: {
      readonly data: {
        readonly actions: readonly {
          readonly payload: {
            readonly action: {
              readonly proposal_response_payload: {
                readonly extension: {
                  readonly results: { readonly ns_rwset: readonly ReadWriteSet[] };
                  readonly events: unknown;
                  readonly response: unknown;
                };
              };
            };
          };
        }[];
      };
    };
  };
}

/** Makes the calls of a sample by an API, and reports them without what differs between two ledgers. */
export class SampleLedger {
  readonly #api: LedgerApi;
  readonly #chaincode: string;
  /** The id of the client in the chaincode; empty until the first token contract reports it. */
  #caller = '';
  /** The index of the call by the block of its transaction. */
  readonly #callOfBlock = new Map<string, number>();
  #calls = 0;

  constructor(api: LedgerApi, chaincode: string) {
    this.#api = api;
    this.#chaincode = chaincode;
  }

  /** Reads the id of the client, by which token contracts store balances. */
  async identify(): Promise<void> {
    const { json } = await this.#post({ way: 'evaluate', function: 'ClientAccountID', arguments: [] });
    this.#caller = (json as { data?: { payload: string } }).data?.payload ?? '';
  }

  /** Makes a call. @returns its status, message, payload, read-write sets and event */
  async call(call: SampleCall): Promise<unknown> {
    const index = this.#calls++;
    const { status, json, headers } = await this.#post(call);
    const { message, data } = json as {
      message: string;
      data?: { payload: string; transactionId?: string; blockNumber?: number };
    };
    const answer = { status, code: headers['x-error-code'], message, payload: data?.payload };
    if (data?.transactionId === undefined) return this.#normal(answer);
    this.#callOfBlock.set(String(data.blockNumber), index);
    return this.#normal({ ...answer, transaction: await this.#transaction(data.transactionId) });
  }

  async #post(call: SampleCall) {
    const args = call.arguments.map((text) => (text === 'CALLER' && this.#caller !== '' ? this.#caller : text));
    const body = { function: call.function, arguments: args };
    return this.#api.api('POST', `/contracts/${this.#chaincode}/${call.way}`, { body });
  }

  async #transaction(id: string): Promise<object> {
    const { json } = await this.#api.api('GET', `/transactions/${id}`);
    const { rawTransaction } = (json as { data: Transaction }).data;
    const [action] = rawTransaction.payload.data.actions;
    const { results, events, response } = action!.payload.action.proposal_response_payload.extension;
    // A peer also reads the definition of the chaincode.
    return { sets: results.ns_rwset.filter(({ namespace }) => namespace !== '_lifecycle'), events, response };
  }

  /** Replaces ids of transactions and of the client, times, and versions of keys. */
  #normal(value: unknown): unknown {
    if (typeof value === 'string') return this.#normalText(value);
    if (Array.isArray(value)) return value.map((each) => this.#normal(each));
    if (typeof value !== 'object' || value === null) return value;
    if ('block_num' in value) {
      return `written by call ${this.#callOfBlock.get(String((value as Version).block_num)) ?? 'unknown'}`;
    }
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#normal(each)]));
  }

  #normalText(text: string): string {
    const named = this.#caller === '' ? text : text.replaceAll(this.#caller, 'CALLER');
    return named
      .replaceAll(/\b[0-9a-f]{64}\b/g, 'ID')
      .replaceAll(/"timestamp":(\{(?:[^{}]|\{[^{}]*\})*\}|"[^"]*")/gi, '"timestamp":"TIME"');
  }
}
