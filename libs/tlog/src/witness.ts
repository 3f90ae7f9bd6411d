import { createHash } from 'node:crypto';
import { parseCheckpoint, type Checkpoint } from './checkpoint.js';
import { cosignatureLine, isSignedByLog } from './cosignature.js';
import { EMPTY_ROOT, HASH_BYTES, isConsistent, type TreeHead } from './merkle.js';
import type { VerifierKey } from './signed-note.js';
import type { SignerKey } from './signing-keys.js';
import { base64Of, bytesOfBase64, parseCount, TlogFault } from './text.js';

// The rules of a witness (https://c2sp.org/tlog-witness): it confirms a checkpoint only if the log has grown since the last one.

/** The newest checkpoint of a log that a witness confirmed. */
export interface WitnessedLog {
  readonly size: number;
  /** Base64. */
  readonly root: string;
  /** The checkpoint with the signatures of the log and of the witness. */
  readonly checkpoint: string;
}

/** What a witness remembers; it must survive everything that the witness's key survives. */
export interface WitnessState {
  get(origin: string): WitnessedLog | undefined;
  /** Remembers a checkpoint durably before it returns. @throws when it cannot */
  set(origin: string, log: WitnessedLog): void;
}

/** An answer over HTTP. */
export interface WitnessAnswer {
  readonly status: 200 | 400 | 403 | 404 | 409 | 422;
  readonly type: 'text/plain; charset=utf-8' | 'text/x.tlog.size';
  readonly body: string;
}

/** More than a consistency proof can have (https://c2sp.org/tlog-witness, add-checkpoint). */
const MAX_PROOF_LINES = 63;

/** Confirms checkpoints of some logs. */
export class Witness {
  readonly #key: SignerKey;
  readonly #logs: ReadonlyMap<string, readonly VerifierKey[]>;
  readonly #state: WitnessState;
  readonly #now: () => number;

  /**
   * @param logs - the keys of the logs; the name of a key is the log's origin, and a log may have several
   * @param now - milliseconds since the epoch
   */
  constructor(key: SignerKey, logs: readonly VerifierKey[], state: WitnessState, now: () => number = Date.now) {
    this.#key = key;
    this.#logs = Map.groupBy(logs, ({ name }) => name);
    this.#state = state;
    this.#now = now;
  }

  /**
   * Answers `POST /add-checkpoint`. A checkpoint is remembered before its cosignature is returned.
   * @throws what the state throws: the checkpoint is not confirmed then
   */
  addCheckpoint(body: string): WitnessAnswer {
    let request: AddRequest;
    try {
      request = parseAddRequest(body);
    } catch (error) {
      if (error instanceof TlogFault) return refusal(400, error.message);
      throw error;
    }
    return this.#add(request);
  }

  #add({ oldSize, proof, checkpoint }: AddRequest): WitnessAnswer {
    const { origin, size, root } = checkpoint;
    const keys = this.#logs.get(origin);
    if (keys === undefined) return refusal(404, 'the log is not configured at this witness');
    if (!isSigned(checkpoint, keys)) return refusal(403, 'the checkpoint is not signed by a key of the log');
    if (oldSize > size) return refusal(400, 'the old size is larger than that of the checkpoint');
    const known = headOf(this.#state.get(origin));
    if (known.size !== oldSize) return { status: 409, type: 'text/x.tlog.size', body: `${known.size}\n` };
    if (!isConsistent(known, checkpoint, proof))
      return refusal(422, 'the proof does not show that the checkpoint continues the last one that was confirmed');
    const line = cosignatureLine(this.#key, checkpoint, Math.floor(this.#now() / 1000));
    const signed = signedBy(checkpoint, keys);
    this.#state.set(origin, { size, root: base64Of(root), checkpoint: `${signed}${line}` });
    return answer(200, line);
  }

  /** Answers `GET /<SHA-256 of the origin, in hexadecimal>/checkpoint`. */
  checkpoint(originHash: string): WitnessAnswer {
    const origin = [...this.#logs.keys()].find((name) => hexHash(name) === originHash);
    const log = origin === undefined ? undefined : this.#state.get(origin);
    return log === undefined ? refusal(404, 'no checkpoint of that log was confirmed') : answer(200, log.checkpoint);
  }
}

const EMPTY: TreeHead = { size: 0, root: EMPTY_ROOT };

interface AddRequest {
  readonly oldSize: number;
  readonly proof: readonly Uint8Array[];
  readonly checkpoint: Checkpoint;
}

/** Parses the size that the log believes to be confirmed, a consistency proof, and the checkpoint after an empty line. */
function parseAddRequest(body: string): AddRequest {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n');
  const oldSize = first.startsWith('old ') ? parseCount(first.slice('old '.length)) : undefined;
  if (oldSize === undefined) throw new TlogFault('the first line is not "old" and a size');
  if (lines.length > MAX_PROOF_LINES) throw new TlogFault(`the proof has more than ${MAX_PROOF_LINES} lines`);
  return { oldSize, proof: lines.map(parseHash), checkpoint: parseCheckpoint(body.slice(end + 2)) };
}

function parseHash(line: string): Uint8Array {
  const hash = bytesOfBase64(line);
  if (hash?.length === HASH_BYTES) return hash;
  throw new TlogFault('a line of the proof is not a hash in base64');
}

/** A note with a false signature by a known key is malformed, and answered as one without any. */
function isSigned(checkpoint: Checkpoint, keys: readonly VerifierKey[]): boolean {
  try {
    return isSignedByLog(checkpoint, keys);
  } catch (error) {
    if (error instanceof TlogFault) return false;
    throw error;
  }
}

function headOf(log: WitnessedLog | undefined): TreeHead {
  return log === undefined ? EMPTY : { size: log.size, root: Buffer.from(log.root, 'base64') };
}

/** The checkpoint with the signatures of these keys only: others were not verified. */
function signedBy({ note }: Checkpoint, keys: readonly VerifierKey[]): string {
  const lines = note.signatures
    .filter(({ name, id }) => keys.some((key) => key.name === name && key.id === id))
    .map((signature) => signature.line);
  return `${note.text}\n${lines.join('')}`;
}

function hexHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function answer(status: WitnessAnswer['status'], body: string): WitnessAnswer {
  return { status, type: 'text/plain; charset=utf-8', body };
}

function refusal(status: WitnessAnswer['status'], why: string): WitnessAnswer {
  return answer(status, `${why}\n`);
}
