import { ApiError } from '../http/errors.js';

/** Up to where somebody has followed the events: all blocks before one, and of that what stands up to an event. */
export interface EventPosition {
  /** The block that comes next. */
  readonly block: number;
  /** What of it was given already, when that is not nothing. */
  readonly behind?: { readonly transaction: number; readonly event: number };
}

export const TEXT = {
  badId: 'Last-Event-ID must be an id as this API gives it with each event: BLOCK:TRANSACTION:EVENT or BLOCK:end.',
  unknownId: 'Last-Event-ID names an event that there is not: was it given by another ledger?',
  badFrom: 'The query parameter from must be the number of a block.',
  ending: 'The server is about to end: connect again in a moment.',
} as const;

const NUMBER = String.raw`(0|[1-9]\d{0,14})`;
const BLOCK = new RegExp(`^${NUMBER}$`);
const ID = new RegExp(`^${NUMBER}:(?:end|${NUMBER}:${NUMBER})$`);

/** The id of an event. */
export function eventId(block: number, transaction: number, event: number): string {
  return `${block}:${transaction}:${event}`;
}

/** The id of what ends a block. */
export function endId(block: number): string {
  return `${block}:end`;
}

/** The id behind which a position stands; undefined at the beginning of the chain, behind nothing. */
export function idBefore({ block, behind }: EventPosition): string | undefined {
  if (behind !== undefined) return eventId(block, behind.transaction, behind.event);
  return block === 0 ? undefined : endId(block - 1);
}

/**
 * Reads where a request wants to go on: behind its Last-Event-ID, else at the block that its query names.
 * @returns undefined when it says neither
 * @throws `API.INVALID_REQUEST` for what is no id or number, and for unknown parameters
 */
export function parsePosition(
  query: Readonly<Record<string, unknown>>,
  lastEventId: string | undefined,
): EventPosition | undefined {
  const from = parseFrom(query);
  // A client that was never given an id has an empty one (WHATWG HTML, 9.2.2), and may send it.
  return lastEventId === undefined || lastEventId === '' ? from : parseId(lastEventId);
}

function parseFrom(query: Readonly<Record<string, unknown>>): EventPosition | undefined {
  for (const name of Object.keys(query)) {
    if (name !== 'from') {
      throw new ApiError(
        'API.INVALID_REQUEST',
        `Unknown query parameter ${JSON.stringify(name.slice(0, 64))}; use from.`,
      );
    }
  }
  const { from } = query;
  if (from === undefined) return undefined;
  if (typeof from !== 'string') throw new ApiError('API.INVALID_REQUEST', 'The query parameter from stands twice.');
  if (!BLOCK.test(from)) throw new ApiError('API.INVALID_REQUEST', TEXT.badFrom);
  return { block: Number(from) };
}

function parseId(id: string): EventPosition {
  const [, block, transaction, event] = ID.exec(id) ?? [];
  if (block === undefined) throw new ApiError('API.INVALID_REQUEST', TEXT.badId);
  if (transaction === undefined) return { block: Number(block) + 1 };
  return { block: Number(block), behind: { transaction: Number(transaction), event: Number(event) } };
}
