import { Readable } from 'node:stream';
import { Body, Controller, Get, Module, Param, Post, Put, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_PAGE_SIZE, type AssetsPage } from '#asset-contract';
import { LedgerError, type ChainPosition } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { BodyPipe } from '../http/body.pipe.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { ApiError } from '../http/errors.js';
import {
  ASSET_BODY,
  CONTRACT_READ,
  CONTRACT_WRITE,
  Operation,
  type OperationPart,
} from '../http/operation.decorator.js';
import {
  answerWithTag,
  IF_MATCH,
  IF_NONE_MATCH,
  IF_NONE_MATCH_ERROR,
  parseIfMatch,
  requireCreate,
} from '../http/preconditions.js';
import {
  AFTER_ID,
  BEFORE_TRANSACTION,
  paged,
  PageQuery,
  TIME_FILTERS,
  type PageRequest,
  type PageRules,
} from '../http/paging.js';
import { REPEATABLE, setWriteHeaders, WriteHeaders, type WriteOptions } from '../http/writes.js';
import { Asset, AssetTransaction, AssetVersion, CreateAssetRequest, TransferAssetRequest } from './asset.dto.js';
import { assetList, AssetsService, noAssetToUpdate, type WrittenAsset } from './assets.service.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Assets per read of a whole list: about 28 KB, the part of a list that is in memory. */
const LIST_PAGE = 200;

const ASSET_PAGES: PageRules<string, 'owner' | 'color' | 'size'> = {
  cursor: AFTER_ID,
  most: MAX_PAGE_SIZE,
  filters: {
    owner: 'Only assets of this owner.',
    color: 'Only assets of this color.',
    size: 'Only assets of this size.',
  },
};
/** Small, because each version may be in a different block. */
const HISTORY_PAGES: PageRules<ChainPosition, 'since' | 'until'> = {
  cursor: BEFORE_TRANSACTION,
  most: 200,
  filters: TIME_FILTERS,
};

const OTHER_ID = 'The id in the body differs from the id in the path. Omit it or make them equal.';
/** An operation with the id of an asset in its path. */
const ASSET_ID: OperationPart = {
  parameters: [
    ApiParam({
      name: 'id',
      description: 'The id of the asset, percent-encoded as one path segment.',
      schema: { type: 'string', minLength: 1 },
      example: 'asset7',
    }),
  ],
  errors: ['API.PATH_TOO_LONG'],
};
/** An operation on an asset that exists. */
const EXISTING_ASSET: OperationPart = {
  ...ASSET_ID,
  errors: [
    'API.PATH_TOO_LONG',
    'LEDGER.ASSET_NOT_FOUND',
    new ApiError('API.NOT_FOUND', 'There is no asset with this id, and there cannot be one.'),
  ],
};

@Controller('assets')
@Needs('reader')
export class AssetsController {
  constructor(private readonly assets: AssetsService) {}

