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
import { Block } from './block.dto.js';
import { TransactionSummary } from './transaction.dto.js';

const TEXT = {
  listed: 'Blocks listed.',
  found: 'Block found.',
  notFound: 'There is no block with this number.',
  badNumber: 'A block number is an integer of at least 0.',
} as const;
const PAGES = { cursor: BEFORE_BLOCK, most: 200 };
const BYTES = 'application/octet-stream';
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
    description: 'A page may be shorter than its limit if its blocks have thousands of transactions: follow the Link.',
    success: { data: { type: 'array', items: BLOCK }, headers: LINK_HEADER },
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
    description: 'The block number; 0 is the first block.',
    schema: { type: 'integer', minimum: 0 },
    example: 7,
  })
  @Tagged()
  @Operation({
    id: 'readBlock',
    summary: "Returns one block, decoded or as bytes in Hyperledger Fabric's format",
    description: `With Accept: ${BYTES} it is the serialized common.Block, which Fabric's own tools read.`,
    success: {
      data: BLOCK,
      headers: ETAG_HEADER,
      otherContent: { [BYTES]: { schema: { type: 'string', format: 'binary' } } },
    },
    errors: [
      IF_NONE_MATCH_ERROR,
      new ApiError('API.INVALID_REQUEST', TEXT.badNumber),
      new ApiError('API.NOT_FOUND', TEXT.notFound),
      ...LEDGER_ERRORS,
    ],
  })
  async read(
    @Param('number') text: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Block> | Uint8Array> {
    if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new ApiError('API.INVALID_REQUEST', TEXT.badNumber);
    const number = Number(text);
    // Revalidated each time: another ledger at this address has other blocks with the same numbers.
    void reply.header('cache-control', 'private, no-cache');
    varyBy(reply, 'Accept');
    return isPreferred(request, BYTES) ? this.#bytes(number, request, reply) : this.#decoded(number, request, reply);
  }

  async #decoded(number: number, request: FastifyRequest, reply: FastifyReply): Promise<ResponseEnvelope<Block>> {
    const { items } = await this.#ledger.blocks({ limit: 1, before: number + 1 });
    const block = items.find((each) => each.number === number);
    if (block === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    answerWithTag(request, reply, digestOf(JSON.stringify(block)));
    return success(TEXT.found, block);
  }

  async #bytes(number: number, request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> {
    const block = await this.#ledger.blockByNumber(number);
    if (block === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    answerWithTag(request, reply, digestOf(block.bytes));
    // The name that `peer channel fetch` uses.
    const file = `${this.#ledger.channel}_${number}.block`;
    void reply.type(BYTES).header('content-disposition', `attachment; filename="${file}"`);
    return Buffer.from(block.bytes);
  }
}

function digestOf(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url');
}
