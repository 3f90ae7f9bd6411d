import { Body, Controller, Delete, Get, Param, Post, Put, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LedgerError, type RecordName } from '#ledger-gateway';
import { MAX_LINES_BYTES } from '#records-contract';
import { Needs } from '../access/access.decorators.js';
import { requireRoleOn } from '../access/access.plugin.js';
import { onEveryChannel } from '../gateway/channels.js';
import { atBlock, parseBlock } from '../http/at-block.js';
import { CSV_LIST, csvAnswer, ndjsonAnswer, ndjsonList, prefersCsv, prefersLines } from '../http/downloads.js';
import { answerCount } from '../http/counts.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { invalidRequest } from '../http/errors.js';
import { NDJSON } from '../http/json-body.js';
import {
  CONTRACT_READ,
  CONTRACT_WRITE,
  JSON_BODY,
  Operation,
  type OperationPart,
} from '../http/operation.decorator.js';
import { AFTER_ID, paged, PageQuery, type PageRequest, type PageRules } from '../http/paging.js';
import {
  answerWithTag,
  IF_MATCH,
  IF_NONE_MATCH,
  IF_NONE_MATCH_ERROR,
  parseIfMatch,
  requireCreate,
} from '../http/preconditions.js';
import {
  ASYNC,
  REPEATABLE,
  WriteAnswers,
  WriteHeaders,
  type AcceptedTransaction,
  type WriteOptions,
} from '../http/writes.js';
import { uploadOf, type UploadReport, UploadRoute } from '../uploads/upload.dto.js';
import { Uploads } from '../uploads/uploads.service.js';
import { type ChannelRecords, NO_COLLECTION, notIndexed, OfRecords, type WrittenResult } from './channel-records.js';
import { DeletedRecord, RecordHistoryPage, RecordPage, StoredDocument, WrittenRecord } from './record.dto.js';
import { RECORD_TYPE, tokenOf } from './record-types.controller.js';
import { recordTable } from './record-table.js';
import { readDocumentId, RecordUpload } from './record-upload.js';

const FIELD = 'where.';
const RECORD_PAGES: PageRules<string, `${typeof FIELD}${string}`> = {
  cursor: AFTER_ID,
  most: 1000,
  isCountable: true,
  fields: {
    prefix: FIELD,
    description:
      'Only records whose indexed field has this value: where.user=ana. Several conditions must all hold. Texts are compared as they ' +
      'are, numbers, true, false and null as in JSON; of an array one element must be equal.',
  },
};
/** Records per read of a whole list. */
const LIST_PAGE = 200;
/** Small, because each version may be in a different block. */
const HISTORY_PAGES: PageRules<string> = { cursor: AFTER_ID, most: 200 };

/** An operation on records of a type that must be defined. */
const OF_TYPE: OperationPart = {
  ...RECORD_TYPE,
  errors: ['API.PATH_TOO_LONG', 'LEDGER.RECORD_TYPE_UNKNOWN', NO_COLLECTION],
};
/** An operation on a record that exists. */
const EXISTING_RECORD: OperationPart = {
  parameters: [
    ApiParam({
      name: 'id',
      description: 'The id of the record, percent-encoded as one path segment.',
      schema: { type: 'string', minLength: 1, example: 'l1' },
    }),
  ],
  errors: ['LEDGER.RECORD_NOT_FOUND'],
};
/** An operation whose body is a document. */
const DOCUMENT: OperationPart = {
  parameters: [ApiBody({ schema: {}, description: 'The document: any JSON of at most 64 KiB that meets the schema.' })],
  errors: [...(JSON_BODY.errors ?? []), 'LEDGER.RECORD_INVALID'],
};
/** A change of a record. */
const CHANGE: OperationPart = { errors: ['LEDGER.RECORD_CHANGED', 'LEDGER.RECORD_APPEND_ONLY'] };

/** The endpoints that create, read, update, delete and list records of a type. */
@Controller(onEveryChannel('records/:type'))
@Needs('reader')
@ApiTags('records')
export class RecordsController {
  constructor(
    private readonly answers: WriteAnswers,
    private readonly uploads: Uploads,
  ) {}

