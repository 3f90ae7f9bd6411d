import { PAC_ERRORS } from '../../pac/pac-answer.js';
import { PacEvaluator } from '../../pac/pac-evaluator.js';
import { ListError } from './list-reader.js';

/** The limit of a script, as in Chromium. */
const MAX_SCRIPT_BYTES = 1_048_576;

/**
 * Reads a PAC script, and loads it once to see whether it can be used.
 *
 * @throws {@link ListError}
 */
export async function readPacScript(bytes: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let total = 0;
  for await (const chunk of bytes) {
    total += chunk.length;
    if (total > MAX_SCRIPT_BYTES) throw new ListError('is larger than 1 MiB');
    chunks.push(Buffer.from(chunk));
  }
  const script = textOf(Buffer.concat(chunks));
  const evaluator = new PacEvaluator({ script, resolves: false });
  try {
    const reply = await evaluator.load();
    if (reply === undefined) return script;
    throw new ListError(
      `cannot be used: ${PAC_ERRORS[reply.error]}${reply.message === undefined ? '' : ` (${reply.message})`}`,
    );
  } finally {
    evaluator.close();
  }
}

/** Old scripts are in Latin-1. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
