import { parseCheckpoint } from './checkpoint.js';
import { cosignedAt } from './cosignature.js';
import type { PolicyWitness } from './policy.js';
import { base64Of, parseCount, TlogFault } from './text.js';

// The log's side of https://c2sp.org/tlog-witness.

/** A witness confirmed another history of a log than the submitted one. */
export class ForkError extends Error {
  override readonly name = 'ForkError';
}

/** The log to confirm. */
export interface WitnessableLog {
  /** The size of the newest checkpoint that it has signed. */
  size(): number;
  /** Returns the proof that the tree of size `to` continues that of size `from`. */
  consistencyProof(from: number, to: number): readonly Uint8Array[];
}

/** More than a witness answers: a few signature lines, or a number. */
const MAX_BODY_BYTES = 64 * 1024;

/** Requests confirmations of one log from one witness, one at a time. */
export class WitnessClient {
  readonly #witness: PolicyWitness;
  readonly #url: string;
  readonly #log: WitnessableLog;
  /** The size that the witness confirmed last, as far as it is known. */
  #known = 0;

  /** @param url - the submission prefix of the witness */
  constructor(witness: PolicyWitness, url: string, log: WitnessableLog) {
    this.#witness = witness;
    this.#url = `${url.replace(/\/$/, '')}/add-checkpoint`;
    this.#log = log;
  }

  /**
   * Requests the confirmation of a checkpoint.
   * @param checkpoint - a signed note
   * @returns the signature lines of the witness, which are verified
   * @throws {@link ForkError}; other errors when the witness does not answer as it should
   */
  async confirm(checkpoint: string, signal: AbortSignal): Promise<string> {
    const { size } = parseCheckpoint(checkpoint);
    let { status, body } = await this.#send(checkpoint, size, signal);
    if (status === 409) {
      this.#adopt(body, size);
      ({ status, body } = await this.#send(checkpoint, size, signal));
    }
    // Go's witness answers 409 to another root of the same size. No history contradicts a witness that knows none.
    if (this.#known > 0 && (status === 422 || (status === 409 && parseSize(body) === this.#known)))
      throw new ForkError(`the witness confirmed another history of its first ${this.#known} entries`);
    if (status !== 200) throw new Error(`the witness answered ${status}: ${body.slice(0, 200).trim()}`);
    const lines = this.#verified(checkpoint, body);
    this.#known = size;
    return lines;
  }

  async #send(checkpoint: string, size: number, signal: AbortSignal): Promise<{ status: number; body: string }> {
    const proof = this.#log.consistencyProof(this.#known, size).map((hash) => `${base64Of(hash)}\n`);
    const response = await fetch(this.#url, {
      method: 'POST',
      body: `old ${this.#known}\n${proof.join('')}\n${checkpoint}`,
      redirect: 'error',
      signal,
    });
    return { status: response.status, body: await textOf(response) };
  }

  /** Adopts the size that the witness knows, up to which the next request proves the growth. */
  #adopt(body: string, size: number): void {
    const known = parseSize(body);
    if (known > this.#log.size())
      throw new ForkError(`the witness confirmed ${known} entries, and ${this.#log.size()} were signed here`);
    if (known > size) throw new Error('the witness confirmed a newer checkpoint meanwhile');
    this.#known = known;
  }

  #verified(checkpoint: string, body: string): string {
    const { key } = this.#witness;
    const cosigned = parseCheckpoint(checkpoint + body);
    if (cosignedAt(cosigned, key) === undefined) throw new TlogFault('the answer contains no signature of the witness');
    const lines = cosigned.note.signatures.filter(({ name, id }) => name === key.name && id === key.id);
    return lines.map(({ line }) => line).join('');
  }
}

function parseSize(body: string): number {
  const size = parseCount(body.trimEnd());
  if (size === undefined) throw new TlogFault('the witness named no size');
  return size;
}

/** Reads a body up to a limit. */
async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new TlogFault(`the answer has more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
