import { parseCheckpoint, type Checkpoint } from './checkpoint.js';
import { HASH_BYTES } from './merkle.js';
import { base64Of, bytesOfBase64, parseCount, TlogFault } from './text.js';

// Proofs that a log contains an entry (https://c2sp.org/tlog-proof).

/** A proof, not verified. */
export interface TlogProof {
  /** The index of the entry in the log. */
  readonly index: number;
  /** The hashes of the siblings, from the leaf's on. */
  readonly path: readonly Uint8Array[];
  readonly checkpoint: Checkpoint;
  /** Data that no signature covers; undefined if there is none. */
  readonly extra: Uint8Array | undefined;
}

const HEADER = 'c2sp.org/tlog-proof@v1';
const EXTRA = 'extra ';
const INDEX = 'index ';
/** The height of the tallest tree with less than 2^53 leaves. */
const MAX_PATH = 53;

/**
 * Returns a proof as text.
 * @param checkpoint - a signed note, of a tree that contains the entry
 */
export function tlogProofText(index: number, path: readonly Uint8Array[], checkpoint: string): string {
  return [HEADER, `${INDEX}${index}`, ...path.map(base64Of), '', checkpoint].join('\n');
}

/** Parses a proof; neither its path nor its signatures are verified. @throws {@link TlogFault} */
export function parseTlogProof(text: string): TlogProof {
  const end = text.indexOf('\n\n');
  const [header, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (header !== HEADER) throw new TlogFault(`the first line is not "${HEADER}"`);
  const extra = lines[0]?.startsWith(EXTRA) === true ? lines.shift() : undefined;
  const first = lines.shift() ?? '';
  const index = first.startsWith(INDEX) ? parseCount(first.slice(INDEX.length)) : undefined;
  if (index === undefined) throw new TlogFault('the proof has no index');
  if (lines.length > MAX_PATH) throw new TlogFault(`the path of the proof has more than ${MAX_PATH} hashes`);
  return {
    index,
    path: lines.map(hashOf),
    checkpoint: parseCheckpoint(text.slice(end + 2)),
    extra: extra === undefined ? undefined : extraOf(extra.slice(EXTRA.length)),
  };
}

function hashOf(line: string): Uint8Array {
  const hash = bytesOfBase64(line);
  if (hash?.length === HASH_BYTES) return hash;
  throw new TlogFault('a line of the path is not a hash in base64');
}

function extraOf(encoded: string): Uint8Array {
  const bytes = bytesOfBase64(encoded);
  if (bytes !== undefined) return bytes;
  throw new TlogFault('the extra data is not base64');
}