  @Get()
  @Operation(
    {
      id: 'listRecords',
      summary: 'Lists the records of a type in byte order of their ids',
      description:
        'With where.FIELD only those whose indexed fields have the given values; such a page may be short and still have a Link to the ' +
        `next page. With Accept: text/csv the whole list is one table, with Accept: ${NDJSON} one record on each line.`,
      data: RecordPage,
      errors: [
        notIndexed('ip', ['user'], 'login'),
        new LedgerError('LEDGER.NOT_SUPPORTED', 'Records are filtered by an index of the channel (LEDGER_INDEX_DIR).'),
      ],
    },
    OF_TYPE,
    paged(RECORD_PAGES),
    CSV_LIST,
    ndjsonList({ $ref: getSchemaPath(StoredDocument) }),
    CONTRACT_READ,
  )
  async list(
    @OfRecords() records: ChannelRecords,
    @Param('type') type: string,
    @PageQuery(RECORD_PAGES) page: PageRequest<string, `${typeof FIELD}${string}`>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<RecordPage> | StreamableFile> {
    const where = Object.entries(page.filters).map(([name, value = '']) => ({
      field: name.slice(FIELD.length),
      value,
    }));
    const read = (cursor?: string) => records.page(type, { limit: LIST_PAGE, cursor, where });
    if (prefersLines(reply)) return ndjsonAnswer(reply, page, { file: `${type}.ndjson`, read });
    if (prefersCsv(reply)) {
      const table = recordTable(await records.type(type));
      return csvAnswer(reply, page, { file: `${type}.csv`, ...table, read });
    }
    const { limit, cursor } = page;
    const { items, next } = await records.page(type, { limit, cursor, where });
    if (page.isCounted) {
      await answerCount<string>(reply, records.ledger, {
        filters: page.filters,
        read: (part) => records.page(type, { limit: part.limit, cursor: part.from, where }),
      });
    }
    page.linkNext(reply, next);
    return success('Records listed.', { records: [...items], next: tokenOf(next) });
  }

  @Post()
  @Needs('writer')
  @RouteConfig({ keepsJsonText: true })
  @Operation(
    {
      id: 'createRecord',
      summary: 'Creates a record',
      description:
        'The body is the document. Without an id the contract makes one from the time and the id of the transaction (UUID ' +
        'version 7). The answer is sent when the transaction is committed and durable. ' +
        `A body of type ${NDJSON} has one document on each line and any number of lines, and works as for assets: up to 500 records ` +
        'become one transaction, a line that is refused refuses no other, and with an Idempotency-Key an upload that was cut can be ' +
        'sent again as a whole and continues. See docs/records.md.',
      status: 201,
      data: WrittenRecord,
      errors: [
        invalidId(),
        'LEDGER.INVALID_ARGUMENT',
        'LEDGER.RECORD_EXISTS',
        'API.PRECONDITION_FAILED',
        IF_NONE_MATCH_ERROR,
      ],
    },
    OF_TYPE,
    {
      parameters: [
        ApiQuery({
          name: 'id',
          required: false,
          description: 'The id of the record: 1 to 256 bytes without control characters.',
          schema: { type: 'string', minLength: 1 },
        }),
        ApiQuery({
          name: 'key',
          required: false,
          description: 'The member of the document, or of each document of an upload, that is the id of the record.',
          schema: { type: 'string', minLength: 1 },
        }),
      ],
    },
    REPEATABLE,
    ASYNC,
    DOCUMENT,
    CONTRACT_WRITE,
    uploadOf({}),
  )
  async create(
    @OfRecords() records: ChannelRecords,
    @Param('type') type: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @Body() document: string,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<WrittenRecord | AcceptedTransaction>> {
    const key = parseKey(query);
    const id = key === undefined ? parseId(query) : readDocumentId(document, key);
    return this.answers.answer(reply, options, {
      message: 'Record created.',
      write: (terms) => records.create({ type, id: id ?? '' }, document, terms),
      dataOf: writtenRecord,
    });
  }

  @UploadRoute()
  async upload(
    @OfRecords() records: ChannelRecords,
    @Param('type') type: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<UploadReport> | StreamableFile> {
    const target = new RecordUpload(records, type, parseKey(query));
    // An unknown type is refused before the body is read.
    await records.type(type);
    const { channel } = records.ledger;
    const upload = { channel, target, message: 'Records uploaded.', batchBytes: MAX_LINES_BYTES };
    return this.uploads.answer(upload, reply, options);
  }

  @Get(':id')
  @Operation(
    {
      id: 'readRecord',
      summary: 'Reads a record, as it is or as it was after a block',
      data: StoredDocument,
      errors: [new LedgerError('LEDGER.NOT_SUPPORTED', 'Records are read as they were by an index of the channel.')],
    },
    OF_TYPE,
    EXISTING_RECORD,
    atBlock('the record as it was after this block, without an ETag'),
    IF_NONE_MATCH,
    CONTRACT_READ,
  )
  async read(
    @OfRecords() records: ChannelRecords,
    @Param() name: RecordName,
    @Query('at') at: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<StoredDocument>> {
    if (at !== undefined) {
      return success('Record found.', await records.readAt(name, parseBlock(at)));
    }
    const { record, digest } = await records.read(name);
    answerWithTag(reply, digest);
    return success('Record found.', record);
  }

  @Put(':id')
  @Needs('writer')
  @RouteConfig({ keepsJsonText: true })
  @Operation(
    {
      id: 'updateRecord',
      summary: 'Replaces the document of a record',
      description: 'Only records of a type with the mode mutable can be changed.',
      data: WrittenRecord,
    },
    OF_TYPE,
    EXISTING_RECORD,
    CHANGE,
    REPEATABLE,
    ASYNC,
    IF_MATCH,
    DOCUMENT,
    CONTRACT_WRITE,
  )
  async update(
    @OfRecords() records: ChannelRecords,
    @Param() name: RecordName,
    @Body() document: string,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<WrittenRecord | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Record updated.',
      write: (terms) => records.update(name, document, terms),
      dataOf: writtenRecord,
    });
  }

  @Delete(':id')
  @Needs('writer')
  @RouteConfig({ ignoresBody: true })
  @Operation(
    {
      id: 'deleteRecord',
      summary: 'Deletes a record, and with purge=true erases its documents; its history stays',
      description:
        'Only records of a type with the mode mutable can be deleted. With purge=true, which requires the role admin, the documents of ' +
        'all versions of a record of a type with the payload outside are erased, whichever its mode, and the record is deleted: when ' +
        'the answer is sent, no file of the data directory contains them.',
      data: DeletedRecord,
      errors: ['LEDGER.RECORD_NOT_ERASABLE', 'LEDGER.ERASURE_INCOMPLETE'],
    },
    OF_TYPE,
    EXISTING_RECORD,
    {
      parameters: [
        ApiQuery({
          name: 'purge',
          required: false,
          description: 'true erases the documents of all versions.',
          schema: { type: 'boolean' },
        }),
      ],
    },
    CHANGE,
    REPEATABLE,
    ASYNC,
    IF_MATCH,
    CONTRACT_WRITE,
  )
  async delete(
    @OfRecords() records: ChannelRecords,
    @Param() name: RecordName,
    @Query('purge') purge: unknown,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Req() { caller }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<DeletedRecord | AcceptedTransaction>> {
    const isPurge = parsePurge(purge);
    if (isPurge) requireRoleOn(caller, 'admin', records.ledger.channel);
    return this.answers.answer(reply, options, {
      message: isPurge ? 'Record erased.' : 'Record deleted.',
      write: (terms) => (isPurge ? records.purge(name, terms) : records.delete(name, terms)),
      dataOf: ({ transactionId }) => ({ transactionId }),
    });
  }

  @Get(':id/history')
  @Operation(
    {
      id: 'listRecordChanges',
      summary: 'Lists the changes of a record, newest first',
      description: 'Deleted records have a history too.',
      data: RecordHistoryPage,
    },
    OF_TYPE,
    EXISTING_RECORD,
    paged(HISTORY_PAGES),
    CONTRACT_READ,
  )
  async history(
    @OfRecords() records: ChannelRecords,
    @Param() name: RecordName,
    @PageQuery(HISTORY_PAGES) page: PageRequest<string>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<RecordHistoryPage>> {
    const { items, next } = await records.history(name, page);
    page.linkNext(reply, next);
    return success('History read.', { changes: [...items], next: tokenOf(next) });
  }
}

function writtenRecord({ value, transactionId }: WrittenResult<StoredDocument>): WrittenRecord {
  const { id, version, document, outside } = value;
  return { id, version, document, ...(outside && { outside }), transactionId };
}

/** Returns the id in the query of a create; undefined for none. @throws `API.INVALID_REQUEST` */
function parseId({ id }: Readonly<Record<string, unknown>>): string | undefined {
  if (id === '' || (id !== undefined && typeof id !== 'string')) throw invalidId();
  return id;
}

/** Returns the member of documents that is the id, from the query of a create. @throws `API.INVALID_REQUEST` */
function parseKey({ id, key }: Readonly<Record<string, unknown>>): string | undefined {
  if (id !== undefined && key !== undefined)
    throw invalidRequest('Send either the query parameter id or key, not both.');
  if (key === undefined || (typeof key === 'string' && key !== '')) return key;
  throw invalidRequest('The query parameter key must be the name of one member.');
}

/** Returns whether a deletion also erases. @throws `API.INVALID_REQUEST` for anything but true and false */
function parsePurge(purge: unknown): boolean {
  if (purge === undefined || purge === 'true' || purge === 'false') return purge === 'true';
  throw invalidRequest('The query parameter purge must be true or false.');
}

function invalidId(): Error {
  return invalidRequest('The query parameter id must be one id that is not empty.');
}
