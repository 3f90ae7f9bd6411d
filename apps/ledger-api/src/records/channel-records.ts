import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { idFault, parseContractError } from '#contract-kit';
import { includesRole, roleOn } from '#ledger-callers';
import {
  contractRefusal,
  isLedgerError,
  LedgerError,
  type CallOptions,
  type LedgerChannel,
  type Page,
  type RecordFilter,
  type RecordName,
} from '#ledger-gateway';
import {
  type RecordBatchResult,
  MAX_INDEXED_BYTES,
  RECORD_ERROR_CODES,
  recordDigest,
  RECORDS_NAME,
} from '#records-contract';
import { requireCapability } from '../gateway/capabilities.js';
import type { Caller } from '../access/access.decorators.js';
import { didYouMean } from '../http/did-you-mean.js';
import { readAtBlock } from '../http/at-block.js';
import { type ApiError, invalidRequest } from '../http/errors.js';
import type { WriteOptions, Written } from '../http/writes.js';
import type { RecordChange, RecordType, StoredDocument } from './record.dto.js';

/** The stored form of a record. */
interface Stored {
  readonly v: number;
  readonly d: unknown;
}

/** A record with the digest of its state, which identifies it in ETag and If-Match. */
export interface ReadRecord {
  readonly record: StoredDocument;
  readonly digest: string;
}

/** The effect of a write with what it returned. */
export interface WrittenResult<T> extends Written {
  readonly value: T;
}

type WrittenDocument = WrittenResult<StoredDocument>;

/** Types whose operations the API's document describes. */
const MAX_DOCUMENTED = 100;
/** Types whose names a suggestion considers. */
const MAX_SUGGESTED = 1000;

/** The records of a channel as a caller may use them, by the functions of the records contract. */
export class ChannelRecords {
  /** @param caller - undefined without authentication */
  constructor(
    readonly ledger: LedgerChannel,
    private readonly caller: string | undefined,
  ) {}

  async types(page: RequestedPage): Promise<Page<RecordType, string>> {
    const bytes = await this.#evaluate('ListTypes', [String(page.limit), page.cursor ?? '']);
    const { types, bookmark } = parse(bytes) as { types: RecordType[]; bookmark: string };
    return pageOf(types, bookmark);
  }

  async type(type: string): Promise<RecordType> {
    return parse(await this.#evaluate('GetType', [type])) as RecordType;
  }

  /** @param definition - JSON text */
  define(type: string, definition: string, options: CallOptions): Promise<WrittenResult<RecordType>> {
    return this.#submit<RecordType>('DefineType', [type, definition], options);
  }

  /** Returns a page of the records of a type that meet conditions on its indexed fields: all of them without conditions. */
  async page(
    type: string,
    { where = [], ...page }: RequestedPage & { readonly where?: readonly Condition[] },
  ): Promise<Page<StoredDocument, string>> {
    if (where.length > 0) return this.#find({ type, where }, page);
    const bytes = await this.#evaluate('List', [type, String(page.limit), page.cursor ?? '']);
    const { records, bookmark } = parse(bytes) as { records: { id: string; record: Stored }[]; bookmark: string };
    return pageOf(
      records.map(({ id, record }) => documentOf(id, record)),
      bookmark,
    );
  }

  async #find(filter: RecordFilter, { limit, cursor: after }: RequestedPage): Promise<Page<StoredDocument, string>> {
    const { indexes } = await this.type(filter.type);
    for (const condition of filter.where) requireIndexed(condition, indexes, filter.type);
    const { records } = requireCapability(this.ledger, 'records');
    const { items, ...rest } = await records({ ...filter, limit, after }, { caller: this.caller });
    return { ...rest, items: items.map(({ id, record }) => documentOf(id, JSON.parse(record) as Stored)) };
  }

  async read({ type, id }: RecordName): Promise<ReadRecord> {
    const bytes = await this.#evaluate('Get', [type, id]);
    return { record: documentOf(id, parse(bytes) as Stored), digest: tagOf(recordDigest(bytes)) };
  }

  /** Returns a record as it was after a block. */
  async readAt(record: RecordName, block: number): Promise<StoredDocument> {
    await this.type(record.type);
    if (idFault(record.id) !== undefined) {
      throw new LedgerError('LEDGER.RECORD_NOT_FOUND', `a record of ${record.type} with that id does not exist`);
    }
    const { recordAt } = requireCapability(this.ledger, 'records');
    const text = await readAtBlock(() => recordAt(record, block, { caller: this.caller }));
    return documentOf(record.id, JSON.parse(text) as Stored);
  }