  @Get()
  @ApiTags('assets')
  @Operation(
    {
      id: 'listAssets',
      summary: 'Lists assets in byte order of their ids',
      description:
        'Without a query all assets, streamed; an asset that is written during the list may or may not be in it. owner, color ' +
        'and size select equal fields, in pages. A page examines at most 5000 assets: it may be short or empty and still have ' +
        'a Link to the next page.',
      data: [Asset],
    },
    paged(ASSET_PAGES),
    CONTRACT_READ,
  )
  async list(
    @PageQuery(ASSET_PAGES) page: PageRequest<string, 'owner' | 'color' | 'size'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<Asset[]> | StreamableFile> {
    if (request.method === 'HEAD') return new StreamableFile(Readable.from([]), { type: JSON_TYPE });
    if (page.isPlain) {
      const next = (bookmark: string): Promise<AssetsPage> => this.assets.page(LIST_PAGE, bookmark, caller);
      return new StreamableFile(assetList('Assets listed.', await next(''), next), { type: JSON_TYPE });
    }
    if (Object.keys(page.filters).length > 0) {
      const { assets, next } = await this.assets.search(page, caller);
      page.linkNext(reply, next);
      return success('Assets listed.', assets);
    }
    const { array, bookmark } = await this.assets.page(page.limit, page.cursor ?? '', caller);
    page.linkNext(reply, bookmark === '' ? undefined : bookmark);
    return success('Assets listed.', JSON.parse(Buffer.from(array).toString()) as Asset[]);
  }

  @Post()
  @Needs('writer')
  @ApiTags('assets')
  @Operation(
    {
      id: 'createAsset',
      summary: 'Creates an asset',
      description:
        'Without an id a UUID is generated. The answer is sent when the transaction is committed and durable.',
      status: 201,
      data: AssetTransaction,
      errors: ['API.INVALID_REQUEST', 'LEDGER.ASSET_EXISTS', 'API.PRECONDITION_FAILED', IF_NONE_MATCH_ERROR],
    },
    REPEATABLE,
    ASSET_BODY,
    CONTRACT_WRITE,
  )
  async create(
    @Body(BodyPipe) body: CreateAssetRequest,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<AssetTransaction>> {
    return success('Asset created.', written(reply, await this.assets.create(body, options)));
  }

  @Get(':id')
  @ApiTags('assets')
  @Operation({ id: 'readAsset', summary: 'Reads an asset', data: Asset }, EXISTING_ASSET, IF_NONE_MATCH, CONTRACT_READ)
  async read(
    @Param('id') assetId: string,
    @CurrentCaller('name') caller: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Asset>> {
    const { asset, digest } = await this.assets.read(assetId, caller);
    answerWithTag(reply, digest);
    return success('Asset found.', asset);
  }

  @Put(':id')
  @Needs('writer')
  @ApiTags('assets')
  @Operation(
    {
      id: 'updateAsset',
      summary: 'Replaces every field of an asset',
      data: Asset,
      errors: ['API.INVALID_REQUEST', new ApiError('API.INVALID_REQUEST', OTHER_ID), noAssetToUpdate()],
    },
    ASSET_ID,
    REPEATABLE,
    IF_MATCH,
    ASSET_BODY,
    CONTRACT_WRITE,
  )
  async update(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: CreateAssetRequest,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Asset>> {
    if (body.id !== undefined && body.id !== assetId) throw new ApiError('API.INVALID_REQUEST', OTHER_ID);
    return success('Asset updated.', written(reply, await this.assets.update(assetId, body, options)).asset);
  }

  @Put(':id/transfer')
  @Needs('writer')
  @ApiTags('assets')
  @Operation(
    {
      id: 'transferAsset',
      summary: 'Gives an asset to a new owner',
      data: AssetTransaction,
      errors: [new ApiError('API.INVALID_REQUEST', 'The body is refused: newOwner is missing.')],
    },
    EXISTING_ASSET,
    REPEATABLE,
    IF_MATCH,
    ASSET_BODY,
    CONTRACT_WRITE,
  )
  async transfer(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: TransferAssetRequest,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<AssetTransaction>> {
    return success('Asset transferred.', written(reply, await this.assets.transfer(assetId, body, options)));
  }

  @Get(':id/history')
  @ApiTags('history')
  @Operation(
    {
      id: 'listAssetVersions',
      summary: 'Lists the versions of an asset and their creators, newest first',
      description:
        'Deleted assets have a history too. With since or until a page may be short or empty and still have a Link to the ' +
        'next page.',
      data: [AssetVersion],
      errors: [new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel provides no history')],
    },
    EXISTING_ASSET,
    paged(HISTORY_PAGES),
    CONTRACT_READ,
  )
  async history(
    @Param('id') assetId: string,
    @PageQuery(HISTORY_PAGES) page: PageRequest<ChainPosition, 'since' | 'until'>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<readonly AssetVersion[]>> {
    const { versions, next } = await this.assets.history(assetId, page, caller);
    page.linkNext(reply, next);
    return success('History read.', versions);
  }
}

/** Sets the headers of a write's answer and returns its data. */
function written(reply: FastifyReply, write: WrittenAsset): AssetTransaction {
  setWriteHeaders(reply, write);
  return { asset: write.asset, transactionId: write.transactionId };
}

@Module({ controllers: [AssetsController], providers: [AssetsService] })
export class AssetsModule {}
