import { Inject, Controller, Get, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChainPosition, Ledger } from '#ledger-gateway';
import { Needs } from '../access/access.decorators.js';
import { LEDGER } from '../gateway/gateway.module.js';
import { success, type ResponseEnvelope } from '../http/envelope.dto.js';
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
import { EXAMPLE_SUMMARY, TransactionSummary } from './transaction.dto.js';

const LISTED = 'Transactions listed.';
const PAGES: PageRules<ChainPosition, 'creator' | 'function'> = {
  cursor: BEFORE_TRANSACTION,
  most: 1000,
  filters: {
    creator: 'Only those of this submitter: the common name of a certificate, creatorId in the answer.',
    function: 'Only calls of this function.',
  },
};

@Controller('transactions')
@Needs('reader')
@ApiTags('chain')
@ApiExtraModels(TransactionSummary)
export class TransactionListController {
  readonly #ledger: Ledger;

  constructor(@Inject(LEDGER) ledger: Ledger) {
    this.#ledger = ledger;
  }

  @Get()
  @Paged(PAGES)
  @Operation({
    id: 'listTransactions',
    summary: 'Lists transactions, newest first',
    description:
      'Of every kind and validation code. One page looks at 200 blocks at most: with a filter it may be short, or empty, ' +
      'and the Link goes on.',
    success: {
      message: LISTED,
      data: { type: 'array', items: { $ref: getSchemaPath(TransactionSummary) } },
      example: [EXAMPLE_SUMMARY],
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
    return success(LISTED, items);
  }
}