  /** Creates a record. @param name - with an empty id for one that the contract makes */
  async create({ type, id }: RecordName, document: string, options: WriteOptions): Promise<WrittenDocument> {
    return written(await this.#submit<IdentifiedRecord>('Create', [type, id, document], options));
  }

  /**
   * Creates records in one transaction.
   * @param records - JSON texts of `{"document": …}`, each optionally with an id
   */
  createMany(
    type: string,
    records: readonly string[],
    options: CallOptions,
  ): Promise<WrittenResult<RecordBatchResult>> {
    return this.#submit<RecordBatchResult>('CreateMany', [type, `[${records.join(',')}]`], options);
  }

  async update({ type, id }: RecordName, document: string, options: WriteOptions): Promise<WrittenDocument> {
    const args = [type, id, document, digestsOf(options)];
    return written(await this.#submit<IdentifiedRecord>('Update', args, options));
  }

  delete({ type, id }: RecordName, options: WriteOptions): Promise<WrittenResult<null>> {
    return this.#submit<null>('Delete', [type, id, digestsOf(options)], options);
  }

  async history({ type, id }: RecordName, page: RequestedPage): Promise<Page<RecordChange, string>> {
    const bytes = await this.#evaluate('History', [type, id, String(page.limit), page.cursor ?? '']);
    const { changes, bookmark } = parse(bytes) as { changes: ContractChange[]; bookmark: string };
    return pageOf(changes.map(changeOf), bookmark);
  }

  async #evaluate(name: string, args: readonly string[]): Promise<Uint8Array> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args };
    try {
      return await this.ledger.evaluate(call, { caller: this.caller });
    } catch (error) {
      throw await this.#explained(error, args[0] ?? '');
    }
  }

  async #submit<T>(name: string, args: readonly string[], options: CallOptions): Promise<WrittenResult<T>> {
    const call = { chaincode: RECORDS_NAME, function: name, arguments: args };
    try {
      const { result, transactionId, isReplay = false } = await this.ledger.submit(call, options);
      return { value: (result.length === 0 ? null : parse(result)) as T, transactionId, isReplay };
    } catch (error) {
      throw await this.#explained(error, args[0] ?? '');
    }
  }

  /** Returns the error of a call: a peer reports a refusal of the contract as text, and an unknown type gets a suggestion. */
  async #explained(error: unknown, type: string): Promise<unknown> {
    const refusal = refusalOf(error);
    if (!isLedgerError(refusal, 'LEDGER.RECORD_TYPE_UNKNOWN')) return refusal;
    const names = (await this.#firstTypes(MAX_SUGGESTED)).map(({ name }) => name);
    return new LedgerError(refusal.code, `${refusal.message}${didYouMean(type, names)}`, { cause: error });
  }

  /** Returns the first types for a courtesy, such as a suggestion: none where they cannot be read. */
  async #firstTypes(limit: number): Promise<readonly RecordType[]> {
    try {
      return (await this.types({ limit })).items;
    } catch {
      return [];
    }
  }

  /** Returns the first types that a caller may read, for a document; none where there are no records. */
  static async documentedTypes(ledger: LedgerChannel, caller: Caller | undefined): Promise<readonly RecordType[]> {
    if (caller !== undefined && !includesRole(roleOn(caller.role, ledger.channel), 'reader')) return [];
    // The document describes everything else.
    return new ChannelRecords(ledger, caller?.name).#firstTypes(MAX_DOCUMENTED);
  }
}

/** Injects the {@link ChannelRecords} of the channel and the caller of a request. */
export const OfRecords = createParamDecorator((_: unknown, context: ExecutionContext): ChannelRecords => {
  const request = context.switchToHttp().getRequest<FastifyRequest & { readonly ledgerChannel: LedgerChannel }>();
  return new ChannelRecords(request.ledgerChannel, request.caller?.name);
});

/** A condition on an indexed field. */
type Condition = RecordFilter['where'][number];

/** @throws `API.INVALID_REQUEST` for a condition that no index answers */
function requireIndexed({ field, value }: Condition, indexes: readonly string[], type: string): void {
  if (!indexes.includes(field)) throw notIndexed(field, indexes, type);
  if (Buffer.byteLength(value) <= MAX_INDEXED_BYTES) return;
  throw invalidRequest(
    `The query parameter where.${field} is too long: values of up to ${MAX_INDEXED_BYTES} bytes are indexed.`,
  );
}

/** Creates the error for a filter by a field without an index. */
export function notIndexed(field: string, indexes: readonly string[], type: string): ApiError {
  const known = indexes.length === 0 ? 'it has no indexed fields' : `its indexed fields are ${indexes.join(', ')}`;
  const text = `Records of ${type} cannot be filtered by ${JSON.stringify(field.slice(0, 64))}: ${known}`;
  return invalidRequest(`${text}${didYouMean(field, indexes) || '.'}`);
}

/** The size of a page, and after what it begins. */
interface RequestedPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A record with its id, as the contract returns it. */
interface IdentifiedRecord {
  readonly id: string;
  readonly record: Stored;
}

/** A change of a record, as the contract returns it. */
interface ContractChange {
  readonly transactionId: string;
  readonly timestamp: string;
  readonly isDelete: boolean;
  readonly record: Stored | null;
}

/** @param bookmark - of the next page; empty on the last one */
function pageOf<T>(items: readonly T[], bookmark: string): Page<T, string> {
  return bookmark === '' ? { items } : { items, next: bookmark };
}

function documentOf(id: string, { v: version, d: document }: Stored): StoredDocument {
  return { id, version, document };
}

function changeOf({ transactionId, timestamp, isDelete, record }: ContractChange): RecordChange {
  const version = record?.v ?? null;
  return { transactionId, timestamp, deleted: isDelete, version, document: record?.d ?? null };
}

function written({ value: { id, record }, ...facts }: WrittenResult<IdentifiedRecord>): WrittenDocument {
  return { ...facts, value: documentOf(id, record) };
}

/** Digests are base64url in ETags and hexadecimal in the contract. */
function tagOf(digest: string): string {
  return Buffer.from(digest, 'hex').toString('base64url');
}

/** Returns the digests of If-Match as an argument: `none` matches no record. */
function digestsOf({ digests }: WriteOptions): string {
  if (digests === undefined) return '';
  return digests.map((tag) => Buffer.from(tag, 'base64url').toString('hex')).join(',') || 'none';
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function refusalOf(error: unknown): unknown {
  if (!isLedgerError(error, 'LEDGER.REFUSED')) return error;
  const refusal = parseContractError(error.message, RECORD_ERROR_CODES);
  return refusal === undefined ? error : contractRefusal(refusal, { cause: error });
}
