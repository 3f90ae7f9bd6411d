import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalAsset } from '#asset-contract';
import { CreatorNames } from '#chain-pages';
import {
  decodeBlock,
  type DecodedBlock,
  type DecodedEvent,
  decodeEnvelope,
  keyChanges,
  type TransactionChanges,
} from '#fabric-codec';
import type { LedgerBlock } from '#ledger-gateway';
import { payloadOf } from '../contracts/call-results.js';
import { eventId, type EventPosition, type EventSelection } from './event-position.js';

/** An encoded event of a block. */
interface EventMessage {
  /** TRANSACTION:EVENT. */
  readonly place: string;
  readonly bytes: Buffer;
}

/** An encoded chaincode event. */
interface ChaincodeMessage extends EventMessage {
  readonly chaincode: string;
  readonly name: string;
}

/** The encoded events of a block that follow a position, and their number. */
export interface EncodedEvents {
  readonly bytes: Buffer;
  readonly count: number;
}

/** The events of one block as they are sent, encoded once for all clients. */
export class BlockEvents {
  /** All messages of assets, the one that ends the block included. */
  readonly #assets: Buffer;
  /** The ends of all messages of assets but the last in {@link #assets}. */
  readonly #ends: readonly { readonly place: string; readonly offset: number }[];
  /** The message that moves the position of a client to the end of the block, without an event. */
  readonly #position: Buffer;
  /** Bytes of all chaincode events. */
  readonly #chaincodesSize: number;

  /**
   * @param hash - the hexadecimal hash of the block's header
   * @param assets - the events of assets
   * @param end - the event that ends the block
   */
  constructor(
    readonly block: number,
    readonly hash: string,
    assets: readonly EventMessage[],
    private readonly chaincodes: readonly ChaincodeMessage[],
    end: Buffer,
  ) {
    let offset = 0;
    this.#assets = Buffer.concat([...assets.map(({ bytes }) => bytes), end]);
    this.#ends = assets.map(({ place, bytes }) => ({ place, offset: (offset += bytes.length) }));
    this.#position = Buffer.from(`id: ${eventId(block, 'end', hash)}\n\n`);
    this.#chaincodesSize = chaincodes.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Bytes of all events. */
  get size(): number {
    return this.#assets.length + this.#chaincodesSize;
  }

  /** Returns the bytes of all events of a kind. */
  sizeOf(selection: EventSelection | undefined): number {
    return selection === undefined ? this.#assets.length : this.#chaincodesSize;
  }

  /** Returns whether a position is at the start of this block or after one of its events of that kind. */
  has({ after }: EventPosition, selection: EventSelection | undefined): boolean {
    return after === undefined || this.#countUpTo(after, selection) > 0;
  }

  /** Returns the messages of this block that follow a position. */
  from({ block, after }: EventPosition, selection: EventSelection | undefined): EncodedEvents {
    const sent = block === this.block ? this.#countUpTo(after, selection) : 0;
    if (selection === undefined) {
      return { bytes: this.#assets.subarray(this.#ends[sent - 1]?.offset), count: this.#ends.length + 1 - sent };
    }
    const { chaincode, names } = selection;
    const found = this.chaincodes
      .slice(sent)
      .filter((event) => event.chaincode === chaincode && (names.size === 0 || names.has(event.name)));
    return { bytes: Buffer.concat([...found.map(({ bytes }) => bytes), this.#position]), count: found.length };
  }

  /**
   * Returns the number of events up to a position; 0 if it does not exist. Chaincode events count regardless of the
   * selection, so that a client can resume with another selection.
   */
  #countUpTo(after: EventPosition['after'], selection: EventSelection | undefined): number {
    const events = selection === undefined ? this.#ends : this.chaincodes;
    return events.findIndex(({ place }) => place === after) + 1;
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
    const assets: EventMessage[] = [];
    const chaincodes: ChaincodeMessage[] = [];
    for (const transaction of transactions) {
      if (++count % TRANSACTIONS_PER_TURN === 0) await nextTurn();
      const common = this.#commonFields(transaction, block.number);
      assets.push(...assetMessages(transaction, common, { block, existing }));
      const { event, position } = transaction;
      if (event !== undefined) chaincodes.push(chaincodeMessage(event, common, { block, place: `${position}:0` }));
    }
    return new BlockEvents(block.number, block.hash, assets, chaincodes, endMessage(block, decoded));
  }

  /** Returns which of the keys without a recorded read existed before the block. */
  async #existingKeys(transactions: readonly TransactionChanges[], block: number): Promise<ReadonlySet<string>> {
    const unknown = transactions
      .flatMap(({ changes }) => changes)
      .filter(({ existed, value }) => existed === undefined && value !== undefined);
    if (unknown.length === 0) return new Set();
    return this.findExisting(new Set(unknown.map(({ key }) => key)), block);
  }

  /** Returns the fields that all events of a transaction have, as the inside of a JSON object. */
  #commonFields({ transactionId, timestamp, creator }: TransactionChanges, blockNumber: number): string {
    if (this.#creators.size > MAX_CREATORS) this.#creators = new CreatorNames();
    return JSON.stringify({ transactionId, blockNumber, timestamp, ...this.#creators.of({ creator }) }).slice(1, -1);
  }
}

/** Encodes the changes of assets by a transaction. */
function assetMessages(
  transaction: TransactionChanges,
  common: string,
  { block, existing }: Readonly<{ block: LedgerBlock; existing: ReadonlySet<string> }>,
): readonly EventMessage[] {
  return transaction.changes.map(({ position, key, value, existed = existing.has(key) }) => {
    const place = `${transaction.position}:${position}`;
    const type = typeOf(value, existed, transaction.function);
    const asset = value === undefined ? '' : `,"asset":${assetText(value)}`;
    const data = `{"type":"${type}",${common},"assetId":${JSON.stringify(key)}${asset}}`;
    return { place, bytes: Buffer.from(sseMessage(type, eventId(block.number, place, block.hash), data)) };
  });
}

/** Encodes a chaincode event. Its name is not the message's type, which could then be any text, also `error`. */
function chaincodeMessage(
  { chaincode, name, payload }: DecodedEvent,
  common: string,
  { block, place }: Readonly<{ block: LedgerBlock; place: string }>,
): ChaincodeMessage {
  const { payload: text, encoding } = payloadOf(payload);
  const own = JSON.stringify({ chaincode, eventName: name, payload: text, encoding }).slice(1);
  const data = `{"type":"chaincode",${common},${own}`;
  const message = sseMessage('chaincode', eventId(block.number, place, block.hash), data);
  return { chaincode, name, place, bytes: Buffer.from(message) };
}

/** Encodes the event that ends a block. */
function endMessage({ number, hash }: LedgerBlock, { header, envelopes }: DecodedBlock): Buffer {
  const data = {
    type: 'block',
    blockNumber: number,
    blockHash: hash,
    previousBlockHash: Buffer.from(header.previousHash).toString('hex'),
    timestamp: decodeEnvelope(envelopes.at(-1) ?? new Uint8Array()).timestamp,
    transactions: envelopes.length,
  };
  return Buffer.from(sseMessage('block', eventId(number, 'end', hash), JSON.stringify(data)));
}

type EventType = 'asset.created' | 'asset.updated' | 'asset.transferred' | 'asset.deleted';

/** Fabric's contract API accepts the contract's name before the function's. */
const TRANSFER = /^(?:[^:]*:)?TransferAsset(?:IfMatch)?$/;

function typeOf(value: Uint8Array | undefined, existed: boolean, functionName: string): EventType {
  if (value === undefined) return 'asset.deleted';
  if (!existed) return 'asset.created';
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
