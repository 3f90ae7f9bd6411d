import { Readable } from 'node:stream';
import { Body, Controller, Get, Inject, Module, Param, Post, Put, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type AssetsPage } from '#asset-contract';
import { MAX_PAGE_SIZE } from '#contract-kit';
import { type ChainPosition, type Ledger, LedgerError } from '#ledger-gateway';
import { CurrentCaller, Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { BodyPipe } from '../http/body.pipe.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { CSV_LIST, csvAnswer, prefersCsv } from '../http/downloads.js';
import { atBlock, parseBlock } from '../http/at-block.js';
import { ApiError } from '../http/errors.js';
import { NDJSON } from '../http/json-body.js';
import {
  ASSET_BODY,
  CONTRACT_READ,
  CONTRACT_WRITE,
  Operation,
  type OperationPart,
} from '../http/operation.decorator.js';
import {
  CREATE_CONDITIONS,
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
import {
  ASYNC,
  REPEATABLE,
  WriteAnswers,
  WriteHeaders,
  type AcceptedTransaction,
  type WriteOptions,
} from '../http/writes.js';
import { uploadOf, type UploadReport, UploadRoute } from '../uploads/upload.dto.js';
import { UploadsModule } from '../uploads/uploads.module.js';
import { Uploads } from '../uploads/uploads.service.js';
import { AssetUpload } from './asset-upload.js';
import { Asset, AssetTransaction, AssetVersion, CreateAssetRequest, TransferAssetRequest } from './asset.dto.js';
import {
  assetList,
  jsonAnswer,
  AssetsService,
  noAssetToUpdate,
  type AssetFilterName,
  type WrittenAsset,
} from './assets.service.js';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Assets per read of a whole list: about 28 KB, the part of a list that is in memory. */
const LIST_PAGE = 200;

const ASSET_PAGES: PageRules<string, AssetFilterName> = {
  cursor: AFTER_ID,
  most: MAX_PAGE_SIZE,
  isCountable: true,
  filters: {
    prefix: 'Only assets whose ids begin with this text, compared byte by byte: upper and lower case differ.',
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

const ASSET_COLUMNS = ['ID', 'appraisedValue', 'color', 'owner', 'size'] as const;
const VERSION_COLUMNS = [
  ...(['transactionId', 'blockNumber', 'timestamp', 'creatorId', 'creatorMspId', 'deleted'] as const),
  ...ASSET_COLUMNS,
];

const OTHER_ID = 'The id in the body differs from the id in the path. Omit it or make them equal.';
/** An operation with the id of an asset in its path. */
const ASSET_ID: OperationPart = {
  parameters: [
    ApiParam({
      name: 'id',
      description: 'The id of the asset, percent-encoded as one path segment.',
      schema: { type: 'string', minLength: 1, example: 'asset1' },
    }),
  ],
  errors: ['API.PATH_TOO_LONG'],
};
/** Without an id, which would have to be that of the path. */
const UPDATE_BODY: OperationPart = {
  parameters: [
    ApiBody({
      type: CreateAssetRequest,
      examples: { update: { value: { appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' } } },
    }),
  ],
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

/** The endpoints that list, read, create, update and transfer assets. */
@Controller('assets')
@Needs('reader')
export class AssetsController {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    private readonly assets: AssetsService,
    private readonly answers: WriteAnswers,
    private readonly uploads: Uploads,
  ) {}

  @Get()
  @ApiTags('assets')
  @Operation(
    {
      id: 'listAssets',
      summary: 'Lists assets in byte order of their ids',
      description:
        'Without a query all assets, streamed; an asset that is written during the list may or may not be in it. owner, color ' +
        'and size select equal fields, and prefix the beginning of the id, in pages. A page examines at most 5000 assets: it may be short or empty and still have ' +
        'a Link to the next page. With Accept: text/csv the whole list is one table.',
      data: [Asset],
    },
    paged(ASSET_PAGES),
    CSV_LIST,
    CONTRACT_READ,
  )
  async list(
    @PageQuery(ASSET_PAGES) page: PageRequest<string, AssetFilterName>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<Asset[]> | StreamableFile | string> {
    if (prefersCsv(reply)) {
      const { filters } = page;
      return csvAnswer(reply, page, {
        file: 'assets.csv',
        columns: ASSET_COLUMNS,
        row: (asset) => asset,
        read: (cursor?: string) => this.assets.search({ limit: LIST_PAGE, cursor, filters }, caller),
      });
    }
    const { request } = reply;
    if (request.method === 'HEAD') return new StreamableFile(Readable.from([]), { type: JSON_TYPE });
    if (page.isCounted) await this.assets.count(page.filters, caller, reply);
    if (page.isPlain) {
      const next = async (bookmark: string): Promise<AssetsPage> => {
        // The caller may be revoked while a long list is sent.
        request.requireAccess();
        return this.assets.page(LIST_PAGE, bookmark, caller);
      };
      return new StreamableFile(assetList('Assets listed.', await next(''), next), { type: JSON_TYPE });
    }
    if (Object.keys(page.filters).length > 0) {
      const { items, next } = await this.assets.search(page, caller);
      page.linkNext(reply, next);
      return success('Assets listed.', [...items]);
    }
    const { array, bookmark } = await this.assets.page(page.limit, page.cursor ?? '', caller);
    page.linkNext(reply, bookmark === '' ? undefined : bookmark);
    void reply.type(JSON_TYPE);
    return jsonAnswer('Assets listed.', Buffer.from(array).toString());
  }

  @Post()
  @Needs('writer')
  @ApiTags('assets')
  @Operation(
    {
      id: 'createAsset',
      summary: 'Creates an asset',
      description:
        'Without an id a UUID is generated. The answer is sent when the transaction is committed and durable. ' +
        `A body of type ${NDJSON} has one asset on each line, of at most 128 KiB, and any number of lines. Up to 500 ` +
        'assets become one transaction; a line that is refused refuses no other. The answer is 200 with the counts and the ' +
        `first 1000 refused lines, or with Accept: ${NDJSON} one answer for each line, streamed in order. With an ` +
        'Idempotency-Key an upload that was cut can be sent again as a whole and continues. See docs/loading-many-assets.md.',
      status: 201,
      data: AssetTransaction,
      errors: ['API.INVALID_REQUEST', 'LEDGER.ASSET_EXISTS', 'API.PRECONDITION_FAILED', IF_NONE_MATCH_ERROR],
    },
    REPEATABLE,
    CREATE_CONDITIONS,
    ASYNC,
    ASSET_BODY,
    CONTRACT_WRITE,
    uploadOf({ $ref: getSchemaPath(CreateAssetRequest) }),
  )
  async create(
    @Body(BodyPipe) body: CreateAssetRequest,
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<AssetTransaction | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Asset created.',
      write: (terms) => this.assets.create(body, terms),
      dataOf: transactionOf,
    });
  }

  @UploadRoute()
  upload(
    @WriteHeaders(requireCreate) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<UploadReport> | StreamableFile> {
    const target = new AssetUpload(this.ledger, this.assets);
    return this.uploads.answer({ channel: this.ledger.channel, target, message: 'Assets uploaded.' }, reply, options);
  }

  @Get(':id')
  @ApiTags('assets')
  @Operation(
    {
      id: 'readAsset',
      summary: 'Reads an asset, as it is or as it was after a block',
      description:
        'With at the answer is the asset as it was after that block: it has no ETag, and If-None-Match is ignored.',
      data: Asset,
      errors: [new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel provides no history')],
    },
    atBlock('the asset as it was after this block'),
    EXISTING_ASSET,
    IF_NONE_MATCH,
    CONTRACT_READ,
  )
  async read(
    @Param('id') assetId: string,
    @Query('at') at: unknown,
    @CurrentCaller('name') caller: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    void reply.type(JSON_TYPE);
    if (at !== undefined) {
      return jsonAnswer('Asset found.', await this.assets.readAt(assetId, parseBlock(at), caller));
    }
    const { text, digest } = await this.assets.read(assetId, caller);
    answerWithTag(reply, digest);
    return jsonAnswer('Asset found.', text);
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
    ASYNC,
    IF_MATCH,
    ASSET_BODY,
    UPDATE_BODY,
    CONTRACT_WRITE,
  )
  async update(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: CreateAssetRequest,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Asset | AcceptedTransaction>> {
    if (body.id !== undefined && body.id !== assetId) throw new ApiError('API.INVALID_REQUEST', OTHER_ID);
    return this.answers.answer(reply, options, {
      message: 'Asset updated.',
      write: (terms) => this.assets.update(assetId, body, terms),
      dataOf: ({ asset }) => asset,
    });
  }

  @Put(':id/transfer')
  @Needs('writer')
  @ApiTags('assets')
  @Operation(
    {
      id: 'transferAsset',
      summary: 'Transfers an asset to a new owner',
      data: AssetTransaction,
      errors: [new ApiError('API.INVALID_REQUEST', 'The body is refused: newOwner is missing.')],
    },
    EXISTING_ASSET,
    REPEATABLE,
    ASYNC,
    IF_MATCH,
    ASSET_BODY,
    CONTRACT_WRITE,
  )
  async transfer(
    @Param('id') assetId: string,
    @Body(BodyPipe) body: TransferAssetRequest,
    @WriteHeaders(parseIfMatch) options: WriteOptions,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<AssetTransaction | AcceptedTransaction>> {
    return this.answers.answer(reply, options, {
      message: 'Asset transferred.',
      write: (terms) => this.assets.transfer(assetId, body, terms),
      dataOf: transactionOf,
    });
  }

  @Get(':id/history')
  @ApiTags('history')
  @Operation(
    {
      id: 'listAssetVersions',
      summary: 'Lists the versions of an asset and their creators, newest first',
      description:
        'Deleted assets have a history too. With since or until a page may be short or empty and still have a Link to the ' +
        'next page. With Accept: text/csv the whole list is one table.',
      data: [AssetVersion],
      errors: [new LedgerError('LEDGER.NOT_SUPPORTED', 'the chaincode of the channel provides no history')],
    },
    EXISTING_ASSET,
    paged(HISTORY_PAGES),
    CSV_LIST,
    CONTRACT_READ,
  )
  async history(
    @Param('id') assetId: string,
    @PageQuery(HISTORY_PAGES) page: PageRequest<ChainPosition, 'since' | 'until'>,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentCaller('name') caller: string | undefined,
  ): Promise<ResponseEnvelope<readonly AssetVersion[]> | StreamableFile> {
    if (prefersCsv(reply)) {
      const { filters } = page;
      return csvAnswer(reply, page, {
        file: `history-${assetId}.csv`,
        columns: VERSION_COLUMNS,
        row: ({ asset, ...version }) => Object.assign(version, asset),
        read: (cursor?: ChainPosition) =>
          this.assets.history(assetId, { limit: HISTORY_PAGES.most, cursor, filters }, caller),
      });
    }
    const { items, next } = await this.assets.history(assetId, page, caller);
    page.linkNext(reply, next);
    return success('History read.', items);
  }
}

/** Returns the data of a write's answer. */
function transactionOf({ asset, transactionId }: WrittenAsset): AssetTransaction {
  return { asset, transactionId };
}

/** The endpoints of assets, uploads included. */
@Module({
  imports: [UploadsModule],
  controllers: [AssetsController],
  providers: [AssetsService, WriteAnswers],
})
export class AssetsModule {}
