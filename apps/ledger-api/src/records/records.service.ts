import { Injectable } from '@nestjs/common';
import { idFault, parseContractError } from '#contract-kit';
import { includesRole, roleOn } from '#ledger-callers';
import {
  contractRefusal,
  isLedgerError,
  LedgerError,
  type CallOptions,
  type LedgerChannel,
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
import type { Caller as ReadingCaller } from '../access/access.decorators.js';
import { didYouMean } from '../http/did-you-mean.js';
import { readAtBlock } from '../http/at-block.js';
import { ApiError, invalidRequest } from '../http/errors.js';
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

/** A page of a list of the contract. */
export interface ContractPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** The effect of a write with what it returned. */
export interface WrittenResult<T> extends Written {
  readonly value: T;
}

/** Calls the functions of the records contract on a channel. */
@Injectable()
export class RecordsService {
  async types(ledger: LedgerChannel, page: Page, caller: Caller): Promise<ContractPage<RecordType>> {
    const bytes = await evaluate(ledger, 'ListTypes', [String(page.limit), page.cursor ?? ''], caller);
    const { types, bookmark } = parse(bytes) as { types: RecordType[]; bookmark: string };
    return { items: types, next: bookmark === '' ? undefined : bookmark };
  }

  /** Returns the first types that a caller may read, for a document; none where there are no records. */
  async typesFor(ledger: LedgerChannel, caller: ReadingCaller | undefined): Promise<readonly RecordType[]> {
    if (caller !== undefined && !includesRole(roleOn(caller.role, ledger.channel), 'reader')) return [];
    try {
      return (await this.types(ledger, { limit: MAX_DOCUMENTED }, caller?.name)).items;
    } catch {
      // The document describes everything else.
      return [];
    }
  }

  async type(ledger: LedgerChannel, type: string, caller: Caller): Promise<RecordType> {
    return parse(await evaluate(ledger, 'GetType', [type], caller)) as RecordType;
  }

  /** @param definition - JSON text */
  define(
    ledger: LedgerChannel,
    type: string,
    definition: string,
    options: CallOptions,
  ): Promise<WrittenResult<RecordType>> {
    return submit<RecordType>(ledger, 'DefineType', [type, definition], options);
  }

  /** Returns a page of the records of a type that meet conditions on its indexed fields: all of them without conditions. */
  async page(
    ledger: LedgerChannel,
    type: string,
    { where = [], ...page }: Page & { readonly where?: readonly Condition[] },
    caller: Caller,
  ): Promise<ContractPage<StoredDocument>> {
    if (where.length > 0) return this.#find(ledger, { type, where }, page, caller);
    const bytes = await evaluate(ledger, 'List', [type, String(page.limit), page.cursor ?? ''], caller);
    const { records, bookmark } = parse(bytes) as { records: { id: string; record: Stored }[]; bookmark: string };
    return {
      items: records.map(({ id, record }) => documentOf(id, record)),
      next: bookmark === '' ? undefined : bookmark,
    };
  }

  async #find(
    ledger: LedgerChannel,
    filter: RecordFilter,
    { limit, cursor: after }: Page,
    caller: Caller,
  ): Promise<ContractPage<StoredDocument>> {
    const { indexes } = await this.type(ledger, filter.type, caller);
    for (const condition of filter.where) requireIndexed(condition, indexes, filter.type);
    const { records } = requireCapability(ledger, 'records');
    const { items, next } = await records({ ...filter, limit, after }, { caller });
    return { items: items.map(({ id, record }) => documentOf(id, JSON.parse(record) as Stored)), next };
  }

  /** Returns a record as it was after a block. */
  async readAt(ledger: LedgerChannel, record: RecordName, block: number, caller: Caller): Promise<StoredDocument> {
    await this.type(ledger, record.type, caller);
    if (idFault(record.id) !== undefined) {
      throw new LedgerError('LEDGER.RECORD_NOT_FOUND', `a record of ${record.type} with that id does not exist`);
    }
    const { recordAt } = requireCapability(ledger, 'records');
    const text = await readAtBlock(() => recordAt(record, block, { caller }));
    return documentOf(record.id, JSON.parse(text) as Stored);
  }

  /**
   * Creates records in one transaction.
   * @param records - JSON texts of `{"document": …}`, each optionally with an id
   */
  createMany(
    ledger: LedgerChannel,
    type: string,
    records: readonly string[],
    options: CallOptions,
  ): Promise<WrittenResult<RecordBatchResult>> {
    return submit<RecordBatchResult>(ledger, 'CreateMany', [type, `[${records.join(',')}]`], options);
  }

  async read(ledger: LedgerChannel, type: string, id: string, caller: Caller): Promise<ReadRecord> {
    const bytes = await evaluate(ledger, 'Get', [type, id], caller);
    return { record: documentOf(id, parse(bytes) as Stored), digest: tagOf(recordDigest(bytes)) };
  }

  /** @param id - empty for one that the contract makes */
  async create(
    ledger: LedgerChannel,
    { type, id, document }: Readonly<{ type: string; id: string; document: string }>,
    options: WriteOptions,
  ): Promise<WrittenResult<StoredDocument>> {
    return written(await submit<IdentifiedRecord>(ledger, 'Create', [type, id, document], options));
  }

  async update(
    ledger: LedgerChannel,
    { type, id, document }: Readonly<{ type: string; id: string; document: string }>,
    options: WriteOptions,
  ): Promise<WrittenResult<StoredDocument>> {
    const args = [type, id, document, digestsOf(options)];
    return written(await submit<IdentifiedRecord>(ledger, 'Update', args, options));
  }

  delete(ledger: LedgerChannel, type: string, id: string, options: WriteOptions): Promise<WrittenResult<null>> {
    return submit<null>(ledger, 'Delete', [type, id, digestsOf(options)], options);
  }

  async history(
    ledger: LedgerChannel,
    { type, id }: Readonly<{ type: string; id: string }>,
    page: Page,
    caller: Caller,
  ): Promise<ContractPage<RecordChange>> {
    const bytes = await evaluate(ledger, 'History', [type, id, String(page.limit), page.cursor ?? ''], caller);
    const { changes, bookmark } = parse(bytes) as { changes: ContractChange[]; bookmark: string };
    return { items: changes.map(changeOf), next: bookmark === '' ? undefined : bookmark };
  }
}

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

