import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Get,
  Headers,
  Module,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_PAGE_SIZE, type AssetsPage } from '#asset-contract';
import { LedgerError, type ChainPosition } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { ApiError } from '../http/errors.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { IdempotencyKey, Repeatable, setWriteHeaders } from '../http/idempotency-key.js';
import { Operation, WRITE_HEADERS } from '../http/operation.decorator.js';
import {
  PATH_ERRORS,
  BODY_ERRORS,
  KEY_ERRORS,
  NO_ASSET,
  READ_ERRORS,
  VALUE_ERRORS,
  WRITE_ERRORS,
} from '../http/operation-errors.js';
import {
  answerWithTag,
  CONDITION_ERRORS,
  Conditional,
  ETAG_HEADER,
  IfMatch,
  IF_NONE_MATCH_ERROR,
  requireCreate,
  Tagged,
} from '../http/preconditions.js';
import {
  AFTER_ID,
  BEFORE_TRANSACTION,
  LINK_HEADER,
  linkNext,
  Paged,
  pageErrors,
  PageQueryPipe,
  type PageRequest,
  type PageRules,
} from '../http/paging.js';
import { BodyPipe } from '../http/body.pipe.js';
import {
  Asset,
  AssetId,
  AssetTransaction,
  AssetVersion,
  CreateAssetRequest,
  TransferAssetRequest,
} from './asset.dto.js';
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
const ASSET = { $ref: getSchemaPath(Asset) };
const ASSET_TRANSACTION = { $ref: getSchemaPath(AssetTransaction) };
const OTHER_ID = 'The id in the body differs from the id in the path. Omit it or make them equal.';

@Controller('assets')
@Needs('reader')
@ApiTags('assets')
@ApiExtraModels(Asset, AssetTransaction)
export class AssetsController {
  readonly #assets: AssetsService;

  constructor(assets: AssetsService) {
    this.#assets = assets;
  }

