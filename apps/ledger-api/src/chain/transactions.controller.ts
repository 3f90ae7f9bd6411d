import { Controller, Get, Inject, Param, Query, Req, Res, type PipeTransform } from '@nestjs/common';
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
  BEFORE_TRANSACTION,
  LINK_HEADER,
  linkNext,
  Paged,
  pageErrors,
  PageQueryPipe,
  type PageRequest,
  type PageRules,
} from '../http/paging.js';
import { Receipt } from './receipt.dto.js';
import { TransactionDetail, TransactionResponse, TransactionSummary } from './transaction.dto.js';

const TEXT = {
  listed: 'Transactions listed.',
  found: 'Transaction found.',
  notFound: 'There is no transaction with this id.',
  badId: 'A transaction id has 64 hexadecimal characters.',
  noKeys: 'a receipt requires a peer that signs it, and the data directory contains no keys',
} as const;

const PAGES: PageRules<ChainPosition, 'creator' | 'function'> = {
  cursor: BEFORE_TRANSACTION,
  most: 1000,
  filters: {
    creator: 'Only transactions of this creator: the common name of its certificate, creatorId in the answer.',
    function:
      'Only calls of this function, compared exactly: UpdateAsset does not include UpdateAssetIfMatch, which updates ' +
      'with If-Match record.',
  },
};

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
    if (!/^[0-9a-f]{64}$/i.test(text)) throw new ApiError('API.INVALID_REQUEST', TEXT.badId);
    return text.toLowerCase();
  }
}

const ID_ERRORS = [
  new ApiError('API.INVALID_REQUEST', TEXT.badId),
  new ApiError('API.NOT_FOUND', TEXT.notFound),
  ...LEDGER_ERRORS,
];

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
  @Paged(PAGES)
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
    errors: [...pageErrors(PAGES), ...LEDGER_ERRORS],
  })
  async list(
    @Query(new PageQueryPipe(PAGES)) page: PageRequest<ChainPosition, 'creator' | 'function'>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResponseEnvelope<readonly TransactionSummary[]>> {
    const { limit, cursor: before, filters } = page;
    const { items, next } = await this.#ledger.transactions({ limit, before, ...filters });
    linkNext(request, reply, PAGES, { ...page, next });
    return success(TEXT.listed, items);
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
    if (transaction === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    return success(TEXT.found, describeTransaction(transaction));
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
    errors: [new LedgerError('LEDGER.NOT_SUPPORTED', TEXT.noKeys), ...ID_ERRORS],
  })
  async receipt(
    @Param('txid', TransactionIdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const receipt = await this.#ledger.receipt(id);
    if (receipt === undefined) throw new ApiError('API.NOT_FOUND', TEXT.notFound);
    void reply.header('content-type', 'application/json; charset=utf-8');
    void reply.header('content-disposition', `attachment; filename="receipt-${id}.json"`);
    return receipt;
  }
}
