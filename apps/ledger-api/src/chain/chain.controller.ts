import { hash } from 'node:crypto';
import { Controller, Get, Inject, Module, Param, Query, Req, Res, type PipeTransform } from '@nestjs/common';
import { ApiExtraModels, ApiParam, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeTransaction, LedgerError, type ChainPosition, type Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
import { ApiError, EXAMPLE_TRANSACTION_ID } from '../http/errors.js';
import { Operation } from '../http/operation.decorator.js';
import { LEDGER_ERRORS } from '../http/operation-errors.js';
import {
  BEFORE_BLOCK,
  BEFORE_TRANSACTION,
  LINK_HEADER,
  linkNext,
  Paged,
  pageErrors,
  PageQueryPipe,
  type PageRequest,
  type PageRules,
} from '../http/paging.js';
import { answerWithTag, ETAG_HEADER, IF_NONE_MATCH_ERROR, isPreferred, Tagged, varyBy } from '../http/preconditions.js';
import {
  Block,
  BlockHeightResponse,
  ChainInfoResponse,
  Receipt,
  TransactionDetail,
  TransactionResponse,
  TransactionSummary,
} from './chain.dto.js';

@Controller('blockchain')
@Needs('reader')
@ApiTags('blockchain')
@ApiExtraModels(BlockHeightResponse, ChainInfoResponse)
export class BlockchainController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get('height')
  @Operation({
    id: 'getHeight',
    summary: 'Returns the number of blocks',
    success: { data: { $ref: getSchemaPath(BlockHeightResponse) } },
    errors: LEDGER_ERRORS,
  })
  async height(): Promise<ResponseEnvelope<BlockHeightResponse>> {
    const { height } = await this.#ledger.chainInfo();
    return success('Height read.', { height });
  }

  @Get('info')
  @Operation({
    id: 'getChainInfo',
    summary: "Returns the channel's name, its height and the hash of its newest block",
    success: { data: { $ref: getSchemaPath(ChainInfoResponse) } },
    errors: LEDGER_ERRORS,
  })
  async info(): Promise<ResponseEnvelope<ChainInfoResponse>> {
    const { currentBlockHash: blockHash, channel: chainName, height } = await this.#ledger.chainInfo();
    return success('Chain information read.', { blockHash, chainName, height });
  }
}

const BLOCK_PAGES = { cursor: BEFORE_BLOCK, most: 200 };
const BYTES = 'application/octet-stream';
const BLOCK = { $ref: getSchemaPath(Block) };
const noBlock = (): ApiError => new ApiError('API.NOT_FOUND', 'There is no block with this number.');
const invalidNumber = (): ApiError =>
  new ApiError('API.INVALID_REQUEST', 'A block number is an integer of at least 0.');

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
  @Paged(BLOCK_PAGES)
  @Operation({
    id: 'listBlocks',
    summary: 'Lists blocks, newest first',
    description: 'A page may be shorter than its limit if its blocks have thousands of transactions: follow the Link.',
    success: { data: { type: 'array', items: BLOCK }, headers: LINK_HEADER },
    errors: [...pageErrors(BLOCK_PAGES), ...LEDGER_ERRORS],
  })
  async list(
    @Query(new PageQueryPipe(BLOCK_PAGES)) page: PageRequest<number>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly Block[]>> {
    const { items, next } = await this.#ledger.blocks({ limit: page.limit, before: page.cursor });
    linkNext(request, reply, BLOCK_PAGES, { ...page, next });
    return success('Blocks listed.', items);
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
    errors: [IF_NONE_MATCH_ERROR, invalidNumber(), noBlock(), ...LEDGER_ERRORS],
  })
  async read(
    @Param('number') text: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<Block> | Uint8Array> {
    if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw invalidNumber();
    const number = Number(text);
    // Revalidated each time: another ledger at this address has other blocks with the same numbers.
    void reply.header('cache-control', 'private, no-cache');
    varyBy(reply, 'Accept');
    return isPreferred(request, BYTES) ? this.#bytes(number, request, reply) : this.#decoded(number, request, reply);
  }

  async #decoded(number: number, request: FastifyRequest, reply: FastifyReply): Promise<ResponseEnvelope<Block>> {
    const { items } = await this.#ledger.blocks({ limit: 1, before: number + 1 });
    const block = items.find((each) => each.number === number);
    if (block === undefined) throw noBlock();
    answerWithTag(request, reply, digestOf(JSON.stringify(block)));
    return success('Block found.', block);
  }

  async #bytes(number: number, request: FastifyRequest, reply: FastifyReply): Promise<Uint8Array> {
    const block = await this.#ledger.blockByNumber(number);
    if (block === undefined) throw noBlock();
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

