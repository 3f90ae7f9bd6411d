import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ChainPosition, LedgerError } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
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
/** Each version may stand in a block of its own. */
const PAGES = { cursor: BEFORE_TRANSACTION, most: 200 };
const EXAMPLE = {
  transactionId: EXAMPLE_TRANSACTION_ID,
  blockNumber: 7,
  timestamp: '2026-11-21T12:00:00.000Z',
  creatorId: 'User1@org1.example.com',
  creatorMspId: 'Org1MSP',
};

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
    summary: 'Lists what an asset was and who made it so, newest first',
    description: 'An asset that was deleted has a history too.',
    success: {
      message: READ,
      data: { type: 'array', items: { $ref: getSchemaPath(AssetVersion) } },
      example: [
        {
          ...EXAMPLE,
          deleted: false,
          asset: { ID: 'asset7', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' },
        },
      ],
      headers: LINK_HEADER,
    },
    errors: [
      ...pageErrors(PAGES),
      ...PATH_ERRORS,
      ...NO_ASSET,
      new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel tells no histories'),
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
