import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { LedgerChannel } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { OfChannel, onEveryChannel } from '../gateway/channels.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { invalidRequest } from '../http/errors.js';
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
import { DeletedRecord, RecordHistoryPage, RecordPage, StoredDocument, WrittenRecord } from './record.dto.js';
import { RECORD_TYPE, tokenOf } from './record-types.controller.js';
import { RecordsService, type WrittenResult } from './records.service.js';

const RECORD_PAGES: PageRules<string> = { cursor: AFTER_ID, most: 1000 };
/** Small, because each version may be in a different block. */
const HISTORY_PAGES: PageRules<string> = { cursor: AFTER_ID, most: 200 };

/** An operation on records of a type that must be defined. */
const OF_TYPE: OperationPart = { ...RECORD_TYPE, errors: ['API.PATH_TOO_LONG', 'LEDGER.RECORD_TYPE_UNKNOWN'] };
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
    private readonly records: RecordsService,
    private readonly answers: WriteAnswers,
  ) {}

  @Get()
  @Operation(
    { id: 'listRecords', summary: 'Lists the records of a type in byte order of their ids', data: RecordPage },
    OF_TYPE,
    paged(RECORD_PAGES),
    CONTRACT_READ,
  )
  async list(
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @PageQuery(RECORD_PAGES) page: PageRequest<string>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<RecordPage>> {
    const { items, next } = await this.records.page(ledger, type, page, caller);
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
        'version 7). The answer is sent when the transaction is committed and durable.',
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
      ],
    },
    REPEATABLE,
    ASYNC,
    DOCUMENT,
    CONTRACT_WRITE,
  )
  async create(
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @Query('id') id: unknown,
    @Body() document: string,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<WrittenRecord | AcceptedTransaction>> {
    if (id === '' || (id !== undefined && typeof id !== 'string')) throw invalidId();
    const answer = await this.answers.answer(reply, options, {
      message: 'Record created.',
      write: (terms) => this.records.create(ledger, { type, id: id ?? '', document }, terms),
      dataOf: writtenRecord,
    });
    return answer;
  }

  @Get(':id')
  @Operation(
    { id: 'readRecord', summary: 'Reads a record', data: StoredDocument },
    OF_TYPE,
    EXISTING_RECORD,
    IF_NONE_MATCH,
    CONTRACT_READ,
  )
  async read(
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @Param('id') id: string,
    @CurrentCaller('name') caller: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<StoredDocument>> {
    const { record, digest } = await this.records.read(ledger, type, id, caller);
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
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @Param('id') id: string,
    @Body() document: string,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<WrittenRecord | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Record updated.',
      write: (terms) => this.records.update(ledger, { type, id, document }, terms),
      dataOf: writtenRecord,
    });
  }

  @Delete(':id')
  @Needs('writer')
  @RouteConfig({ ignoresBody: true })
  @Operation(
    {
      id: 'deleteRecord',
      summary: 'Deletes a record; its history stays',
      description: 'Only records of a type with the mode mutable can be deleted.',
      data: DeletedRecord,
    },
    OF_TYPE,
    EXISTING_RECORD,
    CHANGE,
    REPEATABLE,
    ASYNC,
    IF_MATCH,
    CONTRACT_WRITE,
  )
  async delete(
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @Param('id') id: string,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<DeletedRecord | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Record deleted.',
      write: (terms) => this.records.delete(ledger, type, id, terms),
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
    @OfChannel() ledger: LedgerChannel,
    @Param('type') type: string,
    @Param('id') id: string,
    @PageQuery(HISTORY_PAGES) page: PageRequest<string>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<RecordHistoryPage>> {
    const { items, next } = await this.records.history(ledger, { type, id }, page, caller);
    page.linkNext(reply, next);
    return success('History read.', { changes: [...items], next: tokenOf(next) });
  }
}

function writtenRecord({ value, transactionId }: WrittenResult<StoredDocument>): WrittenRecord {
  const { id, version, document } = value;
  return { id, version, document, transactionId };
}

function invalidId(): Error {
  return invalidRequest('The query parameter id must be one id that is not empty.');
}