const TRANSACTION_PAGES: PageRules<ChainPosition, 'creator' | 'function'> = {
  cursor: BEFORE_TRANSACTION,
  most: 1000,
  filters: {
    creator: 'Only transactions of this creator: the common name of its certificate, creatorId in the answer.',
    function:
      'Only calls of this function, compared exactly: UpdateAsset does not include UpdateAssetIfMatch, which updates ' +
      'with If-Match record.',
  },
};

const noTransaction = (): ApiError => new ApiError('API.NOT_FOUND', 'There is no transaction with this id.');
const invalidId = (): ApiError =>
  new ApiError('API.INVALID_REQUEST', 'A transaction id has 64 hexadecimal characters.');
const noKeys = (): LedgerError =>
  new LedgerError(
    'LEDGER.NOT_SUPPORTED',
    'a receipt requires a peer that signs it, and the data directory contains no keys',
  );
const TransactionId = (): MethodDecorator =>
  ApiParam({
    name: 'txid',
    description: 'The transaction: 64 hexadecimal characters, as in the X-Transaction-Id of a write.',
    schema: { type: 'string', pattern: '^[0-9a-fA-F]{64}$' },
    example: EXAMPLE_TRANSACTION_ID,
  });

/** Parses a transaction id and returns it in lower case. */
class TransactionIdPipe implements PipeTransform<string, string> {
  /** @throws `API.INVALID_REQUEST` */
  transform(text: string): string {
    if (!/^[0-9a-f]{64}$/i.test(text)) throw invalidId();
    return text.toLowerCase();
  }
}

const ID_ERRORS = [invalidId(), noTransaction(), ...LEDGER_ERRORS];

@Controller('transactions')
@Needs('reader')
@ApiExtraModels(TransactionSummary, TransactionDetail, TransactionResponse, Receipt)
export class TransactionsController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get()
  @ApiTags('chain')
  @Paged(TRANSACTION_PAGES)
  @Operation({
    id: 'listTransactions',
    summary: 'Lists transactions, newest first',
    description:
      'Transactions of every kind and validation code. A page examines at most 200 blocks: with a filter it may be short ' +
      'or empty and still have a Link to the next page.',
    success: {
      data: { type: 'array', items: { $ref: getSchemaPath(TransactionSummary) } },
      headers: LINK_HEADER,
    },
    errors: [...pageErrors(TRANSACTION_PAGES), ...LEDGER_ERRORS],
  })
  async list(
    @Query(new PageQueryPipe(TRANSACTION_PAGES)) page: PageRequest<ChainPosition, 'creator' | 'function'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly TransactionSummary[]>> {
    const { limit, cursor: before, filters } = page;
    const { items, next } = await this.#ledger.transactions({ limit, before, ...filters });
    linkNext(request, reply, TRANSACTION_PAGES, { ...page, next });
    return success('Transactions listed.', items);
  }

  @Get(':txid')
  @ApiTags('transactions')
  @TransactionId()
  @Operation({
    id: 'getTransaction',
    summary: 'Returns one recorded transaction, decoded',
    success: { data: { $ref: getSchemaPath(TransactionDetail) } },
    errors: ID_ERRORS,
  })
  async detail(@Param('txid', TransactionIdPipe) id: string): Promise<ResponseEnvelope<TransactionDetail>> {
    const transaction = await this.#ledger.transactionById(id);
    if (transaction === undefined) throw noTransaction();
    return success('Transaction found.', describeTransaction(transaction));
  }

  @Get(':txid/receipt')
  @ApiTags('receipts')
  @TransactionId()
  @Operation({
    id: 'getReceipt',
    summary: 'Returns a receipt, which proves a transaction to others',
    description:
      "A file with the transaction's block and a peer's signed attestation of the validation code. " +
      '`ledger-tool verify-receipt` verifies it on any machine, without the ledger.',
    success: { file: { $ref: getSchemaPath(Receipt) } },
    errors: [noKeys(), ...ID_ERRORS],
  })
  async receipt(
    @Param('txid', TransactionIdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const receipt = await this.#ledger.receipt(id);
    if (receipt === undefined) throw noTransaction();
    void reply.header('content-type', 'application/json; charset=utf-8');
    void reply.header('content-disposition', `attachment; filename="receipt-${id}.json"`);
    return receipt;
  }
}

/** The chain: its head, its blocks and its transactions. */
@Module({ controllers: [BlockchainController, BlocksController, TransactionsController] })
export class ChainModule {}
