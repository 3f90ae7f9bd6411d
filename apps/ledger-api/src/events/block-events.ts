import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalAsset } from '#asset-contract';
import {
  CreatorNames,
  decodeBlock,
  decodeEnvelope,
  keyChanges,
  type LedgerBlock,
  type TransactionChanges,
} from '#ledger-gateway';
import { eventId, type EventPosition } from './event-position.js';

/** The end of an event in the bytes of its block. */
interface EventEnd {
  /** TRANSACTION:EVENT. */
  readonly place: string;
  readonly offset: number;
}

/** The events of one block as they are sent, encoded once for all clients. */
export class BlockEvents {
  /**
   * @param hash - the hexadecimal hash of the block's header
   * @param bytes - all messages of the block, the one that ends it included
   * @param ends - the ends of all messages but the last
   */
  constructor(
    readonly block: number,
    readonly hash: string,
    readonly bytes: Buffer,
    private readonly ends: readonly EventEnd[],
  ) {}

  /** Returns whether a position is at the start of this block or after one of its events. */
  has({ after }: EventPosition): boolean {
    return after === undefined || this.#countUpTo(after) > 0;
  }

  /** Returns the messages of this block that follow a position. */
  from({ block, after }: EventPosition): { readonly bytes: Buffer; readonly count: number } {
    const sent = block === this.block ? this.#countUpTo(after) : 0;
    return { bytes: this.bytes.subarray(this.ends[sent - 1]?.offset), count: this.ends.length + 1 - sent };
  }

  /** Returns the number of events up to the given one; 0 if it does not exist. */
  #countUpTo(after: EventPosition['after']): number {
    return this.ends.findIndex(({ place }) => place === after) + 1;
  }
}

/** Transactions that are decoded and encoded in one turn of the event loop. */
const TRANSACTIONS_PER_TURN = 20;
/** Creators whose names are cached. */
const MAX_CREATORS = 1000;

/** Finds which of the keys existed before a block. */
export type FindExisting = (keys: ReadonlySet<string>, block: number) => Promise<ReadonlySet<string>>;

/** Encodes the events of blocks. */
export class EventWriter {
  #creators = new CreatorNames();

  /** @param findExisting - is called for keys that a transaction wrote without reading them */
  constructor(
    private readonly chaincode: string,
    private readonly findExisting: FindExisting,
  ) {}

  /** @throws `LEDGER.DAMAGED` if the block cannot be decoded, and the errors of `findExisting` */
  async eventsOf(block: LedgerBlock): Promise<BlockEvents> {
    const decoded = decodeBlock(block.bytes);
    const transactions: TransactionChanges[] = [];
    let count = 0;
    for (const changes of keyChanges(decoded, this.chaincode)) {
      if (changes !== undefined) transactions.push(changes);
      if (++count % TRANSACTIONS_PER_TURN === 0) await nextTurn();
    }
    const existing = await this.#existingKeys(transactions, block.number);
    const messages: string[] = [];
    const ends: EventEnd[] = [];
    let offset = 0;
    for (const transaction of transactions) {
      if (++count % TRANSACTIONS_PER_TURN === 0) await nextTurn();
      const common = this.#commonFields(transaction, block.number);
      for (const change of transaction.changes) {
        const place = `${transaction.position}:${change.position}`;
        const { key, value, wasThere = existing.has(key) } = change;
        const type = typeOf(value, wasThere, transaction.function);
        const asset = value === undefined ? '' : `,"asset":${assetText(value)}`;
        const data = `{"type":"${type}",${common},"assetId":${JSON.stringify(key)}${asset}}`;
        const message = sseMessage(type, eventId(block.number, place, block.hash), data);
        messages.push(message);
        offset += Buffer.byteLength(message);
        ends.push({ place, offset });
      }
    }
    const { header, envelopes } = decoded;
    const data = {
      type: 'block',
      blockNumber: block.number,
      blockHash: block.hash,
      previousBlockHash: Buffer.from(header.previousHash).toString('hex'),
      timestamp: decodeEnvelope(envelopes.at(-1) ?? new Uint8Array()).timestamp,
      transactions: envelopes.length,
    };
    messages.push(sseMessage('block', eventId(block.number, 'end', block.hash), JSON.stringify(data)));
    return new BlockEvents(block.number, block.hash, Buffer.from(messages.join('')), ends);
  }

  /** Returns which of the keys without a recorded read existed before the block. */
  async #existingKeys(transactions: readonly TransactionChanges[], block: number): Promise<ReadonlySet<string>> {
    const unknown = transactions
      .flatMap(({ changes }) => changes)
      .filter(({ wasThere, value }) => wasThere === undefined && value !== undefined);
    if (unknown.length === 0) return new Set();
    return this.findExisting(new Set(unknown.map(({ key }) => key)), block);
  }

  /** Returns the fields that all events of a transaction have, as the inside of a JSON object. */
  #commonFields({ transactionId, timestamp, creator }: TransactionChanges, blockNumber: number): string {
    if (this.#creators.size > MAX_CREATORS) this.#creators = new CreatorNames();
    return JSON.stringify({ transactionId, blockNumber, timestamp, ...this.#creators.of({ creator }) }).slice(1, -1);
  }
}

type EventType = 'asset.created' | 'asset.updated' | 'asset.transferred' | 'asset.deleted';

/** Fabric's contract API accepts the contract's name before the function's. */
const TRANSFER = /^(?:[^:]*:)?TransferAsset(?:IfMatch)?$/;

function typeOf(value: Uint8Array | undefined, wasThere: boolean, functionName: string): EventType {
  if (value === undefined) return 'asset.deleted';
  if (!wasThere) return 'asset.created';
  return TRANSFER.test(functionName) ? 'asset.transferred' : 'asset.updated';
}

/** Returns the stored value as JSON in the API's form; `null` for a record that is not an asset. */
function assetText(value: Uint8Array): string {
  const asset = canonicalAsset(value);
  return asset === undefined ? 'null' : Buffer.from(asset.buffer, asset.byteOffset, asset.byteLength).toString();
}

/** Line ends of other languages, which JSON does not escape. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** Encodes a message of an event stream (WHATWG HTML, 9.2.6). The data are one line, because JSON has no line ends. */
export function sseMessage(event: string, id: string | undefined, data: string): string {
  const line = data.replace(OTHER_LINE_ENDS, (end) => String.raw`\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${line}\n\n`;
}
