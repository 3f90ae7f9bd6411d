import { Controller, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { RouteConfig, RouteConstraints } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_LINES_BYTES } from '#records-contract';
import { Needs } from '../access/access.decorators.js';
import { onEveryChannel } from '../gateway/channels.js';
import type { ResponseEnvelope } from '../http/envelope.dto.js';
import { NDJSON } from '../http/json-body.js';
import { requireCreate } from '../http/preconditions.js';
import { WriteHeaders, type WriteOptions } from '../http/writes.js';
import type { UploadReport } from '../uploads/upload.dto.js';
import { Uploads } from '../uploads/uploads.service.js';
import { type ChannelRecords, OfRecords } from './channel-records.js';
import { RecordUpload } from './record-upload.js';
import { parseKey } from './records.controller.js';

/** Creates many records by one request, one on each line; the API's document describes it as a part of createRecord. */
@Controller(onEveryChannel('records/:type'))
export class RecordUploadsController {
  constructor(private readonly uploads: Uploads) {}

  @Post()
  @Needs('writer')
  @RouteConstraints({ bodyType: NDJSON })
  @RouteConfig({ readsLines: true, isStream: true })
  @ApiExcludeEndpoint()
  async upload(
    @OfRecords() records: ChannelRecords,
    @Param('type') type: string,
    @Query() query: Readonly<Record<string, unknown>>,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<UploadReport> | StreamableFile> {
    const target = new RecordUpload(records, type, parseKey(query));
    // An unknown type is refused before the body is read.
    await records.type(type);
    const upload = {
      channel: records.ledger.channel,
      target,
      message: 'Records uploaded.',
      batchBytes: MAX_LINES_BYTES,
    };
    return this.uploads.answer(upload, request, reply, options);
  }
}
