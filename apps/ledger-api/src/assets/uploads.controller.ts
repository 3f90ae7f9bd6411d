import { Controller, Inject, Post, Req, Res, type StreamableFile } from '@nestjs/common';
import { RouteConfig, RouteConstraints } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import type { ResponseEnvelope } from '../http/envelope.dto.js';
import { NDJSON } from '../http/json-body.js';
import { requireCreate } from '../http/preconditions.js';
import { WriteHeaders, type WriteOptions } from '../http/writes.js';
import type { UploadReport } from '../uploads/upload.dto.js';
import { Uploads } from '../uploads/uploads.service.js';
import { AssetUpload } from './asset-upload.js';
import { AssetsService } from './assets.service.js';

/** Creates many assets by one request, one on each line; the API's document describes it as a part of createAsset. */
@Controller('assets')
export class UploadsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    private readonly assets: AssetsService,
    private readonly uploads: Uploads,
  ) {}

  @Post()
  @Needs('writer')
  @RouteConstraints({ bodyType: NDJSON })
  @RouteConfig({ readsLines: true, isStream: true })
  @ApiExcludeEndpoint()
  upload(
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<UploadReport> | StreamableFile> {
    const target = new AssetUpload(this.ledger, this.assets);
    const upload = { channel: this.ledger.channel, target, message: 'Assets uploaded.' };
    return this.uploads.answer(upload, request, reply, options);
  }
}
