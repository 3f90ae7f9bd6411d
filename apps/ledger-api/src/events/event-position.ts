import { invalidRequest } from '../http/errors.js';

/** A position in the events of the chain: before a block, or within a block after one of its events. */
export interface EventPosition {
  /** The block whose events come next. */
  readonly block: number;
  /** The last event of that block that was sent, if any, as TRANSACTION:EVENT. */
  readonly after?: string | undefined;
}

/** A position that a client requests. */
export interface RequestedPosition extends EventPosition {
  /** The beginning of the hash of the block that the client's event id names, if the id contains it. */
  readonly hash?: string | undefined;
}

/** The chaincode events that a client follows; without a selection it follows the changes of assets. */
export interface EventSelection {
  readonly chaincode: string;
  /** Names of events; all if it is empty. */
  readonly names: ReadonlySet<string>;
}

export const TEXT = {
  badId: 'Last-Event-ID must be an id that this API sent: BLOCK:TRANSACTION:EVENT:HASH or BLOCK:end:HASH.',
  unknownId: 'Last-Event-ID names an event that does not exist. It may be from another ledger.',
  otherChain: 'Last-Event-ID is from another ledger: its block has another hash.',
  badFrom: 'The query parameter "from" must be a block number.',
  badEvent: 'The query parameter "event" must be the name of an event, at most 256 characters; 20 of them at most.',
  beyondHead: (height: number) => `This is beyond the newest block, ${height - 1}. The id may be from another ledger.`,
  ending: 'The server is shutting down. Reconnect later.',
} as const;

/** Hexadecimal digits of a block's hash in an event id. */
const HASH_DIGITS = 8;

const NUMBER = String.raw`(?:0|[1-9]\d{0,14})`;
const BLOCK = new RegExp(`^${NUMBER}$`);
/** Ids of releases before 0.2 have no hash. */
const ID = new RegExp(`^(${NUMBER}):(end|${NUMBER}:${NUMBER})(?::([0-9a-f]{${HASH_DIGITS}}))?$`);

/** Returns the part of a block's hash that event ids contain. */
export function shortHash(blockHash: string): string {
  return blockHash.slice(0, HASH_DIGITS);
}

/** Returns the id of an event; `place` is `TRANSACTION:EVENT` or `end`. */
export function eventId(block: number, place: string, blockHash: string): string {
  return `${block}:${place}:${shortHash(blockHash)}`;
}

/**
 * Parses the position from which a request resumes: after its Last-Event-ID, otherwise at the block of its query.
 *
 * @returns undefined if the request has neither
 * @throws `API.INVALID_REQUEST` for malformed ids and numbers and for unknown parameters
 */
export function parsePosition(
  query: Readonly<Record<string, unknown>>,
  lastEventId: string | undefined,
): RequestedPosition | undefined {
  const from = parseFrom(query);
  // A client that never received an id has an empty one (WHATWG HTML, 9.2.2), and may send it.
  return lastEventId === undefined || lastEventId === '' ? from : parseId(lastEventId);
}

function parseFrom({ from, ...others }: Readonly<Record<string, unknown>>): RequestedPosition | undefined {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    const name = JSON.stringify(unknown.slice(0, 64));
    throw invalidRequest(`Unknown query parameter ${name}; use "from".`);
  }
  if (from === undefined) return undefined;
  if (typeof from !== 'string') {
    throw invalidRequest('The query parameter "from" appears more than once.');
  }
  if (!BLOCK.test(from)) throw invalidRequest(TEXT.badFrom);
  return { block: Number(from) };
}

function parseId(id: string): RequestedPosition {
  const [, number, place, hash] = ID.exec(id) ?? [];
  if (number === undefined || place === undefined) throw invalidRequest(TEXT.badId);
  const block = Number(number);
  return place === 'end' ? { block: block + 1, hash } : { block, after: place, hash };
}

/** Most names of events that a client selects, and the most characters of one. */
const MAX_NAMES = 20;
const MAX_NAME = 256;

/**
 * Parses the names of events that a client selects, each a query parameter `event`.
 * @throws `API.INVALID_REQUEST` for empty or too long names, and for too many
 */
export function parseSelection(chaincode: string, event: unknown): EventSelection {
  const names = event === undefined ? [] : [event].flat();
  const isValid = (name: unknown): name is string => typeof name === 'string' && name !== '' && name.length <= MAX_NAME;
  if (names.length > MAX_NAMES || !names.every(isValid)) throw invalidRequest(TEXT.badEvent);
  return { chaincode, names: new Set(names) };
}
