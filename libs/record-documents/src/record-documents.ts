import { decodeActions, decodeEnvelope } from '#fabric-codec';
import {
  type CallOptions,
  isLedgerError,
  type LedgerChannel,
  LedgerError,
  type Page,
  type RecordFilter,
  type RecordName,
  type SubmitResult,
} from '#ledger-gateway';
import {
  MAX_SEALED,
  type OutsideDocument,
  type RecordBatchResult,
  type RecordPayload,
  RECORDS_NAME,
  type RecordType,
} from '#records-contract';
import { contentOf, isStoredOutside, meetsConditions, type RecordContent, type StoredForm } from './record-content.js';
import { recordRefusal } from './record-refusal.js';
import { acceptsDocuments, saltsFor, type SealedCall, UnsealedCall } from './sealed-call.js';

/** The calls of a ledger that this needs. */
export type RecordsLedger = Pick<LedgerChannel, 'channel' | 'submit' | 'evaluate' | 'transactionById' | 'requirePurge'>;

/** A submitted call of the records contract. */
export interface RecordSubmitResult extends SubmitResult {
  /** The documents of the call that are outside the blocks, by their digests. */
  readonly documents: ReadonlyMap<string, OutsideDocument>;
}

/** A record with its content. */
export interface ListedRecord extends RecordContent {
  readonly id: string;
}

/** Documents and records that are read in one call. */
const PAGE = 200;
/** Records that one page of a filtered list reads. */
const MAX_SCANNED = 2000;
/** A digest of no document. */
const NO_DIGEST = '0'.repeat(64);
/** How often a purge is begun again because the record was changed meanwhile. */
const MAX_ATTEMPTS = 5;

/** Where documents of the types of a ledger are stored, which never changes. */
const payloads = new WeakMap<RecordsLedger, Map<string, RecordPayload>>();

/**
 * Calls the records contract so that documents of types with the payload `outside` are in no block: it replaces documents by their
 * digests in writes, and digests by documents in what is read.
 */
export class RecordDocuments {
  readonly #ledger: RecordsLedger;
  readonly #caller: string | undefined;

  /** @param caller - who reads */
  constructor(ledger: RecordsLedger, caller?: string) {
    this.#ledger = ledger;
    this.#caller = caller;
  }

