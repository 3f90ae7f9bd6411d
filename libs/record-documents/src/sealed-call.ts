import { createHmac, randomBytes } from 'node:crypto';
import { ContractError } from '#contract-kit';
import { contractRefusal, type CallOptions } from '#ledger-gateway';
import {
  canonicalJson,
  elementsIn,
  isObject,
  parseDocument,
  requireValidDocument,
  sealDocument,
  SALT_BYTES,
  type Json,
  type OutsideDocument,
  type RefusedRecord,
} from '#records-contract';

/** The functions of the contract that accept documents: the position of the argument, and whether it is a batch. */
const SEALED = new Map([
  ['Create', { position: 2, isBatch: false }],
  ['Update', { position: 2, isBatch: false }],
  ['CreateMany', { position: 1, isBatch: true }],
]);

/** Returns whether a function of the contract accepts documents. */
export function acceptsDocuments(name: string): boolean {
  return SEALED.has(name);
}

/** A document of a call, with the members of the element of a batch. */
export interface CallDocument {
  readonly document: Json;
  /** Absent outside of a batch, and for an id that the contract makes. */
  readonly id?: Json;
}

/** A call whose documents are outside the blocks: the arguments contain their digests. */
export interface SealedCall {
  readonly name: string;
  readonly args: readonly string[];
  readonly transient: ReadonlyMap<string, Uint8Array>;
  /** By their digests. */
  readonly documents: ReadonlyMap<string, OutsideDocument>;
}

/** The documents of a call, before they are sealed. */
export class UnsealedCall {
  readonly name: string;
  readonly isBatch: boolean;
  readonly documents: readonly CallDocument[];
  readonly #args: readonly string[];
  readonly #position: number;

  /** @throws a refusal of the contract for what is no document */
  constructor(name: string, args: readonly string[]) {
    const { position, isBatch } = SEALED.get(name) ?? { position: 0, isBatch: false };
    this.name = name;
    this.#args = args;
    this.#position = position;
    this.isBatch = isBatch;
    const text = args[position] ?? '';
    try {
      this.documents = isBatch ? elementsIn(text).map(elementOf) : [{ document: canonicalForm(parseDocument(text)) }];
    } catch (error) {
      throw error instanceof ContractError ? contractRefusal(error) : error;
    }
  }

  /** Seals the documents. @param salts - one for each */
  seal(salts: readonly Uint8Array[]): SealedCall {
    const transient = new Map<string, Uint8Array>();
    const documents = new Map<string, OutsideDocument>();
    const digests = this.documents.map(({ document }, index) => {
      const salt = salts[index] ?? randomBytes(SALT_BYTES);
      const { digest, bytes } = sealDocument(document, salt);
      transient.set(digest, bytes);
      documents.set(digest, { state: 'stored', salt: Buffer.from(salt).toString('hex'), document });
      return digest;
    });
    return { name: this.name, args: this.argumentsWith(digests), transient, documents };
  }

  /** Returns the arguments with digests in the place of the documents. */
  argumentsWith(digests: readonly string[]): readonly string[] {
    const elements = this.documents.map(({ id }, index) => {
      return canonicalJson({ digest: digests[index] ?? '', ...(id !== undefined && { id }) });
    });
    const argument = this.isBatch ? `[${elements.join(',')}]` : (digests[0] ?? '');
    return this.#args.with(this.#position, argument);
  }

  /** The record type. */
  get type(): string {
    return this.#args[0] ?? '';
  }

  /** Returns the refusal of a document of a batch with its faults. */
  explain(refusal: RefusedRecord, schema: Json): RefusedRecord {
    const entry = this.documents[refusal.index];
    if (refusal.code !== 'RECORD_INVALID' || entry === undefined) return refusal;
    try {
      // It has none if the schema was changed meanwhile.
      requireValidDocument(schema, parseDocument(canonicalJson(entry.document)));
      return refusal;
    } catch (error) {
      return { ...refusal, reason: (error as ContractError).reason };
    }
  }

  /** Returns the digests in the arguments of a recorded call; undefined when it is another call than this with other documents. */
  digestsIn(recorded: readonly string[]): readonly string[] | undefined {
    const argument = recorded[this.#position] ?? '';
    const digests = this.isBatch ? digestsOfBatch(argument) : [argument];
    const own = this.argumentsWith(digests);
    const isSame = digests.length === this.documents.length && own.length === recorded.length;
    return isSame && own.every((text, index) => text === recorded[index]) ? digests : undefined;
  }
}

/** Returns a document with its members in the order in which they are stored and read. */
function canonicalForm(document: Json): Json {
  return JSON.parse(canonicalJson(document)) as Json;
}

function elementOf(element: Json): CallDocument {
  if (isObject(element) && element['document'] !== undefined) return element as { document: Json; id?: Json };
  throw new ContractError('INVALID_ARGUMENT', 'a record must have a document, optionally an id, and nothing else');
}

function digestsOfBatch(argument: string): readonly string[] {
  try {
    return elementsIn(argument).map((element) => {
      const digest = isObject(element) ? element['digest'] : undefined;
      return typeof digest === 'string' ? digest : '';
    });
  } catch {
    return [];
  }
}

/** Of this process, and stored nowhere: nothing that is stored reveals a salt. */
const SECRET = randomBytes(32);

/**
 * Returns the salts of a call. Those of a repeatable write follow from its key and the document, so that the copies of a write that
 * this process receives are equal.
 * @param channel - of the ledger
 */
export function saltsFor(
  { documents }: UnsealedCall,
  channel: string,
  { caller, idempotencyKey }: CallOptions,
): readonly Uint8Array[] {
  if (idempotencyKey === undefined) {
    // One draw for all, because each has a fixed cost.
    const random = randomBytes(SALT_BYTES * documents.length);
    return documents.map((_, index) => random.subarray(index * SALT_BYTES, (index + 1) * SALT_BYTES));
  }
  return documents.map(({ document }, index) => {
    const words = [channel, caller ?? null, idempotencyKey, index, document];
    return createHmac('sha256', SECRET).update(canonicalJson(words)).digest();
  });
}
