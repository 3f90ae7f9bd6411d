import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalAsset } from '#asset-contract';
import {
  CreatorNames,
  decodeBlock,
  decodeEnvelope,
  keyChanges,
  type KeyChange,
  type LedgerBlock,
  type TransactionChanges,
} from '#ledger-gateway';
import { endId, eventId, type EventPosition } from './event-position.js';

/** Where an event ends in the bytes of its block. */
interface Mark {
  readonly transaction: number;
  readonly event: number;
  readonly end: number;
}

/** The events of one block as they are sent, made once for all who follow. */
export class BlockEvents {
  readonly block: number;
  /** All of them, with the one that ends the block. */
  readonly bytes: Buffer;
  readonly #marks: readonly Mark[];

  constructor(block: number, bytes: Buffer, marks: readonly Mark[]) {
    this.block = block;
    this.bytes = bytes;
    this.#marks = marks;
  }

  /** Whether a position is at the beginning of this block, or behind an event that there is. */
  has({ behind }: EventPosition): boolean {
    return behind === undefined || this.#numberUpTo(behind) > 0;
  }

  /** What follows a position in this block. */
  from({ behind }: EventPosition): { readonly bytes: Buffer; readonly count: number } {
    const given = this.#numberUpTo(behind);
    const bytes = given === 0 ? this.bytes : this.bytes.subarray(this.#marks[given - 1]?.end);
    return { bytes, count: this.#marks.length + 1 - given };
  }

  /** How many events there are up to that one; 0 when there is no such event. */
  #numberUpTo(behind: EventPosition['behind']): number {
    if (behind === undefined) return 0;
    const isIt = ({ transaction, event }: Mark): boolean =>
      transaction === behind.transaction && event === behind.event;
    return this.#marks.findIndex(isIt) + 1;
  }
}

/** The events of blocks that follow one another, sent as one. */
export class EventBatch {
  readonly first: number;
  readonly bytes: Buffer;
  /** The block behind it. */
  readonly next: number;
  readonly #blocks: readonly BlockEvents[];
  readonly #count: number;

  constructor(blocks: readonly [BlockEvents, ...BlockEvents[]]) {
    const [{ block, bytes }] = blocks;
    this.first = block;
    this.next = block + blocks.length;
    this.bytes = blocks.length === 1 ? bytes : Buffer.concat(blocks.map((each) => each.bytes));
    this.#blocks = blocks;
    this.#count = blocks.reduce((sum, each) => sum + each.from({ block }).count, 0);
  }

  /** What follows a position, which is not before it. */
  from(position: EventPosition): { readonly bytes: Buffer; readonly count: number } {
    if (position.block === this.first && position.behind === undefined)
      return { bytes: this.bytes, count: this.#count };
    const left = this.#blocks
      .slice(position.block - this.first)
      .map((each) => each.from(each.block === position.block ? position : { block: each.block }));
    return {
      bytes: Buffer.concat(left.map(({ bytes }) => bytes)),
      count: left.reduce((sum, { count }) => sum + count, 0),
    };
  }
}

/**
 * Milliseconds for which a block is worked on before others have their turn: no more than a few requests take, since eight who read what
 * is past keep at it in each turn.
 */
const STEP_MS = 0.1;

/** Submitters whose names are remembered. */
const MOST_CREATORS = 1000;

/** Tells which of these keys were there before a block. */
export type FindFormer = (keys: ReadonlySet<string>, block: number) => Promise<ReadonlySet<string>>;

/** Makes events of blocks. */
export class EventWriter {
  readonly #chaincode: string;
  readonly #findFormer: FindFormer;
  #creators = new CreatorNames();

  /** @param findFormer - asked for what a transaction wrote without having looked */
  constructor(chaincode: string, findFormer: FindFormer) {
    this.#chaincode = chaincode;
    this.#findFormer = findFormer;
  }

