import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeBlock } from '../fabric-blocks/decode/decode-block.js';
import { decodeEnvelope, type DecodedEnvelope } from '../fabric-blocks/decode/decode-envelope.js';
import { attempt } from '../fabric-blocks/messages/decode-message.js';
import type { LedgerBlock } from '../ports/ledger.port.js';
import type { ChainPosition } from '../ports/pages.js';

/** The blocks of a channel, wherever they are read. */
export interface ChainReader {
  /** Number of blocks. */
  height(): number | Promise<number>;
  /** Undefined for one that is not there: a peer that was made from a snapshot has none from before. */
  block(number: number): LedgerBlock | undefined | Promise<LedgerBlock | undefined>;
  /** Most blocks that are worth being asked for at once. */
  readonly ahead: number;
  /** Lets other work run between two steps; a turn of the event loop by default. */
  readonly pause?: () => Promise<void>;
}

/** A transaction in its block. */
export interface ChainTransaction extends ChainPosition {
  /** Undefined where the block holds bytes that are none. */
  readonly envelope: DecodedEnvelope | undefined;
  /** Fabric's `TxValidationCode`. */
  readonly validationCode: number;
}

/** Most blocks that one page looks at. */
export const MOST_BLOCKS = 200;
/** Most transactions that one page looks at; the block that it begins with is looked at to its end. */
export const MOST_TRANSACTIONS = 5000;

/** `TxValidationCode.NOT_VALIDATED`. */
const NOT_VALIDATED = 254;

/** Blocks below that number, newest first, until one is not there. */
export async function* blocksBelow(chain: ChainReader, number: number, count: number): AsyncGenerator<LedgerBlock> {
  const end = Math.max(0, number - count);
  let ahead = 1;
  for (let next = number - 1; next >= end;) {
    const wanted = Array.from({ length: Math.min(ahead, next - end + 1) }, (_, index) => next - index);
    // More and more at once: most pages need few.
    ahead = Math.min(2 * ahead, chain.ahead);
    for (const block of await Promise.all(wanted.map(async (it) => chain.block(it)))) {
      if (block === undefined) return;
      yield block;
    }
    next -= wanted.length;
  }
}

/** Decoding one takes about a tenth of a millisecond, for which everybody else waits. */
const TRANSACTIONS_IN_A_TURN = 8;

/** The transactions of a block, the last one first, with a pause after every few. */
export async function* transactionsOf(
  block: LedgerBlock,
  pause: () => Promise<void> = nextTurn,
): AsyncGenerator<ChainTransaction> {
  const { envelopes, validationCodes } = decodeBlock(block.bytes);
  for (let position = envelopes.length - 1; position >= 0; position--) {
    const bytes = envelopes[position] ?? new Uint8Array();
    const validationCode = validationCodes[position] ?? NOT_VALIDATED;
    yield { block: block.number, position, envelope: attempt(() => decodeEnvelope(bytes)), validationCode };
    if ((envelopes.length - position) % TRANSACTIONS_IN_A_TURN === 0) await pause();
  }
}
