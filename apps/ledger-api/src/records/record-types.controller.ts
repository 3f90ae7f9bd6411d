import { Body, Controller, Get, Param, Put, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Needs } from '../access/access.decorators.js';
import { onEveryChannel } from '../gateway/channels.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import {
  CONTRACT_READ,
  CONTRACT_WRITE,
  JSON_BODY,
  Operation,
  type OperationPart,
} from '../http/operation.decorator.js';
import { AFTER_ID, paged, PageQuery, type PageRequest, type PageRules } from '../http/paging.js';
import {
  ASYNC,
  REPEATABLE,
  WriteAnswers,
  WriteHeaders,
  type AcceptedTransaction,
  type WriteOptions,
} from '../http/writes.js';
import { type ChannelRecords, NO_COLLECTION, OfRecords } from './channel-records.js';
import { RecordType, RecordTypeDefinition, RecordTypePage } from './record.dto.js';

const TYPE_PAGES: PageRules<string> = { cursor: AFTER_ID, most: 1000 };

/** An operation with the name of a record type in its path. */
export const RECORD_TYPE: OperationPart = {
  parameters: [
    ApiParam({
      name: 'type',
      description: 'The name of the record type.',
      schema: { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,63}$', example: 'login' },
    }),
  ],
  errors: ['API.PATH_TOO_LONG'],
};

/** The endpoints that define and list the types of records. */
@Controller(onEveryChannel('record-types'))
@Needs('reader')
@ApiTags('records')
export class RecordTypesController {
  constructor(private readonly answers: WriteAnswers) {}

  @Get()
  @Operation(
    { id: 'listRecordTypes', summary: 'Lists the record types in order of their names', data: RecordTypePage },
    paged(TYPE_PAGES),
    CONTRACT_READ,
  )
  async list(
    @OfRecords() records: ChannelRecords,
    @PageQuery(TYPE_PAGES) page: PageRequest<string>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<RecordTypePage>> {
    const { items, next } = await records.types(page);
    page.linkNext(reply, next);
    return success('Record types listed.', { types: [...items], next: tokenOf(next) });
  }

  @Get(':type')
  @Operation(
    {
      id: 'readRecordType',
      summary: 'Reads the definition of a record type',
      data: RecordType,
      errors: ['LEDGER.RECORD_TYPE_UNKNOWN'],
    },
    RECORD_TYPE,
    CONTRACT_READ,
  )
  async read(@OfRecords() records: ChannelRecords, @Param('type') type: string): Promise<ResponseEnvelope<RecordType>> {
    return success('Record type found.', await records.type(type));
  }

  @Put(':type')
  @Needs('writer')
  @RouteConfig({ keepsJsonText: true })
  @ApiBody({ type: RecordTypeDefinition })
  @Operation(
    {
      id: 'defineRecordType',
      summary: 'Defines a record type, or its next version',
      description:
        'The version counts the definitions; records keep the version whose schema they met. A definition that is equal to ' +
        'the present one changes nothing. The mode of a type never changes. Schemas are JSON Schema 2020-12 within bounds ' +
        'that keep validation fast: see docs/records.md.',
      data: RecordType,
      errors: ['LEDGER.RECORD_TYPE_INVALID', 'LEDGER.RECORD_TYPE_CONFLICT', 'LEDGER.INVALID_ARGUMENT', NO_COLLECTION],
    },
    RECORD_TYPE,
    REPEATABLE,
    ASYNC,
    JSON_BODY,
    CONTRACT_WRITE,
  )
  async define(
    @OfRecords() records: ChannelRecords,
    @Param('type') type: string,
    @Body() definition: string,
    @WriteHeaders() options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<RecordType | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Record type defined.',
      write: (terms) => records.define(type, definition, terms),
      dataOf: ({ value }) => value,
    });
  }
}

/** Returns the token of the next page for the body of an answer. */
export function tokenOf(next: string | undefined): string | null {
  return next === undefined ? null : AFTER_ID.write(next);
}