  @Get()
  @Paged(ASSET_PAGES)
  @Operation({
    id: 'listAssets',
    summary: 'Lists assets in byte order of their ids',
    description:
      'Without a query all assets, streamed; an asset that is written during the list may or may not be in it. owner, color ' +
      'and size select equal fields, in pages. A page examines at most 5000 assets: it may be short or empty and still have ' +
      'a Link to the next page.',
    success: {
      data: { type: 'array', items: ASSET },
      headers: LINK_HEADER,
    },
    errors: [...pageErrors(ASSET_PAGES), ...READ_ERRORS],
  })
  async list(
    @Query(new PageQueryPipe(ASSET_PAGES)) page: PageRequest<string, 'owner' | 'color' | 'size'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<Asset[]> | StreamableFile> {
    if (request.method === 'HEAD') return new StreamableFile(Readable.from([]), { type: JSON_TYPE });
    if (page.isPlain) {
      const next = (bookmark: string): Promise<AssetsPage> => this.#assets.page(LIST_PAGE, bookmark, caller);
      return new StreamableFile(assetList('Assets listed.', await next(''), next), { type: JSON_TYPE });
    }
    if (Object.keys(page.filters).length > 0) {
      const { assets, next } = await this.#assets.search(page, caller);
      linkNext(request, reply, ASSET_PAGES, { ...page, next });
      return success('Assets listed.', assets);
    }
    const { array, bookmark } = await this.#assets.page(page.limit, page.cursor ?? '', caller);
    linkNext(request, reply, ASSET_PAGES, { ...page, next: bookmark === '' ? undefined : bookmark });
    return success('Assets listed.', JSON.parse(Buffer.from(array).toString()) as Asset[]);
  }

  @Post()
  @Needs('writer')
  @Repeatable()
  @Operation({
    id: 'createAsset',
    summary: 'Creates an asset',
    description: 'Without an id a UUID is generated. The answer is sent when the transaction is committed and durable.',
    success: {
      status: 201,
      data: ASSET_TRANSACTION,
      headers: WRITE_HEADERS,
    },
    errors: [
      'API.INVALID_REQUEST',
      'LEDGER.ASSET_EXISTS',
      'API.PRECONDITION_FAILED',
      IF_NONE_MATCH_ERROR,
      ...BODY_ERRORS,
      ...VALUE_ERRORS,
      ...KEY_ERRORS,
      ...WRITE_ERRORS,
    ],
  })
  @ApiBody({ type: CreateAssetRequest })
  async create(
    @Body(BodyPipe) body: CreateAssetRequest,
    @IdempotencyKey() key: string | undefined,
    @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<AssetTransaction>> {
    requireCreate(headers);
    return success('Asset created.', written(reply, await this.#assets.create(body, { caller, idempotencyKey: key })));
  }

  @Get(':id')
  @AssetId()
  @Tagged()
  @Operation({
    id: 'readAsset',
    summary: 'Reads an asset',
    success: { data: ASSET, headers: ETAG_HEADER },
    errors: [IF_NONE_MATCH_ERROR, ...PATH_ERRORS, ...NO_ASSET, ...READ_ERRORS],
  })
  async read(
    @Param('id') assetId: string,
    @CurrentCaller('name') caller: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Asset>> {
    const { asset, digest } = await this.#assets.read(assetId, caller);
    answerWithTag(request, reply, digest);
    return success('Asset found.', asset);
  }

  @Put(':id')
  @Needs('writer')
  @AssetId()
  @Repeatable()
  @Conditional()
  @Operation({
    id: 'updateAsset',
    summary: 'Replaces every field of an asset',
    success: { data: ASSET, headers: WRITE_HEADERS },
    errors: [
      'API.INVALID_REQUEST',
      new ApiError('API.INVALID_REQUEST', OTHER_ID),
      noAssetToUpdate(),
      ...PATH_ERRORS,
      ...BODY_ERRORS,
      ...VALUE_ERRORS,
      ...KEY_ERRORS,
      ...CONDITION_ERRORS,
      ...WRITE_ERRORS,
    ],
  })
  @ApiBody({ type: CreateAssetRequest })
  async update(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: CreateAssetRequest,
    @IdempotencyKey() key: string | undefined,
    @IfMatch() digests: readonly string[] | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<Asset>> {
    if (body.id !== undefined && body.id !== assetId) {
      throw new ApiError('API.INVALID_REQUEST', OTHER_ID);
    }
    return success(
      'Asset updated.',
      written(reply, await this.#assets.update(assetId, body, { caller, idempotencyKey: key, digests })).asset,
    );
  }

  @Put(':id/transfer')
  @Needs('writer')
  @AssetId()
  @Repeatable()
  @Conditional()
  @Operation({
    id: 'transferAsset',
    summary: 'Gives an asset to a new owner',
    success: {
      data: ASSET_TRANSACTION,
      headers: WRITE_HEADERS,
    },
    errors: [
      new ApiError('API.INVALID_REQUEST', 'The body is refused: newOwner is missing.'),
      ...PATH_ERRORS,
      ...NO_ASSET,
      ...BODY_ERRORS,
      ...VALUE_ERRORS,
      ...KEY_ERRORS,
      ...CONDITION_ERRORS,
      ...WRITE_ERRORS,
    ],
  })
  @ApiBody({ type: TransferAssetRequest })
  async transfer(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: TransferAssetRequest,
    @IdempotencyKey() key: string | undefined,
    @IfMatch() digests: readonly string[] | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<AssetTransaction>> {
    return success(
      'Asset transferred.',
      written(reply, await this.#assets.transfer(assetId, body, { caller, idempotencyKey: key, digests })),
    );
  }
}

/** Sets the headers of a write's answer and returns its data. */
function written(reply: FastifyReply, write: WrittenAsset): AssetTransaction {
  setWriteHeaders(reply, write);
  return { asset: write.asset, transactionId: write.transactionId };
}

/** Small, because each version may be in a different block. */
const HISTORY_PAGES = { cursor: BEFORE_TRANSACTION, most: 200 };

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
  @Paged(HISTORY_PAGES)
  @Operation({
    id: 'listAssetVersions',
    summary: 'Lists the versions of an asset and their creators, newest first',
    description: 'Deleted assets have a history too.',
    success: {
      data: { type: 'array', items: { $ref: getSchemaPath(AssetVersion) } },
      headers: LINK_HEADER,
    },
    errors: [
      ...pageErrors(HISTORY_PAGES),
      ...PATH_ERRORS,
      ...NO_ASSET,
      new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel provides no history'),
      ...READ_ERRORS,
    ],
  })
  async list(
    @Param('id') assetId: string,
    @Query(new PageQueryPipe(HISTORY_PAGES)) page: PageRequest<ChainPosition>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<readonly AssetVersion[]>> {
    const { versions, next } = await this.#assets.history(assetId, page, caller);
    linkNext(request, reply, HISTORY_PAGES, { ...page, next });
    return success('History read.', versions);
  }
}

@Module({ controllers: [AssetsController, HistoryController], providers: [AssetsService] })
export class AssetsModule {}