  /** @throws `LEDGER.DAMAGED` when the block cannot be decoded; what `findFormer` throws passes through */
  async eventsOf(block: LedgerBlock): Promise<BlockEvents> {
    const { number, hash, bytes } = block;
    const decoded = decodeBlock(bytes);
    const transactions: TransactionChanges[] = [];
    const step = new Step();
    for (const changes of keyChanges(decoded, this.#chaincode)) {
      if (changes !== undefined) transactions.push(changes);
      if (step.isOver) await step.next();
    }
    const former = await this.#formerOf(transactions, number);
    const messages: string[] = [];
    const marks: Mark[] = [];
    let end = 0;
    for (const transaction of transactions) {
      const common = this.#factsOf(transaction, number);
      for (const change of transaction.changes) {
        const message = assetMessage(transaction, change, { number, common, former });
        messages.push(message);
        end += Buffer.byteLength(message);
        marks.push({ transaction: transaction.position, event: change.position, end });
      }
      if (step.isOver) await step.next();
    }
    const { header, envelopes } = decoded;
    const facts = {
      type: 'block',
      blockNumber: number,
      blockHash: hash,
      previousBlockHash: Buffer.from(header.previousHash).toString('hex'),
      timestamp: decodeEnvelope(envelopes.at(-1) ?? new Uint8Array()).timestamp,
      transactions: envelopes.length,
    };
    messages.push(messageOf('block', endId(number), JSON.stringify(facts)));
    return new BlockEvents(number, Buffer.from(messages.join('')), marks);
  }

  /** Of the keys that the block does not tell about, those that were there before it. */
  async #formerOf(transactions: readonly TransactionChanges[], block: number): Promise<ReadonlySet<string>> {
    const unknown = transactions
      .flatMap(({ changes }) => changes)
      .filter(({ wasThere, value }) => wasThere === undefined && value !== undefined);
    if (unknown.length === 0) return new Set();
    return this.#findFormer(new Set(unknown.map(({ key }) => key)), block);
  }

  /** What all events of a transaction say, as the inside of a JSON object. */
  #factsOf({ transactionId, timestamp, creator }: TransactionChanges, blockNumber: number): string {
    if (this.#creators.size > MOST_CREATORS) this.#creators = new CreatorNames();
    return JSON.stringify({ transactionId, blockNumber, timestamp, ...this.#creators.of({ creator }) }).slice(1, -1);
  }
}

/** A piece of work, behind which others have their turn. */
class Step {
  #began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#began >= STEP_MS;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#began = performance.now();
  }
}

type EventType = 'asset.created' | 'asset.updated' | 'asset.transferred' | 'asset.deleted';

/** Contracts of Fabric's contract API may be called with their name before the function's. */
const TRANSFER = /^(?:[^:]*:)?TransferAsset(?:IfMatch)?$/;

function assetMessage(
  transaction: TransactionChanges,
  change: KeyChange,
  { number, common, former }: Readonly<{ number: number; common: string; former: ReadonlySet<string> }>,
): string {
  const { key, value, position, wasThere = former.has(key) } = change;
  const type = typeOf(value, wasThere, transaction.function);
  const asset = value === undefined ? '' : `,"asset":${assetText(value)}`;
  const data = `{"type":"${type}",${common},"assetId":${JSON.stringify(key)}${asset}}`;
  return messageOf(type, eventId(number, transaction.position, position), data);
}

function typeOf(value: Uint8Array | undefined, wasThere: boolean, functionName: string): EventType {
  if (value === undefined) return 'asset.deleted';
  if (!wasThere) return 'asset.created';
  return TRANSFER.test(functionName) ? 'asset.transferred' : 'asset.updated';
}

/** What was stored, as JSON in the API's form; `null` for a record that is no asset. */
function assetText(value: Uint8Array): string {
  const asset = canonicalAsset(value);
  return asset === undefined ? 'null' : Buffer.from(asset.buffer, asset.byteOffset, asset.byteLength).toString();
}

/** What ends a line in some languages, and may stand in JSON as it is. */
const OTHER_LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A message of an event stream (WHATWG HTML, 9.2.6). JSON holds no line end, so that the data are one line. */
function messageOf(event: string, id: string, data: string): string {
  const line = data.replace(OTHER_LINE_ENDS, (end) => String.raw`\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `event: ${event}\nid: ${id}\ndata: ${line}\n\n`;
}