type Caller = string | undefined;

/** The size of a page, and after what it begins. */
interface Page {
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

function documentOf(id: string, { v: version, d: document }: Stored): StoredDocument {
  return { id, version, document };
}

function changeOf({ transactionId, timestamp, isDelete, record }: ContractChange): RecordChange {
  const version = record?.v ?? null;
  return { transactionId, timestamp, deleted: isDelete, version, document: record?.d ?? null };
}

function written({ value: { id, record }, ...facts }: WrittenResult<IdentifiedRecord>): WrittenResult<StoredDocument> {
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

async function evaluate(
  ledger: LedgerChannel,
  functionName: string,
  args: readonly string[],
  caller: Caller,
): Promise<Uint8Array> {
  try {
    return await ledger.evaluate({ chaincode: RECORDS_NAME, function: functionName, arguments: args }, { caller });
  } catch (error) {
    throw await explained(error, ledger, args[0] ?? '', caller);
  }
}

async function submit<T>(
  ledger: LedgerChannel,
  functionName: string,
  args: readonly string[],
  options: CallOptions,
): Promise<WrittenResult<T>> {
  try {
    const call = { chaincode: RECORDS_NAME, function: functionName, arguments: args };
    const { result, transactionId, isReplay = false } = await ledger.submit(call, options);
    return { value: (result.length === 0 ? null : parse(result)) as T, transactionId, isReplay };
  } catch (error) {
    throw await explained(error, ledger, args[0] ?? '', options.caller);
  }
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

/** Returns the error of a call: a peer reports a refusal of the contract as text, and an unknown type gets a suggestion. */
async function explained(error: unknown, ledger: LedgerChannel, type: string, caller: Caller): Promise<unknown> {
  const refusal = refusalOf(error);
  if (!isLedgerError(refusal, 'LEDGER.RECORD_TYPE_UNKNOWN')) return refusal;
  const names = await namesOfTypes(ledger, caller);
  const { message } = refusal;
  return new LedgerError(refusal.code, `${message}${didYouMean(type, names)}`, { cause: error });
}

function refusalOf(error: unknown): unknown {
  if (!isLedgerError(error, 'LEDGER.REFUSED')) return error;
  const refusal = parseContractError(error.message, RECORD_ERROR_CODES);
  return refusal === undefined ? error : contractRefusal(refusal, { cause: error });
}

/** Types whose operations the API's document describes. */
const MAX_DOCUMENTED = 100;
/** Types whose names a suggestion considers. */
const MAX_SUGGESTED = 1000;

async function namesOfTypes(ledger: LedgerChannel, caller: Caller): Promise<readonly string[]> {
  try {
    const call = { chaincode: RECORDS_NAME, function: 'ListTypes', arguments: [String(MAX_SUGGESTED), ''] };
    const { types } = parse(await ledger.evaluate(call, { caller })) as { types: RecordType[] };
    return types.map(({ name }) => name);
  } catch {
    // The suggestion is a courtesy: the caller's error is the unknown type.
    return [];
  }
}
