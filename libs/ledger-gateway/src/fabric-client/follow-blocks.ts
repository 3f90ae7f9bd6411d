import { UnavailableError } from '../errors/ledger.errors.js';
import type { LedgerBlock } from '../ports/ledger.port.js';
import { jittered, pause } from './pause.js';
import { ledgerBlock } from './recorded-block.js';

const DELAY = { base: 100, most: 2000 };

/**
 * Blocks from `startBlock` on, in order and each once, whatever becomes of the connection: when it is lost, the blocks
 * are asked for again from the first one that was not given. Ends with the signal.
 */
export async function* followBlocks(
  open: (startBlock: number) => AsyncIterable<Uint8Array>,
  startBlock: number,
  signal: AbortSignal,
): AsyncGenerator<LedgerBlock, void, undefined> {
  let next = Math.max(0, Math.trunc(startBlock));
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const bytes of open(next)) {
        const block = ledgerBlock(bytes);
        if (block.number !== next) continue;
        next++;
        failures = 0;
        yield block;
      }
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
    if (!(await pause(jittered(failures++, DELAY), { signal }))) return;
  }
}
