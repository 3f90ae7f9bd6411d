import { hash } from 'node:crypto';
import { Inject, Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { varyBy } from '#page-files';
import { Needs } from '../access/access.decorators.js';
import type { Ledger } from '#ledger-gateway';
import { LEDGER } from '../gateway/gateway.module.js';
import { ApiError } from '../http/errors.js';
import { isPreferred } from '../http/accepted-type.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import {
  BEFORE_BLOCK,
  LINK_HEADER,
  linkNext,
  Paged,
  pageErrors,
  PageQueryPipe,
  type PageRequest,
} from '../http/paging.js';
import { answerWithTag, IF_NONE_MATCH_ERROR, ETAG_HEADER, Tagged } from '../http/preconditions.js';
import { EXAMPLE_SUMMARY, TransactionSummary } from '../transactions/transaction.dto.js';
import { Block } from './block.dto.js';

const TEXT = {
  listed: 'Blocks listed.',
  found: 'Block found.',
  notFound: 'There is no block of that number.',
  noNumber: 'The number of a block is a whole number from 0 on.',
} as const;
const PAGES = { cursor: BEFORE_BLOCK, most: 200 };
const BYTES = 'application/octet-stream';
const EXAMPLE = {
  number: 7,
  hash: '7c2e0d5f9a8b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
  previousHash: '0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0c9d7c2e0d5f9a8b4c3d2e1f',
  dataHash: 'e4e5992a22ce96204f819fdadfc11d598afd80d41e8e7a789ebe71d8a534ff06',
  timestamp: '2026-11-21T12:00:00.000Z',
  transactions: [EXAMPLE_SUMMARY],
};
const BLOCK = { $ref: getSchemaPath(Block) };

@Controller('blocks')
@Needs('reader')
@ApiTags('chain')
@ApiExtraModels(Block, TransactionSummary)
export class BlocksController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get()
  @Paged(PAGES)
  @Operation({
    id: 'listBlocks',
    summary: 'Lists blocks, newest first',
    description: 'A page ends early where its blocks hold thousands of transactions; the Link goes on.',
    success: { message: TEXT.listed, data: { type: 'array', items: BLOCK }, example: [EXAMPLE], headers: LINK_HEADER },
    errors: [...pageErrors(PAGES), ...LEDGER_ERRORS],
  })
  async list(
    @Query(new PageQueryPipe(PAGES)) page: PageRequest<number>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly Block[]>> {
    const { items, next } = await this.#ledger.blocks({ limit: page.limit, before: page.cursor });
    linkNext(request, reply, PAGES, { ...page, next });
    return success(TEXT.listed, items);
  }

  @Get(':number')
  @ApiParam({
    name: 'number',
    description: 'The block; 0 is the first.',
    schema: { type: 'integer', minimum: 0 },
    example: 7,
  })
  @Tagged()
  @Operation({
    id: 'readBlock',
    summary: "Gives one block, decoded or as its bytes in Hyperledger Fabric's format",
    description: `With Accept: ${BYTES} it is the common.Block as it stands in the chain, which Fabric's own tools read.`,
    success: {
      message: TEXT.found,
      data: BLOCK,
      example: EXAMPLE,
      headers: ETAG_HEADER,
      otherContent: { [BYTES]: { schema: { type: 'string', format: 'binary' } } },
    },
    errors: [
      IF_NONE_MATCH_ERROR,
      new ApiError('API.INVALID_REQUEST', TEXT.noNumber),
      new ApiError('API.NOT_FOUND', TEXT.notFound),
      ...LEDGER_ERRORS,
    ],
  })
  async read(
    @Param('number') text: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Block> | Uint8Array> {
    if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new ApiError('API.INVALID_REQUEST', TEXT.noNumber);
    const number = Number(text);
    // Asked for anew each time, at the price of a 304: another ledger on this address has other blocks.
    void reply.header('cache-control', 'private, no-cache');
    varyBy(reply, 'Accept');
    return isPreferred(request, BYTES) ? this.#bytes(number, request, reply) : this.#decoded(number, request, reply);
  }

  async #decoded(number: number, request: FastifyRequest, reply: FastifyReply): Promise<ResponseEnvelope<Block>> {
    const { items } = await this.#ledger.blocks({ limit: 1, before: number + 1 });
    const block = items.find((it) => it.number === number);
    if (block === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    answerWithTag(request, reply, digestOf(JSON.stringify(block)));
    return success(TEXT.found, block);
  }

  async #bytes(number: number, request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> {
    const block = await this.#ledger.blockByNumber(number);
    if (block === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    answerWithTag(request, reply, digestOf(block.bytes));
    // As `peer channel fetch` calls it.
    const file = `${this.#ledger.channel}_${number}.block`;
    void reply.type(BYTES).header('content-disposition', `attachment; filename="${file}"`);
    return Buffer.from(block.bytes);
  }
}

function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}
