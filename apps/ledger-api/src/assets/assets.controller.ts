import { Readable } from 'node:stream';
import { Controller, Get, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiParam, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v4 as uuid } from 'uuid';
import { MAX_PAGE_SIZE } from '#asset-contract';
import { Asset, AssetTransaction, CreateAssetRequest, TransferAssetRequest } from '../dto/asset.dto.js';
import { successText } from '../dto/envelope.dto.js';
import { InvalidRequestError } from '../http/api.errors.js';
import { StrictBody } from '../http/strict-body.decorator.js';
import { BODY_ERRORS, LEDGER_FAILED, Operation, TRANSACTION_ID } from '../openapi/operation.decorator.js';
import { assetStream } from './asset-stream.js';
import { AssetsService } from './assets.service.js';
import { pageToken, parsePageQuery, type PageQuery } from './page-query.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const LISTED = 'Assets listed.';
/** Assets read at once for the whole list, about 13 KB of text: what a page leaves on the heap outlives it when there is more. */
const STREAM_PAGE = 100;

const EXAMPLE = { ID: 'asset7', appraisedValue: '300', color: 'blue', owner: 'Tomoko', size: '5' };
const EXAMPLE_ID = '4f1b2a9c07d3e86558b1f0a3c2d4e5f60718293a4b5c6d7e8f9012a3b4c5d6e7';
const ASSET = { $ref: getSchemaPath(Asset) };
const ASSET_TRANSACTION = { $ref: getSchemaPath(AssetTransaction) };
const NOT_FOUND = 'The asset asset7 does not exist.';
const id = ApiParam({ name: 'id', schema: { type: 'string', minLength: 1 }, example: 'asset7' });

@Controller('assets')
@ApiTags('assets')
@ApiExtraModels(Asset, AssetTransaction)
export class AssetsController {
  readonly #assets: AssetsService;

  constructor(assets: AssetsService) {
    this.#assets = assets;
  }

  @Get()
  @ApiQuery({
    name: 'limit',
    required: false,
    description: 'Gives one page of at most so many assets; the header Link names the next one.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
  })
  @ApiQuery({
    name: 'after',
    required: false,
    description: 'The token of a Link header.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]+$' },
  })
  @Operation({
    id: 'listAssets',
    summary: 'Lists assets in byte order of their ids',
    description: 'Without a query all of them, streamed; what is written meanwhile may or may not be among them.',
    success: {
      message: LISTED,
      data: { type: 'array', items: ASSET },
      example: [EXAMPLE],
      headers: { Link: { description: 'The next page, rel="next".', schema: { type: 'string' } } },
    },
    errors: { 400: 'The query parameter limit must be a whole number from 1 to 1000.', 500: LEDGER_FAILED },
  })
  async list(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const page = parsePageQuery(query);
    void reply.type(JSON_TYPE);
    if (request.method === 'HEAD') void reply.send(Readable.from([]));
    else if (page === undefined) await this.#sendAll(reply);
    else await this.#sendPage(page, request, reply);
  }

  async #sendAll(reply: FastifyReply): Promise<void> {
    const next = (bookmark: string) => this.#assets.page(STREAM_PAGE, bookmark);
    void reply.send(assetStream(LISTED, await next(''), next));
  }

  async #sendPage({ limit, after }: PageQuery, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { array, bookmark } = await this.#assets.page(limit, after);
    if (bookmark !== '') {
      const path = request.url.split('?', 1).join('');
      void reply.header('link', `<${path}?limit=${limit}&after=${pageToken(bookmark)}>; rel="next"`);
    }
    send(reply, successText(LISTED, Buffer.from(array).toString()));
  }

  @Post()
  @Operation({
    id: 'createAsset',
    summary: 'Creates an asset',
    description: 'Without an id a UUID is made. Answered when the transaction is committed and durable.',
    success: {
      status: 201,
      message: 'Asset created.',
      data: ASSET_TRANSACTION,
      example: { asset: EXAMPLE, transactionId: EXAMPLE_ID },
      headers: TRANSACTION_ID,
    },
    errors: { 400: 'The asset asset7 already exists.', ...BODY_ERRORS, 500: LEDGER_FAILED },
  })
  @ApiBody({ type: CreateAssetRequest })
  async create(@StrictBody(CreateAssetRequest) body: CreateAssetRequest, @Res() reply: FastifyReply): Promise<void> {
    const { asset, transactionId } = await this.#assets.create(body.id ?? uuid(), body);
    void reply.header('x-transaction-id', transactionId);
    send(reply, successText('Asset created.', assetTransactionText(asset, transactionId)));
  }

  @Get(':id')
  @id
  @Operation({
    id: 'readAsset',
    summary: 'Reads an asset',
    success: { message: 'Asset found.', data: ASSET, example: EXAMPLE },
    errors: { 404: NOT_FOUND, 500: LEDGER_FAILED },
  })
  async read(@Param('id') assetId: string, @Res() reply: FastifyReply): Promise<void> {
    send(reply, successText('Asset found.', await this.#assets.read(assetId)));
  }

  @Put(':id')
  @id
  @Operation({
    id: 'updateAsset',
    summary: 'Replaces every field of an asset',
    success: { message: 'Asset updated.', data: ASSET, example: EXAMPLE, headers: TRANSACTION_ID },
    errors: { 400: 'There is no asset of that id; create it with POST.', ...BODY_ERRORS, 500: LEDGER_FAILED },
  })
  @ApiBody({ type: CreateAssetRequest })
  async update(
    @Param('id') assetId: string,
    @StrictBody(CreateAssetRequest) body: CreateAssetRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (body.id !== undefined && body.id !== assetId) {
      throw new InvalidRequestError('The id in the body is not the id in the path; leave it out or make them equal.');
    }
    const { asset, transactionId } = await this.#assets.update(assetId, body);
    void reply.header('x-transaction-id', transactionId);
    send(reply, successText('Asset updated.', asset));
  }

  @Put(':id/transfer')
  @id
  @Operation({
    id: 'transferAsset',
    summary: 'Gives an asset to a new owner',
    success: {
      message: 'Asset transferred.',
      data: ASSET_TRANSACTION,
      example: { asset: { ...EXAMPLE, owner: 'Brad' }, transactionId: EXAMPLE_ID },
      headers: TRANSACTION_ID,
    },
    errors: { 400: 'The body is refused: newOwner is missing.', 404: NOT_FOUND, ...BODY_ERRORS, 500: LEDGER_FAILED },
  })
  @ApiBody({ type: TransferAssetRequest })
  async transfer(
    @Param('id') assetId: string,
    @StrictBody(TransferAssetRequest) body: TransferAssetRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { asset, transactionId } = await this.#assets.transfer(assetId, body);
    void reply.header('x-transaction-id', transactionId);
    send(reply, successText('Asset transferred.', assetTransactionText(asset, transactionId)));
  }
}

/**
 * Answers with JSON text. Here and not by Nest from what a handler returns: Nest would wait for the end of the answer,
 * which takes it a listener and five promises more than the text is worth.
 */
function send(reply: FastifyReply, text: string): void {
  void reply.type(JSON_TYPE).send(text);
}

/** {@link AssetTransaction} as JSON text; a transaction's id holds nothing that JSON escapes. */
function assetTransactionText(asset: string, transactionId: string): string {
  return `{"asset":${asset},"transactionId":"${transactionId}"}`;
}