  /** Returns where documents of a type are stored. @throws `LEDGER.RECORD_TYPE_UNKNOWN` */
  async payloadOf(type: string): Promise<RecordPayload> {
    const known = payloads.get(this.#ledger) ?? new Map<string, RecordPayload>();
    payloads.set(this.#ledger, known);
    const payload = known.get(type) ?? ((await this.#read('GetType', [type])) as RecordType).payload;
    known.set(type, payload);
    return payload;
  }

  /**
   * Submits a call of the contract whose documents are JSON texts.
   * @throws a refusal of the contract by its code, `LEDGER.NOT_SUPPORTED` where documents cannot be stored outside the blocks, and
   * what the ledger throws
   */
  async submit(name: string, args: readonly string[], options: CallOptions): Promise<RecordSubmitResult> {
    const [type = ''] = args;
    if (name === 'DefineType') await this.#requireCollection(args);
    if (!acceptsDocuments(name) || (await this.payloadOf(type)) === 'inside') {
      return { ...(await this.#submit({ name, args }, options)), documents: new Map() };
    }
    const call = new UnsealedCall(name, args);
    const sealed = call.seal(saltsFor(call, this.#ledger.channel, options));
    try {
      return await this.#submitSealed(call, sealed, options);
    } catch (error) {
      if (!isLedgerError(error, 'LEDGER.KEY_REUSED') || error.transactionId === undefined) throw error;
      const recorded = await this.#asRecorded(call, error.transactionId);
      if (recorded === undefined) throw error;
      return this.#submitSealed(call, recorded, options);
    }
  }

  async #submitSealed(call: UnsealedCall, sealed: SealedCall, options: CallOptions): Promise<RecordSubmitResult> {
    const submitted = await this.#submit(sealed, options);
    return { ...submitted, result: await this.#withReasons(call, submitted.result), documents: sealed.documents };
  }

  /** Returns the result of a call with the faults of the documents that it refused, which no block contains. */
  async #withReasons(call: UnsealedCall, result: Uint8Array): Promise<Uint8Array> {
    if (!call.isBatch) return result;
    const { created, refused } = JSON.parse(Buffer.from(result).toString()) as RecordBatchResult;
    if (refused.length === 0) return result;
    // The write is done, and is not failed by a type that cannot be read now.
    const type = (await this.#read('GetType', [call.type]).catch(() => undefined)) as RecordType | undefined;
    if (type === undefined) return result;
    const explained = refused.map((refusal) => call.explain(refusal, type.schema));
    return Buffer.from(JSON.stringify({ created, refused: explained } satisfies RecordBatchResult));
  }

  /** Checks that documents can be stored outside the blocks before a type needs it for ever. */
  async #requireCollection([, definition = '']: readonly string[]): Promise<void> {
    if (isOutside(definition)) await this.#documents([NO_DIGEST]);
  }

  /** Returns the content of a record. */
  async content(stored: StoredForm): Promise<RecordContent> {
    return contentOf(stored, isStoredOutside(stored) ? await this.#documents([stored.h]) : new Map());
  }

  /** Returns the contents of records by their stored forms. */
  async contents(stored: readonly StoredForm[]): Promise<ReadonlyMap<StoredForm, RecordContent>> {
    const documents = await this.#documents(stored.flatMap((each) => (isStoredOutside(each) ? [each.h] : [])));
    return new Map(stored.map((each) => [each, contentOf(each, documents)]));
  }

  /** Returns records with their contents, in their order. */
  async withContents(
    records: readonly { readonly id: string; readonly record: StoredForm }[],
  ): Promise<readonly ListedRecord[]> {
    const stored = records.map(({ record }) => record);
    const documents = await this.#documents(stored.flatMap((each) => (isStoredOutside(each) ? [each.h] : [])));
    return records.map(({ id, record }) => ({ id, ...contentOf(record, documents) }));
  }

  /**
   * Returns the records of a type with documents outside the blocks that meet conditions: they are read one by one, because no
   * index has their values.
   * @returns `next`: the id after which the next page begins; a page may be short
   */
  async find(
    { type, where }: RecordFilter,
    { limit, after = '' }: { readonly limit: number; readonly after?: string | undefined },
  ): Promise<Page<ListedRecord, string>> {
    const items: ListedRecord[] = [];
    let from = after;
    for (let scanned = 0; scanned < MAX_SCANNED; scanned += PAGE) {
      const { records, bookmark } = (await this.#read('List', [type, String(PAGE), from])) as {
        readonly records: readonly { readonly id: string; readonly record: StoredForm }[];
        readonly bookmark: string;
      };
      for (const record of await this.withContents(records)) {
        if (record.outside?.state !== 'stored' || !meetsConditions(record.document, where)) continue;
        // One more shows whether there is a next page.
        const last = items.length === limit ? items.at(-1) : undefined;
        if (last !== undefined) return { items, next: last.id };
        items.push(record);
      }
      if (bookmark === '') return { items };
      from = bookmark;
    }
    return { items, next: from };
  }

  /**
   * Erases the documents of all versions of a record, and deletes it.
   * @param digests - see the function `Purge` of the contract
   * @throws `LEDGER.RECORD_NOT_ERASABLE` for a type with documents inside the blocks, `LEDGER.NOT_SUPPORTED` on a channel of older
   * peers
   */
  async purge({ type, id }: RecordName, digests: string, options: CallOptions): Promise<SubmitResult> {
    const hasDocuments = (await this.payloadOf(type)) === 'outside';
    if (hasDocuments) await this.#ledger.requirePurge?.();
    for (let attempt = 1; ; attempt++) {
      const versions = hasDocuments ? await this.#versions(type, id) : [];
      try {
        return await this.#purge({ type, id }, versions, digests, options);
      } catch (error) {
        const isRace = isLedgerError(error, 'LEDGER.RECORD_CHANGED') && digests === '';
        if (!isRace || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async #purge(
    { type, id }: RecordName,
    [newest, ...earlier]: readonly string[],
    digests: string,
    options: CallOptions,
  ): Promise<SubmitResult> {
    const listed = newest === undefined ? [] : [newest];
    const submit = (count: number, condition: string, terms: CallOptions): Promise<SubmitResult> => {
      const documents = [...listed, ...earlier.splice(0, count)];
      return this.#submit({ name: 'Purge', args: [type, id, JSON.stringify(documents), condition] }, terms);
    };
    try {
      const result = await submit(MAX_SEALED - 1, digests, options);
      while (earlier.length > 0) await submit(MAX_SEALED - 1, '', { caller: options.caller });
      return result;
    } catch (error) {
      const args = await this.#recordedPurge(error, [type, id, digests]);
      if (args === undefined) throw error;
      return this.#submit({ name: 'Purge', args }, options);
    }
  }

  /** Returns the arguments of the same purge that is recorded under an idempotency key: the id may have got new versions since. */
  async #recordedPurge(error: unknown, [type, id, digests]: readonly string[]): Promise<readonly string[] | undefined> {
    if (!isLedgerError(error, 'LEDGER.KEY_REUSED') || error.transactionId === undefined) return undefined;
    const { name, args } = (await this.#recordedCall(error.transactionId)) ?? { name: '', args: [] };
    return name === 'Purge' && args[0] === type && args[1] === id && args[3] === digests ? args : undefined;
  }

  /** Returns the digests of all versions of a record, newest first. */
  async #versions(type: string, id: string): Promise<readonly string[]> {
    const digests = new Set<string>();
    let bookmark = '';
    do {
      const page = (await this.#read('History', [type, id, String(PAGE), bookmark])) as {
        readonly changes: readonly { readonly record: StoredForm | null }[];
        readonly bookmark: string;
      };
      for (const { record } of page.changes) if (record !== null && isStoredOutside(record)) digests.add(record.h);
      ({ bookmark } = page);
    } while (bookmark !== '');
    return [...digests];
  }

  /**
   * Returns a call as it is recorded under its idempotency key, with the salts of that time.
   * @returns undefined when another call is recorded
   * @throws `LEDGER.KEY_REUSED` when it cannot be compared, because a document was erased
   */
  async #asRecorded(call: UnsealedCall, transactionId: string): Promise<SealedCall | undefined> {
    const recorded = await this.#recordedCall(transactionId);
    const digests = recorded?.name === call.name ? call.digestsIn(recorded.args) : undefined;
    if (recorded === undefined || digests === undefined) return undefined;
    const { args, payload } = recorded;
    const stored = await this.#documents(digests);
    const refused = refusedIn(payload);
    const salts = digests.map((digest, index) => saltOf(stored.get(digest), refused.has(index)));
    if (salts.includes(undefined)) throw notComparable(transactionId);
    const sealed = call.seal(salts.map((salt) => Buffer.from(salt ?? '', 'hex')));
    const isSame = [...sealed.documents.keys()].every(
      (digest, index) => digest === digests[index] || refused.has(index),
    );
    return isSame ? { ...sealed, args } : undefined;
  }

  /** Returns the call of a recorded transaction, with the payload of its response. */
  async #recordedCall(transactionId: string) {
    const transaction = await this.#ledger.transactionById(transactionId);
    const [action] = transaction === undefined ? [] : decodeActions(decodeEnvelope(transaction.envelope).data);
    if (action === undefined) return undefined;
    const [name = '', ...args] = action.arguments.map((argument) => Buffer.from(argument).toString());
    return { name, args, payload: action.response?.payload };
  }

  /** Returns documents outside the blocks by their digests. */
  async #documents(digests: readonly string[]): Promise<ReadonlyMap<string, OutsideDocument>> {
    const found = new Map<string, OutsideDocument>();
    for (let start = 0; start < digests.length; start += PAGE) {
      const part = [...new Set(digests.slice(start, start + PAGE))];
      const documents = (await this.#read('Documents', [JSON.stringify(part)])) as readonly OutsideDocument[];
      for (const [index, digest] of part.entries()) found.set(digest, documents[index] ?? { state: 'absent' });
    }
    return found;
  }

  async #read(name: string, args: readonly string[]): Promise<unknown> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args };
    try {
      return JSON.parse(Buffer.from(await this.#ledger.evaluate(call, { caller: this.#caller })).toString());
    } catch (error) {
      throw recordRefusal(error);
    }
  }

  async #submit(
    { name, args, transient }: Pick<SealedCall, 'name' | 'args'> & Partial<SealedCall>,
    options: CallOptions,
  ): Promise<SubmitResult> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args, ...(transient && { transient }) };
    try {
      return await this.#ledger.submit(call, options);
    } catch (error) {
      throw recordRefusal(error);
    }
  }
}

/** Returns whether a definition of a type, which the contract validates, has documents outside the blocks. */
function isOutside(definition: string): boolean {
  try {
    return (JSON.parse(definition) as { readonly payload?: unknown } | null)?.payload === 'outside';
  } catch {
    return false;
  }
}

/** Returns the positions of the documents that a recorded batch refused, of which nothing is stored. */
function refusedIn(payload: Uint8Array = new Uint8Array()): ReadonlySet<number> {
  const { refused = [] } = JSON.parse(Buffer.from(payload).toString()) as Partial<RecordBatchResult>;
  return new Set(refused.map(({ index }) => index));
}

function saltOf(document: OutsideDocument | undefined, isRefused: boolean): string | undefined {
  if (document?.state === 'stored') return document.salt;
  return isRefused ? '' : undefined;
}

function notComparable(transactionId: string): LedgerError {
  const reason = 'The idempotency key was already used for a write of a document that is no longer stored here';
  return new LedgerError('LEDGER.KEY_REUSED', `${reason}, so that it cannot be compared with this one.`, {
    transactionId,
  });
}
