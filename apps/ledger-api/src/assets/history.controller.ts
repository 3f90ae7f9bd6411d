import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChainPosition, LedgerError } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { PATH_ERRORS, NO_ASSET, READ_ERRORS } from '../http/operation-errors.js';
import {
  BEFORE_TRANSACTION,
  LINK_HEADER,
  linkNext,
  Paged,
  pageErrors,
  PageQueryPipe,
  type PageRequest,
} from '../http/paging.js';
import { AssetId, AssetVersion } from './asset.dto.js';
import { AssetsService } from './assets.service.js';

const READ = 'History read.';
/** Small, because each version may be in a different block. */
const PAGES = { cursor: BEFORE_TRANSACTION, most: 200 };

@Controller('assets/:id/history')
@Needs('reader')
@ApiTags('history')
@ApiExtraModels(AssetVersion)
export class HistoryController {
  readonly #assets: AssetsService;

  constructor(assets: AssetsService) {
    this.#assets = assets;
  }

  @Get()
  @AssetId()
  @Paged(PAGES)
  @Operation({
    id: 'listAssetVersions',
    summary: 'Lists the versions of an asset and their creators, newest first',
    description: 'Deleted assets have a history too.',
    success: {
      data: { type: 'array', items: { $ref: getSchemaPath(AssetVersion) } },
      headers: LINK_HEADER,
    },
    errors: [
      ...pageErrors(PAGES),
      ...PATH_ERRORS,
      ...NO_ASSET,
      new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel provides no history'),
      ...READ_ERRORS,
    ],
  })
  async list(
    @Param('id') assetId: string,
    @Query(new PageQueryPipe(PAGES)) page: PageRequest<ChainPosition>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<readonly AssetVersion[]>> {
    const { versions, next } = await this.#assets.history(assetId, page, caller);
    linkNext(request, reply, PAGES, { ...page, next });
    return success(READ, versions);
  }
}
